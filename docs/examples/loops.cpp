// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <vector>

#include <skerry/forkjoin.hpp>

namespace {

bool indices() {
    // [vvadd]
    std::vector<float> a(1000, 1.0F), b(1000, 2.0F), c(1000);
    skerry::parallel_for(0, a.size(), [&](std::size_t i) { c[i] = a[i] + b[i]; });
    // [/vvadd]
    return c[999] == 3.0F;
}

bool ranges() {
    std::vector<int> numbers{1, 2, 3};
    // [range]
    skerry::parallel_for(numbers, [](int& x) { x *= 10; });
    // [/range]
    return numbers == std::vector<int>{10, 20, 30};
}

bool boxes() {
    const int rows = 40;
    const std::size_t columns = 60;
    std::vector<double> image(static_cast<std::size_t>(rows) * columns);
    // [box]
    skerry::parallel_for(skerry::box<2>{{0, 0}, {rows, columns}}, [&](std::ptrdiff_t i, std::ptrdiff_t j) {
        image[static_cast<std::size_t>(i) * columns + static_cast<std::size_t>(j)] = static_cast<double>(i * j);
    });
    // [/box]
    // [chunked]
    skerry::parallel_for(
        skerry::box<1>{{0}, {rows}}, [&](std::ptrdiff_t i) { image[static_cast<std::size_t>(i) * columns] += 1; },
        skerry::grain::fixed(8), skerry::schedule::chunked);
    // [/chunked]
    return image[2 * columns + 3] == 6 && image[5 * columns] == 1;
}

} // namespace

int main() { return indices() && ranges() && boxes() ? 0 : 1; }
