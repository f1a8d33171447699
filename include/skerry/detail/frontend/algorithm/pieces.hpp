// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a run of `count` iterations becomes tasks.
//
// The run is cut into leaves of equal length; the leaves lie in rows, and the rows hang on a binary tree of forks
// (leaf_row.hpp). Whether a grain was given is known when a loop is compiled: without one, all that follows is compiled
// once for all bodies, which are called through an address for a block of iterations at a time. For a fixed grain a
// leaf is `grain` iterations, whoever runs it. For the automatic grain there are about `leaves_per_worker` leaves for
// each worker. Cutting eagerly that far keeps an idle worker supplied even while every busy one is inside a long
// iteration; purely lazy splitting (Tzannes et al., "Lazy binary-splitting", PPoPP 2010) leaves it waiting for the end
// of that iteration. Inside a leaf the lazy scheme takes over: between blocks of iterations the worker looks whether
// someone asks for work, and if so, gives half of what is left of the leaf to a fork.

#include <skerry/detail/frontend/algorithm/function_ref.hpp>
#include <skerry/detail/frontend/algorithm/in_place.hpp>
#include <skerry/detail/frontend/algorithm/pace.hpp>
#include <skerry/range.hpp>

#include <concepts>
#include <cstdint>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr std::uint64_t leaves_per_worker = 16;
// A leaf looks for demand this many times, but never more often than every `shortest_block` iterations or, once their
// length is known, every microsecond (pace.hpp): the look costs as much as a cheap iteration and keeps the compiler
// from vectorising across it.
inline constexpr std::uint64_t blocks_per_leaf = 16;
inline constexpr std::uint64_t shortest_block = 4;

// In the place of a grain where none was given.
struct no_grain {};
template <class G>
concept grain_or_none = std::same_as<G, grain> || std::same_as<G, no_grain>;

// Equal leaves of a run; the last may be shorter.
struct leaves {
    std::uint64_t count;  // iterations in the run, at least one
    std::uint64_t length; // iterations in a leaf, at least one

    [[nodiscard]] constexpr std::uint64_t number() const noexcept { return (count - 1) / length + 1; }
    [[nodiscard]] constexpr std::uint64_t first(std::uint64_t leaf) const noexcept { return leaf * length; }
    [[nodiscard]] constexpr std::uint64_t last(std::uint64_t leaf) const noexcept {
        const std::uint64_t from = leaf * length;
        return count - from > length ? from + length : count;
    }
};

// The leaves of `count` >= 1 iterations.
template <class Executor>
leaves cut(std::uint64_t count, grain g) noexcept {
    if (!g.is_automatic()) return {count, g.iterations()};
    const std::uint64_t workers = Executor::concurrency();
    if (workers <= 1) return {count, count};
    return {count, (count - 1) / (workers * leaves_per_worker) + 1};
}

// How many iterations the elision runs between two looks: the grain, or, without one, as many as before in all, as long
// as those are few. It has no clock.
class growing_pace {
  public:
    explicit growing_pace(grain g = grain::automatic()) noexcept
        : block_{g.is_automatic() ? 1 : g.iterations()},
          longest_{g.is_automatic() ? 1024 : block_} {}

    [[nodiscard]] std::uint64_t block() const noexcept { return block_; }
    // A block has been run.
    void next() noexcept {
        if (block_ < longest_) block_ *= 2;
    }

  private:
    std::uint64_t block_;
    const std::uint64_t longest_;
};

// Of a leaf of `count` iterations without a grain.
template <class Executor>
auto pace_of_leaf(loop_pace& loop, std::uint64_t count) noexcept {
    if constexpr (Executor::parallel) {
        return leaf_pace(loop, count, blocks_per_leaf, shortest_block);
    } else {
        return growing_pace();
    }
}

// Runs run(from, to) over consecutive blocks that make up [first, last), with a look before each whether the algorithm
// was called off.
template <class Executor, class Pace, class Run>
void run_in_blocks(Pace&& pace, const Run& run, std::uint64_t first, std::uint64_t last) {
    for (; last - first > pace.block(); pace.next()) {
        check_stop<Executor>();
        const std::uint64_t from = first;
        first += pace.block();
        run(from, first);
    }
    check_stop<Executor>();
    run(first, last);
}

// Iterations [from, to) of a loop.
using run_call = function_ref<std::uint64_t, std::uint64_t>;

// Runs run(from, to) over consecutive blocks that make up [first, last), and forks off half of the rest whenever
// another worker asks for work.
template <class Executor>
void run_lazily(loop_pace& loop, const run_call& run, std::uint64_t first, std::uint64_t last) {
    for (auto pace = pace_of_leaf<Executor>(loop, last - first); last - first > pace.block();) {
        run(first, first + pace.block());
        first += pace.block();
        pace.next();
        check_stop<Executor>();
        if (Executor::demand() && last - first > 1) {
            const std::uint64_t middle = first + (last - first) / 2;
            Executor::fork_both([&loop, &run, first, middle] { run_lazily<Executor>(loop, run, first, middle); },
                                [&loop, &run, middle, last] { run_lazily<Executor>(loop, run, middle, last); });
            return;
        }
    }
    run(first, last);
}

// Runs run(from, to) over pieces of the automatic grain that make up [0, count), count >= 1, perhaps at the same time.
template <class Executor>
void run_cut(const run_call& run, std::uint64_t count) {
    const leaves cuts = cut<Executor>(count, grain::automatic());
    loop_pace pace;
    const auto leaf = [&run, &pace, cuts](std::uint64_t k) {
        run_lazily<Executor>(pace, run, cuts.first(k), cuts.last(k));
    };
    Executor::run_leaves(leaf, 0, cuts.number());
}

// The same for any grain; run(k) is run(k, k + 1).
template <class Executor, class Run, grain_or_none Grain>
void run_pieces(const Run& run, std::uint64_t count, Grain g) {
    if (count == 0) return;
    if constexpr (!Executor::parallel) {
        if constexpr (std::same_as<Grain, grain>) {
            run_in_blocks<Executor>(growing_pace(g), run, 0, count);
        } else {
            run_in_blocks<Executor>(growing_pace(), run, 0, count);
        }
    } else {
        if constexpr (std::same_as<Grain, grain>) {
            const leaves cuts{count, g.iterations()};
            if (cuts.length == 1) return Executor::run_small_leaves(run, 0, count);
            if (!g.is_automatic()) {
                const auto leaf = [&run, cuts](std::uint64_t k) { run(cuts.first(k), cuts.last(k)); };
                return Executor::run_leaves(leaf, 0, cuts.number());
            }
        }
        Executor::run_automatically(run_call(run), count);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
