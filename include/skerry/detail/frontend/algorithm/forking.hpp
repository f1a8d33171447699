// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/frontend/algorithm/kept_memory.hpp>
#include <skerry/detail/frontend/algorithm/leaf_chain.hpp>
#include <skerry/detail/frontend/algorithm/leaf_row.hpp>
#include <skerry/detail/frontend/algorithm/minimum.hpp>
#include <skerry/detail/frontend/forkjoin/fork.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The executor of namespace skerry: the workers of the runtime this thread is in, or of the default one.
struct forking {
    static constexpr bool parallel = true;
    using memory = kept_memory;
    using minimum = shared_minimum<machine>;

    template <class F, class G>
    static void fork(F&& f, G&& g) {
        detail::fork(static_cast<F&&>(f), static_cast<G&&>(g));
    }
    template <class F, class G>
    [[gnu::always_inline]] static auto fork_values(F&& f, G&& g) {
        return detail::fork_values(static_cast<F&&>(f), static_cast<G&&>(g));
    }

    template <class Leaf>
    static void run_leaves(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        run_in_rows(leaf, first, last);
    }

    static constexpr bool folds_anyhow = true;
    template <class T, class Op, class Leaf>
    static T fold_anyhow(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        return leaf_chain<T, Op, Leaf>::fold(leaf, first, last);
    }
    template <class T, class Op, class Leaf>
    [[gnu::always_inline]] static T fold_anyhow_here(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        if constexpr (splits_leaves_off) { // GCC gains by it what Clang loses to registers that it saves
            return leaf_chain<T, Op, Leaf>::fold_here(leaf, first, last);
        } else {
            return leaf_chain<T, Op, Leaf>::fold(leaf, first, last);
        }
    }

    // Goes on in `source` itself. In source_chain.hpp: a loop needs none of it.
    template <class T, class Source, class Fold>
    static T fold_source(T sum, Source&& source, const Fold& how);

    static bool demand() noexcept { return detail::demand(); }
    static unsigned concurrency() noexcept { return detail::concurrency(); }
};

} // namespace skerry::inline SKERRY_ABI::detail
