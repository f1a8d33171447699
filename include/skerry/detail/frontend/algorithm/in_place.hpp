// SPDX-License-Identifier: Apache-2.0
#pragma once

// Executors. An algorithm is written once, over an executor type, and compiled for two of them:
//
//   template <class F, class G> static void fork_both(F&& f, G&& g);
//                                                                 both have run when it returns; leftmost exception
//   ... fork_values(F&& f, G&& g);                                the same; returns both results, as first and second
//   template <class Leaf> static void run_leaves(const Leaf& leaf, first, last);
//                                                                 leaf(first) ... leaf(last - 1), last > first
//   ... run_small_leaves(const Leaf& leaf, first, last);           the same for leaves that may be a few instructions
//   static void run_automatically(const run_call& run, count);     as run_cut() in pieces.hpp, count >= 1
//   static void fold_automatically(folded& sum, count);            as fold_cut() in fold.hpp, count >= 1
//                                                                 (these three: not needed if not parallel)
//   static constexpr bool folds_anyhow;                            has these two, better than a tree of forks
//   template <class T, class Op, class Leaf> static T fold_anyhow(const Leaf& leaf, first, last);
//                                                                 the fold of these leaves by Op, a grouped_anyhow,
//                                                                 with the leaves grouped in any way
//   ... fold_anyhow_here(const Leaf& leaf, first, last);           the same, in its caller's code where that is faster
//   template <class T, class Source, class Fold> static T fold_source(T sum, Source&& source, const Fold& how);
//                                                                 sum and what the source gives, by a source_fold;
//                                                                 the source may be another afterwards
//   static bool demand() noexcept;                                 another worker asks for work
//   static unsigned concurrency() noexcept;                        number of workers
//   static constexpr bool parallel;                                false: everything happens in program order
//   static void check_stop();                                      throws skerry::cancelled if what the caller is
//                                                                 part of was called off; may be missing
//   memory                                                        where scratch comes from
//   class minimum;                                                 as shared_minimum; not needed if not parallel
//   class search_part;                                             (const minimum&, first): while it lives, a smaller
//                                                                 minimum is a request to stop; may be missing
//
// in_place is the serial elision. It needs no library: serial.hpp stands alone.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/frontend/algorithm/scratch.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

struct in_place {
    static constexpr bool parallel = false;
    using memory = fresh_memory;

    template <class F, class G>
    static void fork_both(F&& f, G&& g) {
        f();
        g();
    }
    template <class F, class G>
    static auto fork_values(F&& f, G&& g) {
        return std::pair<std::invoke_result_t<F&>, std::invoke_result_t<G&>>{f(), g()}; // braces: in this order
    }

    template <class Leaf>
    static void run_leaves(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        for (; first != last; ++first) {
            leaf(first);
        }
    }

    static constexpr bool folds_anyhow = false;

    template <class T, class Source, class Fold>
    static T fold_source(T sum, Source source, const Fold& how) {
        while (auto found = source()) {
            sum = how.join(std::move(sum), how.leaf(*found));
        }
        return sum;
    }

    static constexpr bool demand() noexcept { return false; }
    static constexpr unsigned concurrency() noexcept { return 1; }
};

// Between two calls of the program's functions that no fork parts.
template <class Executor>
[[gnu::__always_inline__]] inline void check_stop() {
    if constexpr (requires { Executor::check_stop(); }) {
        Executor::check_stop();
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
