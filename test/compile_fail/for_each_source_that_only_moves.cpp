// SPDX-License-Identifier: Apache-2.0
// expect: no form of this algorithm takes these arguments
#include <skerry/algorithm.hpp>

#include <memory>
#include <optional>

void f() {
    skerry::parallel_for_each([p = std::make_unique<int>()]() mutable { return p.get(); }, [](int) {});
}
