// SPDX-License-Identifier: Apache-2.0
#pragma once

// A thread that reports waits which last too long: each worker, what it waits for, since when and where in the program,
// and who waits for whom in a circle. It only looks and prints; nothing is ended.

#include <cstdint>
#include <functional>
#include <string>

#include "base/port/thread.hpp"
#include "runtime/wait_graph.hpp"
#include "runtime/wait_records.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Of blocking(): how many workers are inside, and how many threads stand in for them.
struct lent_permits {
    unsigned blocked;
    unsigned standing_in;
    unsigned most; // that may
};

class watchdog {
  public:
    // Errors: std::system_error. What is given must outlive this.
    watchdog(const team& crew, const wait_records& records, double seconds, std::function<lent_permits()> permits,
             port::name_for told);
    watchdog(const watchdog&) = delete;
    watchdog& operator=(const watchdog&) = delete;
    ~watchdog();

    // In the child of a fork.
    void forget() noexcept { thread_.forget(); }

  private:
    static void run(void* self);
    [[nodiscard]] bool overdue(std::uint64_t now) const;
    void report(std::uint64_t now) const;
    [[nodiscard]] std::string line_of(unsigned slot, std::uint64_t now) const;
    [[nodiscard]] wait_graph look() const;
    // For what the worker in the slot waits; adds whom to `others`. Empty: nothing is known.
    [[nodiscard]] std::string waits_for(unsigned slot, std::vector<unsigned>& others) const;
    [[nodiscard]] bool lacks_permits() const;

    const team& team_;
    const wait_records& records_;
    const std::uint64_t limit_ns_;
    const std::function<lent_permits()> permits_;
    machine::atomic<std::uint32_t> stop_{0};
    port::thread thread_;
};

} // namespace skerry::inline SKERRY_ABI::detail
