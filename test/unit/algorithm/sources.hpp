// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace algorithm_test {

// A source of 0, 1 ... n - 1.
inline auto below(std::size_t n) {
    return [i = std::size_t{0}, n]() mutable { return i != n ? std::optional(i++) : std::nullopt; };
}

} // namespace algorithm_test
