// SPDX-License-Identifier: Apache-2.0
#include <skerry/forkjoin.hpp>

int main() {
    const auto [left, right] = skerry::parallel_invoke([] { return 1; }, [] { return 2; });
    return left + right == 3 ? 0 : 1;
}
