// SPDX-License-Identifier: Apache-2.0
#pragma once

// What each worker of a team waits for, since when, and where in the program, and what it runs: the watchdog's notes.
//
// Thread safety: a record is written by the holder of the slot and read by any thread. What is read may mix two states:
// it is for a person.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "base/port/call_stack.hpp"
#include "sched/wait_observer.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// The calls that led to a place in the program.
class call_record {
  public:
    void take() noexcept;
    void clear() noexcept { count_.store(0, memory_order::relaxed); }
    // Errors: std::bad_alloc.
    [[nodiscard]] port::place_in_program place() const;

  private:
    static constexpr std::size_t most = 64;

    machine::atomic<std::size_t> count_{0};
    std::array<machine::atomic<const void*>, most> calls_{};
};

class wait_records final : public wait_observer {
  public:
    // For slots below `slots`. Errors: std::bad_alloc.
    explicit wait_records(unsigned slots) : records_(slots) {}

    void seated(unsigned slot) noexcept override;
    wait_note notes(unsigned slot, const wait_note& now) noexcept override;
    void runs(unsigned slot, const running_note& now) noexcept override;
    [[nodiscard]] running_note running(unsigned slot) const noexcept override;
    void sleeps(unsigned slot) noexcept override { records_[slot].waits.take(); }

    // The worker enters and leaves a call of blocking(). Calls nest.
    void blocks(unsigned slot) noexcept;
    void blocks_no_more(unsigned slot) noexcept;

    [[nodiscard]] wait_note note(unsigned slot) const noexcept;
    // port::now_ns() at the outermost call of blocking(); 0: the worker is in none.
    [[nodiscard]] std::uint64_t blocked_since(unsigned slot) const noexcept {
        return records_[slot].blocked_since.load(memory_order::relaxed);
    }
    // port::thread_number() of the holder.
    [[nodiscard]] std::uint32_t thread(unsigned slot) const noexcept {
        return records_[slot].thread.load(memory_order::relaxed);
    }
    // Where the wait, or the call of blocking(), stands in the program; empty: it has not slept. Errors:
    // std::bad_alloc.
    [[nodiscard]] port::place_in_program place_of_wait(unsigned slot) const { return records_[slot].waits.place(); }
    [[nodiscard]] port::place_in_program place_of_blocking(unsigned slot) const {
        return records_[slot].blocks.place();
    }

  private:
    struct record {
        machine::atomic<const char*> text{nullptr};
        machine::atomic<const void*> subject{nullptr};
        machine::atomic<std::uint64_t> since{0};
        machine::atomic<std::uint64_t> named{0}; // running_note, with its kind
        machine::atomic<task_naming> named_by{task_naming::code};
        machine::atomic<std::uint64_t> named_since{0};
        machine::atomic<std::uint64_t> task_since{0};
        machine::atomic<std::uint64_t> blocked_since{0};
        machine::atomic<std::uint32_t> thread{0};
        unsigned blocking_calls = 0; // the holder's
        call_record waits;
        call_record blocks;
    };

    std::vector<record> records_;
};

} // namespace skerry::inline SKERRY_ABI::detail
