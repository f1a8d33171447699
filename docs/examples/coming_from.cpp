// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <functional>
#include <vector>

#include <skerry/skerry.hpp>

namespace {

void left() {}
void set(int& x, int to) { x = to; }
void add(const int& x, int& y) { y += x; }
void right() {}
void work(std::size_t) {}
void cell(std::ptrdiff_t, std::ptrdiff_t) {}
int produce() { return 5; }

// [fib]
long fib(int n) {
    if (n < 2) return n;
    auto [x, y] = skerry::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return x + y;
}
// [/fib]

} // namespace

int main() {
    const std::size_t n = 100;
    std::vector<double> v(n, 1.0);
    std::vector<unsigned> keys{3, 1, 2};

    // [invoke]
    skerry::parallel_invoke(left, right);
    // [/invoke]

    // [loop]
    skerry::parallel_for(std::size_t{0}, n, work);
    // [/loop]

    // [reduce]
    double sum = skerry::parallel_reduce(v);
    // [/reduce]

    // [group]
    skerry::finish([](skerry::scope& s) {
        s.async(left);
        s.async(right);
    });
    // [/group]

    // [sort]
    skerry::parallel_sort(keys);
    // [/sort]

    // [grain]
    skerry::parallel_for(std::size_t{0}, n, work, skerry::grain::fixed(10));
    // [/grain]

    // [maximum]
    double largest = skerry::parallel_reduce(v, 0.0, [](double a, double b) { return a < b ? b : a; });
    // [/maximum]

    // [transform_reduce]
    double squares = skerry::parallel_transform_reduce(v, 0.0, std::plus<>(), [](double x) { return x * x; });
    // [/transform_reduce]

    // [scan]
    std::vector<double> sums(n);
    skerry::parallel_inclusive_scan(v, sums.begin());
    // [/scan]

    // [local]
    skerry::worker_local<long> counts;
    skerry::parallel_for(std::size_t{0}, n, [&](std::size_t) { ++counts.local(); });
    long count = counts.combine(std::plus<>());
    // [/local]

    // [threads]
    skerry::options o;
    o.workers = 4;
    skerry::runtime four(o);
    four.run([&] { skerry::parallel_for(std::size_t{0}, n, work); });
    // [/threads]

    // [collapse]
    skerry::parallel_for(skerry::box<2>{{0, 0}, {n, n}}, [&](std::ptrdiff_t i, std::ptrdiff_t j) { cell(i, j); });
    // [/collapse]

    // [future]
    auto f = skerry::submit(produce);
    int value = f.get();
    // [/future]

    int x = 0, y = 4;
    // [depend]
    skerry::spawn(set, skerry::out(x), 1);
    skerry::spawn(add, skerry::in(x), skerry::inout(y)); // after the first
    skerry::taskwait();
    // [/depend]
    if (y != 5) return 1;
    if (largest != 1 || squares != 100 || sums.back() != 100 || count != 100 || fib(10) != 55) return 1;
    return sum == 100 && keys[0] == 1 && value == 5 ? 0 : 1;
}
