// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

#include <type_traits>

namespace skerry::inline SKERRY_ABI::detail {

template <class...>
inline constexpr bool never = false;

// An algorithm that answers arguments which fit none of its forms with one message, not with a list of all forms.
template <class Algorithm>
struct explained : Algorithm {
    using Algorithm::operator();

    template <class... A>
        requires(!std::is_invocable_v<const Algorithm&, A...>)
    void operator()(A&&...) const {
        static_assert(
            never<A...>,
            "skerry: no form of this algorithm takes these arguments. It wants two random-access iterators or "
            "a random-access range (parallel_for: also two integers or a box; parallel_for_each and reductions, then "
            "without a grain: also forward ones, or a source), then what std's algorithm of the name wants, then a "
            "grain if it has one");
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
