// SPDX-License-Identifier: Apache-2.0
#pragma once

// How long a stress test runs, and from which seed.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace skerry_test {

// SKERRY_STRESS_SECONDS from now on, or a share of them; 1 without.
class until {
  public:
    explicit until(double share = 1) {
        const char* const text = std::getenv("SKERRY_STRESS_SECONDS");
        end_ += std::chrono::duration_cast<clock::duration>(
            std::chrono::duration<double>(share * (text != nullptr ? std::atof(text) : 1.0)));
    }
    bool over() const { return clock::now() >= end_; }

  private:
    using clock = std::chrono::steady_clock;
    clock::time_point end_ = clock::now();
};

// SKERRY_STRESS_SEED, else a new one; printed.
inline std::uint64_t first_seed() {
    const char* const text = std::getenv("SKERRY_STRESS_SEED");
    const std::uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 10) : std::random_device{}();
    testing::Test::RecordProperty("seed", std::to_string(seed));
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout); // a test that is stopped from outside has said where it began
    return seed;
}

} // namespace skerry_test
