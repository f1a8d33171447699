// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random tasks over one array that is named in many ways, for the library and for its serial elision.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <skerry/dataflow.hpp>
#include <skerry/partition.hpp>
#include <skerry/runtime.hpp>
#include <skerry/serial.hpp>

namespace partition_test {

using skerry::in;
using skerry::inout;
using skerry::partition;
using skerry::tile;
using word = std::uint64_t;

struct parallel {
    using runtime = skerry::runtime;
    static void spawn(auto&&... a) { skerry::spawn(std::forward<decltype(a)>(a)...); }
    static void taskwait() { skerry::taskwait(); }
};
struct serial {
    using runtime = skerry::serial::runtime;
    static void spawn(auto&&... a) { skerry::serial::spawn(std::forward<decltype(a)>(a)...); }
    static void taskwait() { skerry::serial::taskwait(); }
};

// Changes each element by what it was and by how often something was done before, so that any change of order shows.
struct stir {
    word seed;
    void one(word& x, word i) const { x = (x ^ (seed + i)) * 0x9e3779b97f4a7c15U + (x >> 29U); }
    void operator()(std::span<word> s) const {
        for (std::size_t i = 0; i < s.size(); ++i) {
            one(s[i], i);
        }
    }
    void operator()(tile<word, 2> t) const {
        for (std::size_t i = 0; i < t.extent(0); ++i) {
            (*this)(std::span(&t(i, 0), t.extent(1)));
        }
    }
    void operator()(tile<word, 3> t) const {
        for (std::size_t i = 0; i < t.extent(0); ++i) {
            (*this)(tile<word, 2>(&t(i, 0, 0), {t.extent(1), t.extent(2)}, {t.stride(1)}));
        }
    }
};
struct fold_into {
    template <class From>
    void operator()(From from, std::span<word> to) const {
        word sum = 0;
        if constexpr (requires { from.begin(); }) {
            for (const word x : from) {
                sum = sum * 31 + x;
            }
        } else {
            for (std::size_t i = 0; i < from.extent(0); ++i) {
                for (std::size_t j = 0; j < from.extent(1); ++j) {
                    sum = sum * 31 + from(i, j);
                }
            }
        }
        to[0] = to[0] * 7 + sum;
    }
};

class numbers {
  public:
    explicit numbers(word seed) : state_(seed) {}
    std::size_t operator()(std::size_t bound) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return (state_ >> 33U) % bound;
    }

  private:
    word state_;
};

// Random tasks over one array under many names: blocks, tiles, bricks, columns, a sub-matrix, elements, the whole.
template <class C>
std::vector<word> any_program(typename C::runtime& on, word seed) {
    constexpr std::size_t n = 12;
    std::vector<word> v(n * n);
    std::iota(v.begin(), v.end(), 1U);
    std::vector<word> sums(4);
    on.run([&] {
        numbers next(seed);
        const auto blocks = partition(v, 1 + next(40));
        const auto tiles = partition(v, {n, n}, {1 + next(7), 1 + next(7)});
        const auto columns = partition(v, {n, n}, {n, 1 + next(3)});
        const auto bricks = partition(v, {4, 6, 6}, {1 + next(4), 1 + next(4), 1 + next(6)});
        const auto inner = partition(tile(&v[n + 1], {n - 2, n - 3}, {n}), {1 + next(5), 1 + next(5)});
        const auto results = partition(sums, 1);
        const std::size_t kinds = 1 + next(8); // few kinds: partitions that nothing else touches
        const std::size_t shift = next(8);
        const std::size_t tasks = 10 + next(40);
        const auto any = [&next](const auto& p) { return p(next(p.count(0)), next(p.count(1))); };
        for (std::size_t i = 0; i < tasks; ++i) {
            const stir change{i};
            switch ((next(kinds) + shift) % 8) {
            case 0: C::spawn(change, inout(tiles(next(tiles.count(0)), next(tiles.count(1))))); break;
            case 1: C::spawn(change, inout(any(columns))); break;
            case 2: C::spawn(change, inout(blocks(next(blocks.size())))); break;
            case 3: C::spawn(fold_into{}, in(any(tiles)), inout(results(next(results.size())))); break;
            case 4:
                C::spawn(change, inout(bricks(next(bricks.count(0)), next(bricks.count(1)), next(bricks.count(2)))));
                break;
            case 5: C::spawn(change, inout(any(inner))); break;
            case 6: C::spawn(change, inout(std::span(v).subspan(next(n * n), 1))); break;
            default: C::spawn(fold_into{}, in(std::span(v)), inout(results(next(results.size()))));
            }
            if (next(12) == 0) {
                C::taskwait();
            }
        }
    });
    v.insert(v.end(), sums.begin(), sums.end());
    return v;
}

} // namespace partition_test
