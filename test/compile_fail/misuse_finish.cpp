// SPDX-License-Identifier: Apache-2.0
// again with: -DELISION
#include "construct.hpp"

// expect: skerry: what stands in place of the function is not callable
void no_function() { par::finish(5); }

// expect: skerry: what stands in place of the function is not callable
void no_function_object() { par::finish(std::string("text")); }

// expect: skerry: finish calls the function with its scope, which this one does not take
void without_scope() {
    par::finish([] {});
}

// expect: skerry: finish calls the function with its scope, which this one does not take
void scope_by_value() {
    par::finish([](par::scope) {});
}

// expect: skerry: this construct takes one function and nothing else
void argument() {
    par::finish([](par::scope&, int) {}, 3);
}

// expect: skerry: this construct takes one function and nothing else
void nothing() { par::finish(); }

// expect: skerry: in\(x\), out\(x\) and inout\(x\) are for spawn and taskwait_on alone
void access(int& x) {
    par::finish([](par::scope&, int&) {}, skerry::inout(x));
}

// expect: skerry: in\(x\), out\(x\) and inout\(x\) are for spawn and taskwait_on alone
void access_alone(const int& x) { par::finish(skerry::in(x)); }
