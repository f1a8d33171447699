// SPDX-License-Identifier: Apache-2.0

// Programs over two processes in which every byte shows whether it was the current one.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <skerry/dataflow.hpp>
#include <skerry/skerry.hpp>

#include "checks.hpp"
#include "launched_programs.hpp"

namespace skerry_test {

namespace {

using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::region;
using skerry::spawn;
using skerry::taskwait;

std::byte pattern(std::size_t i) { return static_cast<std::byte>(i % 251 + 1); }

// A task finds every byte, also the first and the last, and the first process finds every byte that it wrote.
void every_byte(skerry::runtime& r) {
    const std::span<std::byte> room = skerry::root_region().create().make_array<std::byte>(1'000'003);
    const std::span<std::byte> all = room.subspan(1, room.size() - 2);
    std::ranges::fill(room, std::byte{0});
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = pattern(i);
    }
    spawn(
        [](std::span<std::byte> bytes) {
            for (std::size_t i = 0; i < bytes.size(); ++i) {
                const bool came = bytes[i] == pattern(i);
                CHECK(came);
                bytes[i] = ~bytes[i];
            }
        },
        inout(all));
    hold_until_taken(r, 1);
    taskwait();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool came_back = all[i] == ~pattern(i);
        CHECK(came_back);
    }
    CHECK(room.front() == std::byte{0} && room.back() == std::byte{0});
}

// Away, here and away again, without a wait between them: the copy that is left there is old.
void in_between(skerry::runtime& r) {
    auto* const x = skerry::root_region().create().make<int>(1);
    const auto seen = skerry::root_region().create().make_array<int>(2);
    const auto look = [](const int& from, int& to) { to = from; };
    spawn(look, in(*x), out(seen[0]));
    // These two have a state, so they stay.
    spawn([x](int& to) { *x = ++to; }, inout(*x));
    spawn(look, in(*x), out(seen[1]));
    // Of two readers the later one is run by whoever made them ready; meanwhile the other is there to be taken.
    spawn([&r](const int&) { hold_until_taken(r, 2); }, in(*x));
    hold_until_taken(r, 1); // with children left, so that the parent does not have its objects back
    taskwait();
    const int first = seen[0];
    const int second = seen[1];
    CHECK(first == 1 && second == 2);
}

// A region with its bookkeeping and its bytes, there and back.
void there_and_back(skerry::runtime& r) {
    region home = skerry::root_region().create();
    auto* const x = home.make<std::array<int, 100>>();
    x->fill(5);
    spawn(
        [](region& there, std::array<int, 100>* p) {
            CHECK(std::ranges::count(*p, 5) == 100);
            p->fill(6);
            there.make<int>(7);
        },
        inout(home), x);
    hold_until_taken(r, 1);
    taskwait();
    CHECK(std::ranges::count(*x, 6) == 100);
    home.make<int>(8);
    home.destroy_all();
}

// A container's own bytes say where its elements are.
void own_bytes(skerry::runtime& r) {
    using vector = std::vector<int, skerry::region_allocator<int>>;
    region home = skerry::root_region().create();
    auto* const v = home.make<vector>(10U, 5, home.allocator<int>());
    spawn([](const vector& all) { CHECK(all.size() == 10 && std::ranges::count(all, 5) == 10); }, in(*v));
    auto* const w = home.make<vector>(10U, 5, home.allocator<int>());
    spawn([](vector& all) { CHECK(all.size() == 10), std::ranges::fill(all, 6); }, out(*w)); // also there
    hold_until_taken(r, 2);
    taskwait();
    CHECK(std::ranges::count(*w, 6) == 10);
}

const launched_programs programs{
    {"every_byte", every_byte},
    {"in_between", in_between},
    {"there_and_back", there_and_back},
    {"own_bytes", own_bytes},
};

} // namespace

} // namespace skerry_test
