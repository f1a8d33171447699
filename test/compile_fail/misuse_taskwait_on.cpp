// SPDX-License-Identifier: Apache-2.0
// again with: -DELISION
#include "construct.hpp"

// expect: skerry: taskwait_on takes accesses: write in\(x\), out\(x\) or inout\(x\)
// shows: argument_fits<2U?L?
void value(const int& x, const double& y) { par::taskwait_on(skerry::in(x), y); }

// expect: skerry: taskwait_on takes accesses: write in\(x\), out\(x\) or inout\(x\)
void nothing() { par::taskwait_on(); }
