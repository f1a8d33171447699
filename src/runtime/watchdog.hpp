// SPDX-License-Identifier: Apache-2.0
#pragma once

// A thread that reports waits which last too long: each worker, what it waits for and since when. It only looks and
// prints; nothing is ended.

#include "base/port/thread.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class watchdog {
  public:
    // Errors: std::system_error. The team must outlive this.
    watchdog(team& crew, double seconds);
    watchdog(const watchdog&) = delete;
    watchdog& operator=(const watchdog&) = delete;
    ~watchdog();

    // In the child of a fork.
    void forget() noexcept { thread_.forget(); }

  private:
    static void run(void* self);
    [[nodiscard]] bool overdue(std::uint64_t now) const noexcept;
    void report(std::uint64_t now) const noexcept;

    team& team_;
    const std::uint64_t limit_ns_;
    machine::atomic<std::uint32_t> stop_{0};
    port::thread thread_;
};

} // namespace skerry::inline SKERRY_ABI::detail
