// SPDX-License-Identifier: Apache-2.0
// again with: -DELISION
#include "construct.hpp"

// expect: skerry: parallel_invoke takes one branch or more, each callable without arguments
// shows: is_invocable_v<int ?&>
void no_function() {
    par::parallel_invoke([] {}, 5);
}

// expect: skerry: parallel_invoke takes one branch or more, each callable without arguments
void parameter() {
    par::parallel_invoke([] {}, [](int) {}, [] {});
}

// expect: skerry: parallel_invoke takes one branch or more, each callable without arguments
void access(int& x) {
    par::parallel_invoke([](int&) {}, skerry::inout(x));
}

// expect: skerry: parallel_invoke takes one branch or more, each callable without arguments
void nothing() { par::parallel_invoke(); }
