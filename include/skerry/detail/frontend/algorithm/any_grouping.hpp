// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operations that give the same bits however their operands are grouped.

#include <concepts>
#include <functional>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class Op, class T, template <class> class... Function>
inline constexpr bool is_one_of = ((std::same_as<Op, Function<void>> || std::same_as<Op, Function<T>>) || ...);

// Whether Op on T is one: arithmetic modulo a power of two, and bits.
template <class Op, class T>
inline constexpr bool any_grouping =
    std::integral<T> && !std::same_as<T, bool> &&
    is_one_of<Op, T, std::plus, std::multiplies, std::bit_and, std::bit_or, std::bit_xor>;

// Such an operation, with the operand that changes nothing.
template <class Op, class T>
    requires any_grouping<Op, T>
struct grouped_anyhow {
    static constexpr T neutral = is_one_of<Op, T, std::multiplies> ? T(1)
                                 : is_one_of<Op, T, std::bit_and>  ? T(~T{})
                                                                   : T{};
    static constexpr T join(T left, T right) { return T(Op{}(left, right)); }
};

} // namespace skerry::inline SKERRY_ABI::detail
