// SPDX-License-Identifier: Apache-2.0
#pragma once

// A worker that blocks lends its permit to run to a stand-in: a thread that runs what it finds until the worker is
// back. src/sched/README.md has the steps.
//
// Thread safety: any thread.
//
// Invariants
//  1. At least as many stand in as are blocked, unless all threads that may be there are called for.
//  2. A stand-in parks under the lock, where it has seen that more stand in than are blocked: whoever blocks next finds
//     it working or parked.

#include <cstdint>
#include <mutex>

#include <skerry/detail/base/abi.hpp>

#include "sched/team_wait.hpp"
#include "sync/condition.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class permits {
  public:
    // So many threads stand in at most.
    explicit permits(std::size_t most) noexcept : most_(most) {}
    permits(const permits&) = delete;
    permits& operator=(const permits&) = delete;

    // The caller is about to block. `start`: called under the lock if a thread more is needed, that is to call
    // stand_in(); false: there is none to be had, and the others do the work, later.
    template <class Start>
    void lend(Start&& start) noexcept {
        const std::lock_guard lock(mutex_);
        blocked_.fetch_add(1, memory_order::relaxed); // H1 -> H3: by the lock
        if (standing_in_.load(memory_order::relaxed) >= blocked_.load(memory_order::relaxed)) {
            return;
        }
        if (parked_ > calls_) {
            ++calls_; // H1 -> H4
            standing_in_.fetch_add(1, memory_order::relaxed);
            wanted_.notify_one();
        } else if (threads_ < most_ && start()) {
            ++threads_;
            standing_in_.fetch_add(1, memory_order::relaxed);
        }
    }

    // The caller blocks no more.
    void take_back() noexcept { blocked_.fetch_sub(1, memory_order::relaxed); } // H2 -> H3

    // The life of a stand-in, who holds the slot, until the team stops.
    void stand_in(worker& place) noexcept {
        team& home = place.home;
        std::unique_lock lock(mutex_);
        while (!home.stopping()) {
            lock.unlock();
            home.work(place, [this] { return superfluous(); }); // H3 <- H2
            home.pass_on(place);                                // what it was called for, and what lies in its deque
            lock.lock();
            if (!superfluous()) { // H3 <- H1
                continue;
            }
            standing_in_.fetch_sub(1, memory_order::relaxed);
            ++parked_;
            place.parked.store(true, memory_order::release);
            wanted_.wait(lock, [&] { return calls_ != 0 || home.stopping(); }); // H4 <- H1, H5
            --parked_;
            place.parked.store(false, memory_order::release);
            if (calls_ != 0) {
                --calls_;
            }
        }
    }

    // The team stops: stand-ins that are parked go, too. Precondition: team::stop() has been called.
    void end() noexcept {
        const std::lock_guard lock(mutex_);
        wanted_.notify_all(); // H5 -> H4
    }

    // Hints.
    [[nodiscard]] unsigned blocked() const noexcept { return blocked_.load(memory_order::relaxed); }
    [[nodiscard]] unsigned standing_in() const noexcept { return standing_in_.load(memory_order::relaxed); }

    // That have ever been started.
    [[nodiscard]] std::size_t threads() const noexcept {
        const std::lock_guard lock(mutex_);
        return threads_;
    }

  private:
    // relaxed: a hint while it works; looked at once more under the lock
    [[nodiscard]] bool superfluous() const noexcept { return standing_in() > blocked(); }

    const std::size_t most_;

    // Any thread; counted up under the lock.
    machine::atomic<unsigned> blocked_{0};
    machine::atomic<unsigned> standing_in_{0};

    mutable mutex<machine> mutex_; // guards what follows
    condition<machine> wanted_;
    std::size_t threads_ = 0;
    unsigned parked_ = 0;
    unsigned calls_ = 0; // for those that are parked, and not answered yet
};

} // namespace skerry::inline SKERRY_ABI::detail
