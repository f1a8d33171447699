// SPDX-License-Identifier: Apache-2.0
// again with: -DELISION
#include "construct.hpp"

struct counter {
    void count();
};

// expect: skerry: what stands in place of the function is not callable
// shows: argument_fits<0U?L?, int
void no_function(const int& x) { par::spawn(5, skerry::in(x)); }

// expect: skerry: what stands in place of the function is not callable
void no_function_object(const int& x) { par::spawn(std::string("text"), skerry::in(x)); }

// expect: skerry: what stands in place of the function is not callable
void no_function_with_a_name(const int& x) { par::spawn(skerry::named<"five">(5), skerry::in(x)); }

// expect: skerry: spawn\(f, arguments\.\.\.\): the function comes first, and its accesses after it
void access_before_function(const int& x) {
    par::spawn(skerry::in(x), [](const int&) {});
}

// expect: skerry: the task keeps the function, which cannot be copied into it
void function_that_moves_only(std::unique_ptr<int> p) {
    const auto f = [q = std::move(p)] {};
    par::spawn(f);
}

// expect: skerry: spawn: the function takes more or fewer parameters than there are arguments
// shows: .1 == 2.
void argument_without_parameter(const int& x) {
    par::spawn([](const int&) {}, skerry::in(x), 3);
}

// expect: skerry: spawn: the function takes more or fewer parameters than there are arguments
// shows: .3 == 1.
void parameter_without_argument(const int& x) {
    par::spawn({.name = "two"}, [](const int&, int, int) {}, skerry::in(x));
}

// expect: skerry: spawn: the function cannot be called with these arguments
void unknown_parameters(const int& x) {
    par::spawn([](const auto&, auto) {}, skerry::in(x));
}

// expect: skerry: spawn: the function cannot be called with these arguments
void wrong_object(double& x) { par::spawn(&counter::count, skerry::inout(x)); }
