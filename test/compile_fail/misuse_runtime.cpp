// SPDX-License-Identifier: Apache-2.0
// again with: -DELISION
#include "construct.hpp"

// expect: skerry: what stands in place of the function is not callable
// shows: argument_fits<1U?L?, int
void no_function(par::runtime& r) { r.run(5); }

// expect: skerry: what stands in place of the function is not callable
void no_function_object(par::runtime& r) { r.run(std::string("text")); }

// expect: skerry: the function cannot be called without arguments, as this construct calls it
void parameter(par::runtime& r) {
    r.run([](int) {});
}

// expect: skerry: this construct takes one function and nothing else
void argument(par::runtime& r) {
    r.run([](int) {}, 3);
}

// expect: skerry: this construct takes one function and nothing else
void nothing(par::runtime& r) { r.run(); }

// expect: skerry: in\(x\), out\(x\) and inout\(x\) are for spawn and taskwait_on alone
// shows: argument_fits<2U?L?
void access(par::runtime& r, int& x) {
    r.run([](int&) {}, skerry::inout(x));
}

// expect: skerry: in\(x\), out\(x\) and inout\(x\) are for spawn and taskwait_on alone
// shows: argument_fits<1U?L?
void access_alone(par::runtime& r, const int& x) { r.run(skerry::in(x)); }
