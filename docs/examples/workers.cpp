// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <skerry/skerry.hpp>

namespace {

bool scratch() {
    std::vector<int> sizes(1000, 3);
    std::atomic<long> total = 0;
    // [factory]
    skerry::worker_local<std::vector<int>> buffers([] { return std::vector<int>(64); }); // made at first use
    skerry::parallel_for(sizes, [&](int n) {
        std::vector<int>& buffer = buffers.local();
        buffer.assign(static_cast<std::size_t>(n), 1);
        total += static_cast<long>(buffer.size());
    });
    // [/factory]
    return total == 3000;
}

bool pauses() {
    std::atomic<int> done = 0;
    // [blocking]
    skerry::finish([&](skerry::scope& s) {
        for (int i = 0; i < 100; ++i) {
            s.async([&] {
                skerry::blocking([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
                ++done;
            });
        }
    });
    // [/blocking]
    return done == 100;
}

bool races() {
    std::vector<int> parents(1000, -1);
    std::atomic<int> visits = 0;
    // [stale]
    skerry::parallel_for(0, 8000, [&](int i) {
        int& parent = parents[static_cast<std::size_t>(i % 1000)];
        if (skerry::may_be_stale(parent) != -1) return; // cheap, and may be out of date
        int nobody = -1;
        if (std::atomic_ref(parent).compare_exchange_strong(nobody, i)) ++visits; // decides
    });
    // [/stale]
    return visits == 1000;
}

bool names() {
    int left = 0, right = 0;
    // [named]
    skerry::parallel_invoke(skerry::named<"left">([&] { left = 1; }), skerry::named<"right">([&] { right = 2; }));
    // [/named]
    return left == 1 && right == 2;
}

bool counts() {
    std::vector<double> v(100000, 1.0);
    // [statistics]
    const skerry::statistics before = skerry::current_statistics();
    const double sum = skerry::parallel_reduce(v);
    const skerry::statistics after = skerry::current_statistics();
    std::printf("%llu tasks were stolen or handed over, %llu requests were refused\n",
                static_cast<unsigned long long>(after.tasks - before.tasks),
                static_cast<unsigned long long>(after.steals_refused - before.steals_refused));
    // [/statistics]
    return sum == 100000;
}

bool interest() {
    // [interest]
    std::vector<double> v(100000, 0.5); // built outside: no cache, no cycle
    const double sum = skerry::region_of_interest([&] { return skerry::parallel_reduce(v); });
    // [/interest]
    return sum == 50000;
}

bool grains() {
    std::vector<float> v(100000, 2.0F);
    // [grain]
    skerry::parallel_for(v, [](float& x) { x *= 2; });                             // cut by itself
    skerry::parallel_for(v, [](float& x) { x += 1; }, skerry::grain::fixed(4096)); // 25 pieces of 100,000, always
    // [/grain]
    return v.front() == 5;
}

bool reused() {
    std::vector<std::string> lines(1000, "a line");
    // [reserve]
    std::vector<std::size_t> lengths(lines.size()); // before the loop: growing inside would be a race
    skerry::parallel_transform(lines, lengths.begin(), [](const std::string& line) { return line.size(); });
    // [/reserve]
    return lengths.back() == 6;
}

} // namespace

int main() {
    return scratch() && pauses() && races() && names() && counts() && grains() && interest() && reused() ? 0 : 1;
}
