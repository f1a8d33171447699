// SPDX-License-Identifier: Apache-2.0
#pragma once

// A thread that reports waits and tasks which last too long: each worker, what it waits for or runs, since when and
// where in the program, and who waits for whom in a circle. It only looks and prints; nothing is ended.
//
// Each wait, task and call that keeps a worker is reported once, when it has lasted for that long, and so is each
// circle.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/port/thread.hpp"
#include "base/port/thread_call.hpp"
#include "base/port/thread_stack.hpp"
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
    // What is known of a slot, from look to look.
    struct slot_memory {
        // The sleep of its thread that is not one of ours, if it has slept like this at the last two looks: since when.
        std::optional<port::thread_call> sleep;
        std::uint64_t sleeps = 0;
        std::uint64_t roused = 0; // by us since then: it may have slept so many times more
        std::uint64_t asleep_since = 0;
        // Told: of which wait, task, call of blocking() and sleep, by when they began; 0: none.
        std::uint64_t wait_told = 0;
        std::uint64_t task_seen = 0; // overdue, but not told at once
        std::uint64_t task_told = 0;
        std::uint64_t blocking_told = 0;
        std::uint64_t sleep_told = 0;
    };

    static void run(void* self);
    void look_at_sleep(unsigned slot, std::uint64_t now);
    // When the innermost began that has run for too long of what has a name in the slot, and of the task around that,
    // or the entry from outside. 0: neither has.
    [[nodiscard]] std::uint64_t newest_overdue(unsigned slot, std::uint64_t now) const;
    // What is to be told and has not been: the head of a report. Null: nothing.
    [[nodiscard]] const char* overdue(std::uint64_t now);
    void report(std::uint64_t now, const char* why);
    [[nodiscard]] std::string line_of(unsigned slot, std::uint64_t now);
    // Where the worker is, as lines of a report.
    [[nodiscard]] std::string place_of(unsigned slot);
    [[nodiscard]] wait_graph look() const;
    // A circle that is there, and is there again.
    [[nodiscard]] std::vector<unsigned> circle() const;
    // For what the worker in the slot waits; adds whom to `others`. Empty: nothing is known.
    [[nodiscard]] std::string waits_for(unsigned slot, std::vector<unsigned>& others) const;
    [[nodiscard]] bool lacks_permits() const;

    const team& team_;
    const wait_records& records_;
    const std::uint64_t limit_ns_;
    const std::function<lent_permits()> permits_;
    // The thread's own.
    std::vector<slot_memory> memory_;
    std::vector<unsigned> circle_told_;
    std::uint64_t reported_ = 0;
    port::thread_stack_reader stacks_;

    machine::atomic<std::uint32_t> stop_{0};
    port::thread thread_;
};

} // namespace skerry::inline SKERRY_ABI::detail
