// SPDX-License-Identifier: Apache-2.0
#include "cilk5/leaves.hpp"
#include "support/vector_clones.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace apps::leaves {

namespace {

constexpr std::size_t lanes = 8;
constexpr std::size_t run = 8;

// The 19 compare-exchanges that sort eight keys (Knuth, vol. 3, 5.3.4).
constexpr std::array<unsigned char, 38> network{0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 1, 2, 5,
                                                6, 0, 4, 3, 7, 1, 5, 2, 6, 1, 4, 3, 6, 2, 4, 3, 5, 3, 4};

// Sorts each column of an 8 x 8 square, one column per vector lane, and stores the columns one after the other.
APPS_VECTOR_CLONES void sort_runs_of_eight(key* data) {
    std::array<std::array<key, lanes>, run> rows;
    for (std::size_t i = 0; i < run; ++i) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            rows[i][lane] = data[i * lanes + lane];
        }
    }
    for (std::size_t i = 0; i < network.size(); i += 2) {
        auto& upper = rows[network[i]];
        auto& lower = rows[network[i + 1]];
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const key x = upper[lane];
            const key y = lower[lane];
            upper[lane] = std::min(x, y);
            lower[lane] = std::max(x, y);
        }
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        for (std::size_t i = 0; i < run; ++i) {
            data[lane * run + i] = rows[i][lane];
        }
    }
}

void insertion_sort(key* data, std::size_t size) {
    for (std::size_t i = 1; i < size; ++i) {
        const key moving = data[i];
        std::size_t hole = i;
        for (; hole > 0 && moving < data[hole - 1]; --hole) {
            data[hole] = data[hole - 1];
        }
        data[hole] = moving;
    }
}

} // namespace

void merge(const key* a, std::size_t a_size, const key* b, std::size_t b_size, key* out) {
    const key* a_end = a + a_size;
    const key* b_end = b + b_size;
    key* out_end = out + (a_size + b_size);

    // From both ends at once: two chains of dependent loads instead of one. The loop tests nothing: two runs of n keys
    // give n keys to either end before one can be used up, and n to each is all there are; with unlike runs, half the
    // shorter one is as far as both ends can go without meeting.
    constexpr std::size_t worthwhile = 4;
    for (;;) {
        const auto a_left = static_cast<std::size_t>(a_end - a);
        const auto b_left = static_cast<std::size_t>(b_end - b);
        const std::size_t steps = a_left == b_left ? a_left : std::min(a_left, b_left) / 2;
        if (steps < worthwhile) {
            break;
        }
        // Of `step` keys taken from one end, so many came from a and the rest from b: one number per end to carry on.
        std::ptrdiff_t front = 0;
        std::ptrdiff_t back = 0;
        const auto last = static_cast<std::ptrdiff_t>(steps);
        for (std::ptrdiff_t step = 0; step < last; ++step) {
            const key front_a = a[front];
            const key front_b = b[step - front];
            out[step] = std::min(front_a, front_b);
            front += static_cast<std::ptrdiff_t>(front_a <= front_b);

            const key back_a = a_end[-1 - back];
            const key back_b = b_end[back - step - 1];
            out_end[-1 - step] = std::max(back_a, back_b);
            back += static_cast<std::ptrdiff_t>(back_a > back_b);
        }
        a += front;
        b += last - front;
        out += last;
        a_end -= back;
        b_end -= last - back;
        out_end -= last;
    }
    while (a != a_end && b != b_end) {
        const bool take_b = *b < *a;
        *out++ = take_b ? *b : *a;
        a += static_cast<std::ptrdiff_t>(!take_b);
        b += static_cast<std::ptrdiff_t>(take_b);
    }
    out = std::copy(a, a_end, out);
    std::copy(b, b_end, out);
}

void sort(key* data, key* scratch, std::size_t size) {
    std::size_t sorted = 0;
    for (; sorted + run * lanes <= size; sorted += run * lanes) {
        sort_runs_of_eight(data + sorted);
    }
    for (; sorted < size; sorted += run) {
        insertion_sort(data + sorted, std::min(run, size - sorted));
    }

    key* from = data;
    key* to = scratch;
    for (std::size_t width = run; width < size; width *= 2) {
        for (std::size_t begin = 0; begin < size; begin += 2 * width) {
            const std::size_t middle = std::min(begin + width, size);
            const std::size_t end = std::min(begin + 2 * width, size);
            merge(from + begin, middle - begin, from + middle, end - middle, to + begin);
        }
        std::swap(from, to);
    }
    if (from != data) {
        std::copy(from, from + size, data);
    }
}

} // namespace apps::leaves
