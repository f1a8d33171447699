// SPDX-License-Identifier: Apache-2.0
// expect: the elements must convert to init's type
#include <skerry/algorithm.hpp>

#include <optional>
#include <string>

std::string f() {
    return skerry::parallel_reduce([]() -> std::optional<int*> { return {}; }, std::string());
}
