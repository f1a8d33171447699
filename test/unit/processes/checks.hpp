// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the programs of several processes say when something is not so, and how they make sure of what runs where.

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

#include <skerry/skerry.hpp>

#define CHECK(condition)                                                                                               \
    ((condition) ? void() : throw std::logic_error(std::to_string(__LINE__) + ": not so: " #condition))

namespace skerry_test {

// So many tasks have been taken by other processes, as they said when they last returned one.
inline std::uint64_t taken(const skerry::runtime& r) {
    std::uint64_t n = 0;
    for (const auto& e : r.executors()) {
        n += e.name.starts_with("process") ? e.stolen : 0;
    }
    return n;
}

// Keeps the calling worker until the condition holds. A minute without it is an error.
template <class Condition>
void hold_until(Condition&& c) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!c()) {
        CHECK(std::chrono::steady_clock::now() < deadline);
        std::this_thread::yield();
    }
}

// Keeps the only worker of the first process until the others have taken n tasks, so that those surely ran there.
inline void hold_until_taken(const skerry::runtime& r, std::uint64_t n) {
    CHECK(r.workers() == 1);
    hold_until([&] { return taken(r) >= n; });
    CHECK(taken(r) == n);
}

} // namespace skerry_test
