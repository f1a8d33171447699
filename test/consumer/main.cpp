// SPDX-License-Identifier: Apache-2.0
// A program of someone who uses Skerry: enough of the API to need the library and not only the headers.
#include <cstdio>
#include <numeric>
#include <vector>

#include <skerry/skerry.hpp>

int main() {
    std::vector<long> squares(10'000);
    skerry::parallel_for(std::size_t{0}, squares.size(), [&](std::size_t i) { squares[i] = static_cast<long>(i * i); });
    long low = 0;
    long high = 0;
    const auto middle = squares.begin() + 5'000;
    skerry::parallel_invoke([&] { low = std::accumulate(squares.begin(), middle, 0L); },
                            [&] { high = std::accumulate(middle, squares.end(), 0L); });
    const long expected = 9'999L * 10'000L * 19'999L / 6;
    if (low + high != expected) {
        std::printf("the sum is %ld, not %ld\n", low + high, expected);
        return 1;
    }
    std::printf("the sum of %zu squares is %ld\n", squares.size(), expected);
    return 0;
}
