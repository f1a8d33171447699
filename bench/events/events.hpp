// SPDX-License-Identifier: Apache-2.0
// What the peers of an event machine have in common: queues in a ring, and the events that go round in it.
//
// An event is allocated, sent on from queue to queue a number of times, and freed; its successor goes on from there. A
// sample is the cycles of the processor's clock that a hop took in a window, with its share of allocating and freeing.
// A window is shorter than what the system lets another program run for, so on a busy machine some are undisturbed.
#pragma once

#include "harness/harness.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace bench::events {

inline constexpr std::uint32_t queues = 128;
inline constexpr std::uint32_t in_flight = 512;
inline constexpr std::uint32_t pool_events = 2047; // a power of two less one: rte_mempool likes those best
inline constexpr std::size_t most_cores = 2;

/// What this peer can do.
workload measured();

/// The processor's clock, which runs at one speed.
inline std::uint64_t cycles() {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// About 2,000 cycles: so many products, each of the one before.
inline std::uint64_t work(std::uint64_t from) {
    for (int i = 0; i < 750; ++i) {
        from = unknown(from * 6364136223846793005u + 1442695040888963407u);
    }
    return from;
}

/// What lies in an event.
struct life {
    std::uint32_t at = 0; // the queue that it was sent to
    std::uint32_t hops = 0;
};

/// A queue, which one core at a time receives from.
struct alignas(64) place {
    std::uint64_t hops = 0;
    std::uint64_t wrong = 0; // that should have gone elsewhere
};

/// Counts hops, and takes a sample whenever the first core has made as many as a window has.
class meter {
  public:
    /// `each`: a sample is of each core's hops; else of all hops together.
    meter(const settings& how, std::uint64_t window, bool each) : cores_(how.workers), window_(window), each_(each) {
        samples_.reserve(how.repetitions + warm_up);
        repetitions_ = how.repetitions;
    }

    /// By that core.
    void hop(std::size_t core) {
        std::atomic<std::uint64_t>& mine = hops_[core].n;
        const std::uint64_t n = mine.load(std::memory_order_relaxed) + 1;
        mine.store(n, std::memory_order_relaxed);
        if (core == 0 && n % window_ == 0) [[unlikely]] {
            look();
        }
    }
    [[nodiscard]] bool over() const { return over_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t hops() const {
        std::uint64_t all = 0;
        for (const count& c : hops_) {
            all += c.n.load(std::memory_order_relaxed);
        }
        return all;
    }
    /// When it is over.
    [[nodiscard]] std::vector<double> samples() const { return {samples_.begin() + warm_up, samples_.end()}; }

  private:
    static constexpr std::ptrdiff_t warm_up = 4;
    struct alignas(64) count {
        std::atomic<std::uint64_t> n{0};
    };

    void look() {
        const std::uint64_t now = cycles();
        const std::uint64_t all = hops();
        if (then_ != 0 && !over()) {
            const double share = each_ ? cores_ : 1;
            samples_.push_back(static_cast<double>(now - then_) * share / static_cast<double>(all - before_));
            if (samples_.size() == repetitions_ + warm_up) {
                over_.store(true, std::memory_order_relaxed);
            }
        }
        then_ = now;
        before_ = all;
    }

    const unsigned cores_;
    const std::uint64_t window_;
    const bool each_;
    std::size_t repetitions_;
    // Of the first core.
    std::vector<double> samples_;
    std::uint64_t then_ = 0;
    std::uint64_t before_ = 0;

    std::array<count, most_cores> hops_;
    alignas(64) std::atomic<bool> over_{false};
};

/// Hops of the first core.
inline constexpr std::uint64_t ring_window = 16'384;
inline constexpr std::uint64_t work_window = 1'000;

/// What is wrong with a run that is over, or nothing.
inline std::string wrong_with(const std::array<place, queues>& places, const meter& m) {
    std::uint64_t hops = 0;
    std::uint64_t wrong = 0;
    for (const place& p : places) {
        hops += p.hops;
        wrong += p.wrong;
    }
    if (wrong != 0) {
        return std::to_string(wrong) + " events came to another queue than they were sent to";
    }
    return hops == m.hops()
               ? ""
               : "the queues have counted " + std::to_string(hops) + " of " + std::to_string(m.hops()) + " hops";
}

} // namespace bench::events
