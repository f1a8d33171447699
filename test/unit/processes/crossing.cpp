// SPDX-License-Identifier: Apache-2.0

// What tasks that cross are called with, and the bytes that move for them.

#include "bodies.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include <skerry/dataflow.hpp>
#include <skerry/skerry.hpp>

#include "checks.hpp"

namespace skerry_test {

namespace {

using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::region;
using skerry::spawn;
using skerry::taskwait;
using skerry::taskwait_on;

struct step {
    std::uint64_t factor;
    std::uint64_t addend;
};

void advance(std::uint64_t& x, step s) { x = x * s.factor + s.addend; }
void twist(std::uint64_t& x, step s) { x = (x ^ s.factor) + s.addend; }
struct turned {
    void operator()(std::uint64_t& x, step s) const { x = ((x << 7U) | (x >> 57U)) ^ s.addend; }
};
constexpr auto mixed_in = [](std::uint64_t& x, step s) { x ^= x * s.addend + s.factor; };

step step_of(std::uint64_t i) { return {2 * i + 1, i * 77}; }

// Function pointers, a named functor and a captureless lambda, in one chain.
void chain(skerry::runtime& r) {
    std::uint64_t expected = 1;
    auto* const x = skerry::root_region().make<std::uint64_t>(1U);
    constexpr std::uint64_t tasks = 80;
    for (std::uint64_t i = 0; i < tasks; ++i) {
        const step s = step_of(i);
        switch (i % 4) {
        case 0:
            spawn(advance, inout(*x), s);
            advance(expected, s);
            break;
        case 1:
            spawn(&twist, inout(*x), s);
            twist(expected, s);
            break;
        case 2:
            spawn(skerry::named<"turned">(turned{}), inout(*x), s);
            turned{}(expected, s);
            break;
        default: spawn(mixed_in, inout(*x), s); mixed_in(expected, s);
        }
    }
    hold_until_taken(r, tasks);
    taskwait();
    CHECK(*x == expected);
}

using numbers = std::span<std::uint64_t>;
using read_numbers = std::span<const std::uint64_t>;

void fill(numbers all, std::uint64_t from) { std::iota(all.begin(), all.end(), from); }
void sum(read_numbers all, std::uint64_t& result) { result = std::accumulate(all.begin(), all.end(), result); }

// One writes, many read, one writes again.
void readers(skerry::runtime& r) {
    region home = skerry::root_region();
    const numbers all = home.make_array<std::uint64_t>(5'000);
    const numbers sums = home.make_array<std::uint64_t>(8);
    constexpr std::uint64_t rounds = 3;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        spawn(fill, out(all), round);
        for (std::uint64_t& s : sums) {
            spawn(sum, in(all), inout(s));
        }
    }
    hold_until_taken(r, rounds * 9);
    taskwait();
    for (const std::uint64_t s : sums) {
        CHECK(s == rounds * (5'000ULL * 4'999 / 2) + 5'000 * (0 + 1 + 2));
    }
    CHECK(all.front() == 2 && all.back() == 5'001);
}

struct tile {
    std::array<std::uint64_t, 64> of{};
};
void multiply(const tile& a, const tile& b, tile& c) {
    for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t j = 0; j < 8; ++j) {
            for (std::size_t k = 0; k < 8; ++k) {
                c.of[i * 8 + j] += a.of[i * 8 + k] * b.of[k * 8 + j];
            }
        }
    }
}

// c = a b, twice, in tiles; here and there, as it comes.
void tiles(skerry::runtime&) {
    region home = skerry::root_region().create();
    constexpr std::size_t n = 4;
    const auto make = [&](std::uint64_t seed) {
        std::array<tile*, n * n> m{};
        for (tile*& t : m) {
            t = home.make<tile>();
            for (std::uint64_t& x : t->of) {
                x = seed = seed * 6364136223846793005U + 1442695040888963407U;
            }
        }
        return m;
    };
    const auto a = make(1);
    const auto b = make(2);
    const auto c = make(3);
    std::vector<tile> expected;
    std::ranges::transform(c, std::back_inserter(expected), [](const tile* t) { return *t; });
    for (int round = 0; round < 2; ++round) {
        for (std::size_t i = 0; i < n * n * n; ++i) {
            const std::size_t row = i / n / n * n;
            const std::size_t column = i / n % n;
            const std::size_t k = i % n;
            spawn(multiply, in(*a[row + k]), in(*b[k * n + column]), inout(*c[row + column]));
            multiply(*a[row + k], *b[k * n + column], expected[row + column]);
        }
    }
    taskwait();
    for (std::size_t i = 0; i < n * n; ++i) {
        CHECK(c[i]->of == expected[i].of);
    }
    home.destroy_all();
}

enum class color : std::uint8_t { red, green };
struct note {
    double number;
    const std::uint64_t* first;
    color c;
};
void take_values(std::uint64_t& x, int i, note n, std::array<char, 3> text) {
    x = static_cast<std::uint64_t>(i) + static_cast<std::uint64_t>(n.number * 4) + *n.first +
        (n.c == color::green ? 1'000U : 0U) + (std::string_view(text.data(), 3) == "abc" ? 10'000U : 0U);
}

void values(skerry::runtime& r) {
    region home = skerry::root_region();
    const numbers two = home.make_array<std::uint64_t>(2);
    two[1] = 100;
    spawn(
        [](read_numbers all, std::uint64_t& x, int i, note n, std::array<char, 3> t) {
            CHECK(n.first == &all[1]); // the same address in every process
            take_values(x, i, n, t);
        },
        in(read_numbers(two)), inout(two[0]), -3, note{0.75, &two[1], color::green}, std::array{'a', 'b', 'c'});
    hold_until_taken(r, 1);
    taskwait();
    CHECK(two[0] == 100U + 1'000 + 10'000);
}

// A task over there and the one who waits here write in turn: no copy that is left there may be taken for current.
void in_turn(skerry::runtime& r) {
    auto* const x = skerry::root_region().make<std::uint64_t>(0U);
    auto* const seen = skerry::root_region().make<std::uint64_t>(0U);
    for (std::uint64_t round = 1; round <= 20; ++round) {
        *x = round * 1'000;
        spawn([](const std::uint64_t& from, std::uint64_t& to) { to = from; }, in(*x), out(*seen));
        spawn([](std::uint64_t& to) { ++to; }, inout(*x));
        hold_until_taken(r, 4 * round - 2);
        if (round % 2 == 0) {
            taskwait();
        } else {
            taskwait_on(in(*x), in(*seen));
        }
        CHECK(*seen == round * 1'000 && *x == round * 1'000 + 1);
        std::uint64_t* const local = x;
        spawn(
            [local](std::uint64_t& to) { // has a state, so it stays here
                CHECK(&to == local);
                to += 100;
            },
            inout(*x));
        taskwait();
        spawn([](const std::uint64_t& from, std::uint64_t& to) { to = from + 1; }, in(*x), out(*seen));
        spawn([](std::uint64_t& to) { to += 10; }, inout(*seen));
        hold_until_taken(r, 4 * round);
        taskwait();
        CHECK(*x == round * 1'000 + 101 && *seen == *x + 11);
    }
}

using vector = std::vector<std::uint64_t, skerry::region_allocator<std::uint64_t>>;

// The container's own bytes go along with its elements.
void containers(skerry::runtime& r) {
    region home = skerry::root_region().create();
    auto* const v = home.make<vector>(300U, 0U, home.allocator<std::uint64_t>());
    auto* const w = home.make<vector>(300U, 5U, home.allocator<std::uint64_t>());
    spawn([](vector& to) { std::iota(to.begin(), to.end(), 1U); }, inout(*v));
    spawn([](const vector& from, vector& to) { std::ranges::transform(from, to, to.begin(), std::plus<>()); }, in(*v),
          inout(*w));
    hold_until_taken(r, 2);
    taskwait();
    CHECK(v->size() == 300 && w->size() == 300 && w->front() == 6 && w->back() == 305);
    // Grown here: the elements lie elsewhere from now on, and the container's bytes say so.
    v->resize(2'000, 9);
    spawn([](vector& to) { std::ranges::reverse(to); }, inout(*v));
    hold_until_taken(r, 3);
    taskwait();
    CHECK(v->front() == 9 && v->back() == 1);
    // What only writes one needs the container itself there.
    spawn([](vector& to) { std::ranges::fill(to, 7U); }, out(*w));
    hold_until_taken(r, 4);
    taskwait();
    CHECK(std::ranges::count(*w, 7U) == 300);
    // Without the region, elements that are not there yet could only be made here.
    auto* const empty = home.make<vector>(home.allocator<std::uint64_t>());
    spawn([](vector& to) { to.assign(100, 3); }, out(*empty));
    taskwait();
    spawn([](const vector& from, vector& to) { to[0] = from.size(); }, in(*empty), inout(*w));
    hold_until_taken(r, 5); // the second alone
    taskwait();
    CHECK(empty->size() == 100 && w->front() == 100);
    // With it they are made there, and the region comes back with them.
    empty->clear();
    empty->shrink_to_fit();
    spawn([](region&, vector& to) { to.assign(5'000, 4); }, inout(home), out(*empty));
    hold_until_taken(r, 6);
    taskwait();
    CHECK(empty->size() == 5'000 && std::ranges::count(*empty, 4U) == 5'000);
    home.destroy_all();
}

// Tiles of one matrix lie between each other in memory, so nothing but a tile's own bytes may move.
using matrix_tile = skerry::tile<std::uint64_t, 2>;
using read_tile = skerry::tile<const std::uint64_t, 2>;

void stamp(matrix_tile t, std::uint64_t by) {
    for (std::size_t i = 0; i < t.extent(0); ++i) {
        for (std::size_t j = 0; j < t.extent(1); ++j) {
            t(i, j) = t(i, j) * 3 + by + i * 17 + j;
        }
    }
}
void move_up(read_tile from, matrix_tile to) {
    for (std::size_t j = 0; j < to.extent(1); ++j) {
        to(0, j) = to(0, j) * 5 + from(from.extent(0) - 1, j);
    }
}
void stamp_pieces(matrix_tile t, std::uint64_t by) { // children have parts of the part, there too
    const auto pieces = skerry::partition(t, {5, 2});
    for (std::size_t i = 0; i < pieces.count(0); ++i) {
        for (std::size_t j = 0; j < pieces.count(1); ++j) {
            spawn(stamp, inout(pieces(i, j)), by + i);
        }
    }
}

void parts(skerry::runtime& r) {
    region home = skerry::root_region().create();
    const numbers all = home.make_array<std::uint64_t>(60U * 50);
    std::vector<std::uint64_t> expected(all.size());
    const auto tiles = skerry::partition(all, {60, 50}, {16, 12});
    const auto same = skerry::partition(expected, {60, 50}, {16, 12});
    const std::size_t rows = tiles.count(0);
    const std::size_t columns = tiles.count(1);
    for (std::size_t n = 0; n < tiles.size(); ++n) { // all of them over there
        spawn(stamp, inout(tiles(n / columns, n % columns)), n);
        stamp(same(n / columns, n % columns), n);
    }
    hold_until_taken(r, tiles.size());
    taskwait();
    CHECK(std::ranges::equal(all, expected));

    for (std::uint64_t round = 0; round < 6; ++round) { // neighbours here and there at the same time
        for (std::size_t n = 0; n < tiles.size(); ++n) {
            const auto here = tiles(n / columns, n % columns);
            const auto there = same(n / columns, n % columns);
            if ((n + round) % 3 == 0) {
                spawn([&r](matrix_tile t) { stamp(t, r.workers() != 0 ? 9U : 0U); }, inout(here)); // it has a state
                stamp(there, 9);
            } else if ((n + round) % 3 == 1) {
                spawn(stamp_pieces, inout(here), round);
                const auto pieces = skerry::partition(matrix_tile(there), {5, 2});
                for (std::size_t p = 0; p < pieces.size(); ++p) {
                    stamp(pieces(p / pieces.count(1), p % pieces.count(1)), round + p / pieces.count(1));
                }
            } else if (n >= columns) {
                spawn(move_up, in(tiles(n / columns - 1, n % columns)), inout(here));
                move_up(same(n / columns - 1, n % columns), there);
            }
        }
        const auto bands = skerry::partition(all, {60, 50}, {7, 50}); // they cross the tiles
        spawn(stamp, inout(bands(round, 0)), round);
        stamp(skerry::partition(expected, {60, 50}, {7, 50})(round, 0), round);
    }
    taskwait();
    CHECK(std::ranges::equal(all, expected));
    CHECK(rows == 4 && columns == 5);
    home.destroy_all();
}

struct node {
    node(std::uint64_t v, node* n) : value(v), next(n) {}
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    ~node() { ++destroyed; }
    std::uint64_t value;
    node* next;
    inline static int destroyed = 0;
};
struct entrance {
    node* list = nullptr;
    region inner;
    std::map<int, int, std::less<>, skerry::region_allocator<std::pair<const int, int>>>* map = nullptr;
};

void build(region& home, entrance& e, std::uint64_t n) {
    e.inner = home.create();
    e.map = home.make<std::remove_pointer_t<decltype(e.map)>>(home.allocator<std::pair<const int, int>>());
    for (std::uint64_t i = 0; i < n; ++i) {
        e.list = (i % 2 == 0 ? home : e.inner).make<node>(i, e.list);
        (*e.map)[static_cast<int>(i)] = static_cast<int>(i * i);
    }
}
void walk(const region&, const entrance& e, std::uint64_t& total) {
    for (const node* n = e.list; n != nullptr; n = n->next) {
        total += n->value;
    }
    for (const auto& [key, square] : *e.map) {
        CHECK(square == key * key);
    }
}
void extend(region& home, entrance& e, std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) {
        e.list = home.make<node>(1'000U, e.list);
    }
}
void thin(region& home, entrance& e) { // destroys what lies in the outer region
    for (node** at = &e.list; *at != nullptr;) {
        node* const n = *at;
        if (n->value % 2 == 0) {
            *at = n->next;
            home.destroy(n);
        } else {
            at = &n->next;
        }
    }
}

void regions(skerry::runtime& r) {
    region results = skerry::root_region().create();
    region home = skerry::root_region().create();
    auto* const e = results.make<entrance>();
    const numbers totals = results.make_array<std::uint64_t>(3);
    constexpr std::uint64_t n = 100;
    spawn(build, inout(home), inout(*e), n);
    spawn(walk, in(home), in(*e), inout(totals[0]));
    spawn(extend, inout(home), inout(*e), 10);
    spawn(walk, in(home), in(*e), inout(totals[1]));
    hold_until_taken(r, 4);
    taskwait();
    CHECK(totals[0] == n * (n - 1) / 2 && totals[1] == totals[0] + 10'000);
    // What was made there is here, and is destroyed here.
    CHECK(e->inner.exists());
    extend(home, *e, 5);
    thin(home, *e);
    CHECK(node::destroyed == 50 + 15);
    (*e->map)[1'000] = 1'000'000;
    // And the other way round.
    spawn(extend, inout(home), inout(*e), 20);
    spawn(thin, inout(home), inout(*e));
    spawn(walk, in(home), in(*e), inout(totals[2]));
    hold_until_taken(r, 7);
    taskwait();
    CHECK(totals[2] == 50 * 50);
    spawn(
        [](region& whole, entrance& old) {
            whole.destroy_all();
            CHECK(node::destroyed == 20 + 50); // those that were destroyed before, here, and the rest
            old.list = nullptr;
        },
        inout(home), inout(*e));
    hold_until_taken(r, 8);
    taskwait();
    CHECK(!home.exists() && !e->inner.exists() && node::destroyed == 65);
    results.destroy_all();
}

} // namespace

program_body crossing_program(std::string_view name) {
    constexpr named_program all[] = {{"chain", chain},   {"readers", readers}, {"tiles", tiles},
                                     {"values", values}, {"in_turn", in_turn}, {"containers", containers},
                                     {"parts", parts},   {"regions", regions}};
    return body_of(all, name);
}

} // namespace skerry_test
