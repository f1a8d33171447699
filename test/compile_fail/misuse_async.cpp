// SPDX-License-Identifier: Apache-2.0
// again with: -DELISION
#include "construct.hpp"

// expect: skerry: what stands in place of the function is not callable
// shows: argument_fits<1U?L?, int
void no_function(par::scope& s) { s.async(5); }

// expect: skerry: what stands in place of the function is not callable
void no_function_object(par::scope& s) { s.async(std::string("text")); }

// expect: skerry: the function cannot be called without arguments, as this construct calls it
void parameter(par::scope& s) {
    s.async([](int) {});
}

// expect: skerry: this construct takes one function and nothing else
void argument(par::scope& s) {
    s.async([](int) {}, 3);
}

// expect: skerry: this construct takes one function and nothing else
void nothing(par::scope& s) { s.async(); }

// expect: skerry: in\(x\), out\(x\) and inout\(x\) are for spawn and taskwait_on alone
// shows: argument_fits<2U?L?
void access(par::scope& s, int& x) {
    s.async([](int&) {}, skerry::inout(x));
}

// expect: skerry: in\(x\), out\(x\) and inout\(x\) are for spawn and taskwait_on alone
// shows: argument_fits<1U?L?
void access_alone(par::scope& s, const int& x) { s.async(skerry::in(x)); }

// expect: skerry: the task keeps the function, which cannot be copied into it
void moves_only(par::scope& s, std::unique_ptr<int> p) {
    const auto f = [q = std::move(p)] {};
    s.async(f);
}
