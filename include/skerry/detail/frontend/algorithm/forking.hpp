// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/frontend/algorithm/as_named.hpp>
#include <skerry/detail/frontend/algorithm/kept_memory.hpp>
#include <skerry/detail/frontend/algorithm/leaf_chain.hpp>
#include <skerry/detail/frontend/algorithm/leaf_row.hpp>
#include <skerry/detail/frontend/algorithm/minimum.hpp>
#include <skerry/detail/frontend/algorithm/pieces.hpp>
#include <skerry/detail/frontend/algorithm/search_part.hpp>
#include <skerry/detail/frontend/forkjoin/fork.hpp>
#include <skerry/detail/frontend/forkjoin/part.hpp>
#include <skerry/detail/sched/named_section.hpp>
#include <skerry/detail/sched/stopping.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

class folded; // fold.hpp

// What a loop and a reduction without a grain, and a fork of large branches, are, compiled into the library.
SKERRY_EXPORT void run_automatically(const run_call& run, std::uint64_t count);
SKERRY_EXPORT void fold_automatically(folded& sum, std::uint64_t count);
SKERRY_EXPORT void run_both(const function_ref<>& f, const function_ref<>& g);

// The executor of namespace skerry: the workers of the runtime this thread is in, or of the default one.
struct forking {
    static constexpr bool parallel = true;
    using memory = kept_memory;
    using minimum = shared_minimum<machine>;
    using search_part = detail::search_part;

    template <class F, class G>
    static void fork_both(F&& f, G&& g) {
        run_both(function_ref<>(f), function_ref<>(g));
    }
    template <class F, class G>
    [[gnu::__always_inline__]] static auto fork_values(F&& f, G&& g) {
        return detail::fork_values(static_cast<F&&>(f), static_cast<G&&>(g));
    }

    template <class Leaf>
    static void run_leaves(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        run_in_rows(function_ref<std::uint64_t>(leaf), first, last);
    }
    template <class Leaf>
    static void run_small_leaves(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        run_in_rows(__builtin_addressof(leaf), leaf_code_of<Leaf>, first, last);
    }
    static void run_automatically(const run_call& run, std::uint64_t count) { detail::run_automatically(run, count); }

    static void fold_automatically(folded& sum, std::uint64_t count) { detail::fold_automatically(sum, count); }

    static constexpr bool folds_anyhow = true;
    template <class T, class Op, class Leaf>
    static T fold_anyhow(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        return leaf_chain<T, Op, Leaf>::fold(leaf, first, last);
    }
    template <class T, class Op, class Leaf>
    [[gnu::__always_inline__]] static T fold_anyhow_here(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        if constexpr (splits_leaves_off) { // GCC gains by it what Clang loses to registers that it saves
            return leaf_chain<T, Op, Leaf>::fold_here(leaf, first, last);
        } else {
            return leaf_chain<T, Op, Leaf>::fold(leaf, first, last);
        }
    }

    // Goes on in `source` itself. In source_chain.hpp: a loop needs none of it.
    template <class T, class Source, class Fold>
    static T fold_source(T sum, Source&& source, const Fold& how);

    static void check_stop() { throw_if_stopping(); }
    static bool demand() noexcept { return detail::demand(); }
    static unsigned concurrency() noexcept { return detail::concurrency(); }
};

// The same, whose forks show a name where thieves run them. A loop is compiled for it where it is called.
template <class Named>
struct forking_as : forking {
    template <class F, class G>
    static void fork_both(F&& f, G&& g) {
        detail::fork_both(as_part_of<Named>(static_cast<F&&>(f)), as_part_of<Named>(static_cast<G&&>(g)));
    }
    template <class F, class G>
    [[gnu::__always_inline__]] static auto fork_values(F&& f, G&& g) {
        return forking::fork_values(as_part_of<Named>(static_cast<F&&>(f)), as_part_of<Named>(static_cast<G&&>(g)));
    }

    template <class Leaf>
    static void run_leaves(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        run_small_leaves(function_ref<std::uint64_t>(leaf), first, last);
    }
    template <class Leaf>
    static void run_small_leaves(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        const leaf_of<Named, Leaf> shown{leaf};
        forking::run_small_leaves(shown, first, last);
    }
    static void run_automatically(const run_call& run, std::uint64_t count) { run_cut<forking_as>(run, count); }
    static void fold_automatically(folded& sum, std::uint64_t count) { fold_cut<forking_as>(sum, count); }

    template <class T, class Op, class Leaf>
    static T fold_anyhow(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        const leaf_of<Named, Leaf> shown{leaf};
        return forking::fold_anyhow<T, Op>(shown, first, last);
    }
    template <class T, class Op, class Leaf>
    [[gnu::__always_inline__]] static T fold_anyhow_here(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        return fold_anyhow<T, Op>(leaf, first, last);
    }

    template <class T, class Source, class Fold>
    static T fold_source(T sum, Source&& source, const Fold& how) {
        const fold_of<Named, Fold> shown{how};
        return forking::fold_source<T>(std::move(sum), static_cast<Source&&>(source), shown);
    }
};
template <class Named>
    requires(!std::is_void_v<Named>)
struct executor_as<forking, Named> {
    using type = forking_as<Named>;
    struct call : named_section {
        call() noexcept : named_section(body_name<Named>) {}
    };
};

} // namespace skerry::inline SKERRY_ABI::detail
