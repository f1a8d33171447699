// SPDX-License-Identifier: Apache-2.0
// again with: -DELISION
#include "construct.hpp"

void add(int& x, int y);

// expect: skerry: spawn: in\(x\) gives the function a const reference or view, .* is not const: use inout\(x\)
// shows: argument_fits<2U?L?, double ?&, const double ?&
void in_to_write(double& x) {
    par::spawn([](int, double&) {}, 3, skerry::in(x));
}

// expect: skerry: spawn: in\(x\) gives the function a const reference or view, .* is not const: use inout\(x\)
// shows: argument_fits<1U?L?, int ?&, const int ?&
void in_to_write_by_name(int& x) { par::spawn(skerry::named<"add">(add), skerry::in(x), 3); }

// expect: skerry: spawn: in\(x\) gives the function a const reference or view, .* is not const: use inout\(x\)
// shows: argument_fits<1U?L?, double ?\(&\)
void in_to_write_an_array(double (&x)[3]) {
    par::spawn([](double(&)[3]) {}, skerry::in(x));
}

// expect: skerry: spawn: in\(x\) gives the function a const reference or view, .* is not const: use inout\(x\)
// shows: argument_fits<1U?L?, std::span<int
void in_to_write_elements(std::span<int> x) {
    par::spawn([](std::span<int>) {}, skerry::in(x));
}

// expect: skerry: spawn: in\(x\) gives the function a const reference or view, .* is not const: use inout\(x\)
// shows: tile<const int, 2>
void in_to_write_a_tile(skerry::tile<int, 2> x) {
    par::spawn([](skerry::tile<int, 2>) {}, skerry::in(x));
}

// expect: skerry: spawn: in\(x\) gives the function a const reference or view, .* is not const: use inout\(x\)
// shows: region ?&
void in_to_write_a_region(skerry::region x) {
    par::spawn([](skerry::region&) {}, skerry::in(x));
}

// expect: skerry: spawn: the function gets this argument as a const copy, but its parameter is not const
// shows: argument_fits<1U?L?, int ?&, const int ?&
void value_to_write(int x) {
    par::spawn([](int&) {}, x);
}

// expect: skerry: spawn: the function gets this argument as a const copy, but its parameter is not const
void value_to_move(std::unique_ptr<int> x) {
    par::spawn([](std::unique_ptr<int>) {}, std::move(x));
}

// expect: skerry: spawn: the task keeps this argument, which cannot be copied into it
// shows: argument_fits<2U?L?
void value_that_moves_only(const std::unique_ptr<int>& x) {
    par::spawn([](int, const std::unique_ptr<int>&) {}, 3, x);
}

// expect: skerry: spawn: this argument cannot be converted to the function's parameter
// shows: argument_fits<2U?L?
void value_of_another_type(const int& x) {
    par::spawn([](const int&, std::string) {}, skerry::in(x), 3);
}

// expect: skerry: spawn: this argument cannot be converted to the function's parameter
// shows: argument_fits<1U?L?, double ?&, int ?&
void access_of_another_type(int& x) {
    par::spawn([](double&) {}, skerry::inout(x));
}
