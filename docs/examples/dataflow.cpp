// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <skerry/skerry.hpp>

// [program]
using block = double[1000];

void fill(block& b, double x) {
    for (double& e : b) e = x;
}
void add(const block& from, block& to) {
    for (std::size_t i = 0; i < 1000; ++i) to[i] += from[i];
}

double blocks() {
    block a;
    block b;
    skerry::spawn(fill, skerry::out(a), 1.0);
    skerry::spawn(fill, skerry::out(b), 2.0);            // beside the first
    skerry::spawn(add, skerry::in(a), skerry::inout(b)); // after both
    skerry::taskwait();
    return b[7]; // 3
}
// [/program]

// [containers]
void read_in(std::vector<int>& lines) { // whatever there is
    for (int i = 0; i < 100; ++i) lines.push_back(i);
}
void append(const std::vector<int>& lines, std::string& text) {
    for (const int line : lines) text += std::to_string(line) + ' ';
}

std::size_t containers() {
    std::vector<int> lines; // empty when its tasks are spawned
    std::string text;
    skerry::spawn(read_in, skerry::inout(lines));
    skerry::spawn(append, skerry::in(lines), skerry::inout(text)); // after it, with 100 lines
    skerry::taskwait();
    return text.size(); // 290
}
// [/containers]

// [partition]
void scale(skerry::tile<double, 2> t, double by) { // t(i, j), t.extent(d), t.stride(d), t.data()
    for (std::size_t i = 0; i < t.extent(0); ++i)
        for (std::size_t j = 0; j < t.extent(1); ++j) t(i, j) *= by;
}
double sum(std::span<const double> s) {
    double total = 0;
    for (const double x : s) total += x;
    return total;
}

double parts() {
    std::vector<double> matrix(100 * 70, 1.0);
    const auto tiles = skerry::partition(matrix, {100, 70}, {32, 32}); // 4 x 3; those at the ends are short
    for (std::size_t i = 0; i < tiles.count(0); ++i)
        for (std::size_t j = 0; j < tiles.count(1); ++j) skerry::spawn(scale, skerry::inout(tiles(i, j)), 2.0);

    const auto rows = skerry::partition(matrix, 70); // the same array in another way
    double last = 0;
    skerry::spawn([](std::span<const double> row, double& to) { to = sum(row); }, skerry::in(rows(99)),
                  skerry::out(last)); // after the three tiles that it crosses
    skerry::taskwait();
    return last; // 140
}
// [/partition]

// [nested]
struct halves {
    int left = 0;
    int right = 0;
};

int nested() {
    halves h;
    skerry::spawn(
        [](halves& x) { // what its children touch lies within what it touches
            skerry::spawn([](int& l) { l = 1; }, skerry::out(x.left));
            skerry::spawn([](int& r) { r = 2; }, skerry::out(x.right));
        },
        skerry::inout(h));
    int sum = 0;
    skerry::spawn([](const halves& x, int& s) { s = x.left + x.right; }, skerry::in(h), skerry::out(sum));
    skerry::taskwait_on(skerry::in(sum)); // the first task has ended, and so have its children
    return sum;
}
// [/nested]

// [errors]
bool errors() {
    int x = 0;
    int y = 0;
    skerry::spawn([](int&) { throw std::runtime_error("no x"); }, skerry::out(x));
    skerry::spawn([](const int& from, int& to) { to = from; }, skerry::in(x), skerry::out(y)); // skipped
    try {
        skerry::taskwait();
    } catch (const std::runtime_error&) {
        return y == 0;
    }
    return false;
}
// [/errors]

int main() {
    const bool right = skerry::runtime().run(
        [] { return blocks() == 3 && containers() == 290 && parts() == 140 && nested() == 3 && errors(); });
    std::printf("%s\n", right ? "as promised" : "wrong");
    return right ? 0 : 1;
}
