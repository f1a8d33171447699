// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <stdexcept>
#include <string>
#include <variant>

#include <skerry/forkjoin.hpp>

namespace {

bool values() {
    // [values]
    int counter = 0;
    auto [length, nothing, self] = skerry::parallel_invoke([] { return std::string("skerry").size(); }, // a value
                                                           [] { std::puts("no result"); },     // std::monostate
                                                           [&]() -> int& { return counter; }); // a reference
    self = 7;                                                                                  // changes counter
    // [/values]
    static_cast<void>(nothing);
    return length == 6 && counter == 7;
}

bool errors() {
    // [errors]
    std::string arrived;
    try {
        skerry::parallel_invoke([] { throw std::runtime_error("left"); }, [] { throw std::runtime_error("right"); });
    } catch (const std::runtime_error& e) {
        arrived = e.what(); // always "left": what the serial program would have thrown
    }
    // [/errors]
    return arrived == "left";
}

} // namespace

int main() { return values() && errors() ? 0 : 1; }
