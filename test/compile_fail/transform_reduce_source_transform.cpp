// SPDX-License-Identifier: Apache-2.0
// expect: transform must be callable with an element and its result must convert to init's type
#include <skerry/algorithm.hpp>

#include <functional>
#include <optional>

int f() {
    return skerry::parallel_transform_reduce([]() -> std::optional<int> { return {}; }, 0, std::plus<>(),
                                             [](int*) { return 1; });
}
