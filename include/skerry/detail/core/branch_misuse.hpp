// SPDX-License-Identifier: Apache-2.0
#pragma once

// What parallel_invoke() says to arguments of which one is no branch. How: see misuse.hpp, which is more than a file
// that forks once shall have to compile.

#include <type_traits>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class... F>
auto explain_branches() {
    static_assert(sizeof...(F) != 0 && (std::is_invocable_v<std::remove_reference_t<F>&> && ...),
                  "skerry: parallel_invoke takes one branch or more, each callable without arguments: let a branch "
                  "capture what it uses");
}

} // namespace skerry::inline SKERRY_ABI::detail
