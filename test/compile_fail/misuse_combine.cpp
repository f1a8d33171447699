// SPDX-License-Identifier: Apache-2.0
// again with: -DELISION
#include "construct.hpp"

// expect: skerry: worker_local<T>::combine: op must be callable as op\(x, y\) with a T and a const T& and give a T
int one_parameter(const par::worker_local<int>& w) {
    return w.combine([](int x) { return x; });
}

// expect: skerry: worker_local<T>::combine: op must be callable as op\(x, y\) with a T and a const T& and give a T
int other_result(const par::worker_local<int>& w) {
    return w.combine([](int, int) { return std::string(); });
}
