// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <vector>

#include <skerry/skerry.hpp>

namespace {

void left() {}
void right() {}
void work(std::size_t) {}
int produce() { return 5; }

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

    // [future]
    auto f = skerry::submit(produce);
    int value = f.get();
    // [/future]
    return sum == 100 && keys[0] == 1 && value == 5 ? 0 : 1;
}
