// SPDX-License-Identifier: Apache-2.0
// again with: -DELISION
#include "construct.hpp"

struct fixed {
    fixed() = default;
    fixed(const fixed&) = delete;
    void operator()() {}
};

// expect: skerry: what stands in place of the function is not callable
// shows: argument_fits<1U?L?, int
void no_function() { static_cast<void>(par::submit(5)); }

// expect: skerry: what stands in place of the function is not callable
void no_function_object() { static_cast<void>(par::submit(std::string("text"))); }

// expect: skerry: the function cannot be called without arguments, as this construct calls it
void parameter() {
    static_cast<void>(par::submit([](int) {}));
}

// expect: skerry: this construct takes one function and nothing else
void argument() {
    static_cast<void>(par::submit([](int) {}, 3));
}

// expect: skerry: this construct takes one function and nothing else
void nothing() { static_cast<void>(par::submit()); }

// expect: skerry: in\(x\), out\(x\) and inout\(x\) are for spawn and taskwait_on alone
// shows: argument_fits<2U?L?
void access(int& x) {
    static_cast<void>(par::submit([](int&) {}, skerry::inout(x)));
}

// expect: skerry: in\(x\), out\(x\) and inout\(x\) are for spawn and taskwait_on alone
// shows: argument_fits<1U?L?
void access_alone(const int& x) { static_cast<void>(par::submit(skerry::in(x))); }

// expect: skerry: the task keeps the function, which cannot be copied into it
void moves_only(std::unique_ptr<int> p) {
    const auto f = [q = std::move(p)] {};
    static_cast<void>(par::submit(f));
}

// expect: skerry: the task keeps the function, which cannot be copied into it
void neither_copied_nor_moved(fixed& f) { static_cast<void>(par::submit(f)); }
