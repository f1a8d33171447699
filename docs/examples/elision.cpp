// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <numeric>
#include <vector>

// [elision]
#include <skerry/serial.hpp>
#include <skerry/skerry.hpp>

template <class T>
struct parallel_form {
    static T sum_of_squares(const std::vector<T>& v) {
        namespace par = skerry;
        return par::parallel_transform_reduce(v, T{}, std::plus<>(), [](T x) { return x * x; }, par::grain::fixed(16));
    }
};

template <class T>
struct serial_form {
    static T sum_of_squares(const std::vector<T>& v) {
        namespace par = skerry::serial; // the only line that differs
        return par::parallel_transform_reduce(v, T{}, std::plus<>(), [](T x) { return x * x; }, par::grain::fixed(16));
    }
};
// [/elision]

int main() {
    std::vector<double> v(1000);
    std::iota(v.begin(), v.end(), 0.1);
    return parallel_form<double>::sum_of_squares(v) == serial_form<double>::sum_of_squares(v) ? 0
                                                                                              : 1; // to the last bit
}
