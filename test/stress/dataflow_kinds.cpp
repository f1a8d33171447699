// SPDX-License-Identifier: Apache-2.0

// Tasks with declared accesses in a random program: to one object, to parts of an array, to regions. They stand in
// tasks that have not declared these, so objects lie on the stack, where debug builds take them for the spawner's own.

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <skerry/skerry.hpp>

#include "program.hpp"

namespace skerry_test {

namespace {

// In order, by the access to the sum; each beside tasks that only look.
std::uint64_t in_tasks(const node& at) {
    std::uint64_t sum = 0;
    census here(at.left_behind());
    skerry::finish([&](skerry::scope&) {
        for (unsigned i = 0; i < at.children; ++i) {
            skerry::spawn(
                [&here, &at, i](std::uint64_t& s) {
                    const census::member inside(here);
                    s += at(i);
                },
                skerry::inout(sum));
            skerry::spawn([&here](const std::uint64_t&) { const census::member inside(here); }, skerry::in(sum));
        }
        if (at.children % 2 == 0) {
            skerry::taskwait();
        }
    });
    return sum;
}

// Beside each other, and before the task that reads the whole. A wait for its sum alone lets the last one run on. All
// in a task of its own: another branch of the same task may wait, too, and take the exception for which the sum is
// missing.
std::uint64_t in_blocks(const node& at) {
    std::array<std::uint64_t, std::size_t{2} * node::most_children> values{};
    std::uint64_t sum = 0;
    census here(at.left_behind());
    const auto spawn_all = [&] {
        const auto blocks = skerry::partition(values, 2);
        for (unsigned i = 0; i < at.children; ++i) {
            skerry::spawn(
                {.name = "block"},
                [&here, &at, i](std::span<std::uint64_t> block) {
                    const census::member inside(here);
                    block[0] = at(i);
                    block[1] = 1;
                },
                skerry::out(blocks(i)));
        }
        skerry::spawn(
            [&here](std::span<const std::uint64_t> all, std::uint64_t& s) {
                const census::member inside(here);
                s = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
            },
            skerry::in(std::span<const std::uint64_t>(values)), skerry::out(sum));
        skerry::spawn([&here](std::span<const std::uint64_t>) { const census::member inside(here); },
                      skerry::in(blocks(0)));
        skerry::taskwait_on(skerry::in(sum));
        at.expect(sum != 0, "a wait for the sum ended before it was written");
    };
    skerry::finish([&](skerry::scope&) { skerry::spawn(spawn_all); });
    return sum - at.children;
}

// The same with tiles of a matrix, each written twice, and then a row of tiles.
std::uint64_t in_tiles(const node& at) {
    std::array<std::uint64_t, 16> values{};
    std::uint64_t sum = 0;
    census here(at.left_behind());
    skerry::finish([&](skerry::scope&) {
        const auto tiles = skerry::partition(values, {4, 4}, {2, 2});
        for (unsigned i = 0; i < at.children; ++i) {
            const auto tile = tiles(i / 2, i % 2);
            skerry::spawn(
                [&here, &at, i](skerry::tile<std::uint64_t, 2> t) {
                    const census::member inside(here);
                    t(1, 1) = at(i);
                },
                skerry::out(tile));
            skerry::spawn(
                [&here](skerry::tile<std::uint64_t, 2> t) {
                    const census::member inside(here);
                    t(0, 0) = t(1, 1);
                },
                skerry::inout(tile));
        }
        skerry::spawn(
            [&here](skerry::tile<const std::uint64_t, 2> all, std::uint64_t& s) {
                const census::member inside(here);
                s = all(0, 0) + all(0, 2) + all(2, 0) + all(2, 2);
            },
            skerry::in(tiles.whole()), skerry::inout(sum));
    });
    return sum;
}

// A region, gone with all that was made in it.
class region_for_now {
  public:
    region_for_now() = default;
    region_for_now(const region_for_now&) = delete;
    region_for_now& operator=(const region_for_now&) = delete;
    ~region_for_now() { mine.destroy_all(); }

    skerry::region mine = skerry::root_region().create();
};

// Each child in a region of its own, within the one that the last task reads. All in a task without accesses: debug
// builds let it declare what it likes for its children.
std::uint64_t in_regions(const node& at) {
    using numbers = std::vector<std::uint64_t, skerry::region_allocator<std::uint64_t>>;
    region_for_now around;
    std::array<numbers*, node::most_children> made{};
    std::uint64_t sum = 0;
    census here(at.left_behind());
    const auto spawn_all = [&] {
        for (unsigned i = 0; i < at.children; ++i) {
            skerry::region own = around.mine.create();
            made[i] = own.make<numbers>(own.allocator<std::uint64_t>());
            skerry::spawn(
                [&here, &at, i, own_numbers = made[i]](skerry::region&) {
                    const census::member inside(here);
                    own_numbers->push_back(at(i));
                },
                skerry::inout(own));
        }
        skerry::spawn(
            [&](const skerry::region&) {
                const census::member inside(here);
                for (unsigned i = 0; i < at.children; ++i) {
                    sum += made[i]->front();
                }
            },
            skerry::in(around.mine));
    };
    skerry::finish([&](skerry::scope&) { skerry::spawn(spawn_all); });
    return sum;
}

constexpr kind all[] = {in_tasks, in_blocks, in_tiles, in_regions};

} // namespace

const std::span<const kind> dataflow_kinds = all;

} // namespace skerry_test
