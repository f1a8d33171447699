// SPDX-License-Identifier: Apache-2.0
#pragma once

// The driver of a hardware task manager: what orders the tasks of one scope through three FIFOs. It is the paper's
// naive one: it reads the status of a FIFO before each word. Source: Nexus++ (Dallou and Juurlink), sections IV and V.
//
// What finds no room in the New FIFO stays in the driver, in order: a list through the tasks themselves, so nothing
// here allocates but the constructor. Whoever spawns, ends a task or finds no work polls.
//
// Thread safety: as task_manager.
//
// Invariants
//  1. The device has the tasks before `unsent_`, and of that one the words before `sent_`.
//  2. The lease is free if `unfinished_` is zero and nobody is held.
//  3. If `under_way_`, somebody is awake who polls: whoever leaves poll() so, or stops to be idle, wakes one that
//     sleeps, and nobody falls asleep. The reserve thread of the runtime does not poll: what is slower than a poll,
//     with one worker, is the next wait's.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <skerry/detail/base/abi.hpp>

#include "deps/nexus/device.hpp"
#include "deps/task_manager.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class nexus_driver final : public task_manager {
  public:
    // Errors: std::bad_alloc.
    nexus_driver(team& crew, std::unique_ptr<nexus_device> device);
    ~nexus_driver() override = default;

    [[nodiscard]] bool submit(const task_scope& by, dependent_task& task) noexcept override;
    [[nodiscard]] bool orders(const task_scope& scope) noexcept override;
    [[nodiscard]] bool hold(const task_scope& by, dependent_task& task) noexcept override;
    void finish(dependent_task& task, ready_list& ready) noexcept override;
    void poll(ready_list& ready) noexcept override;

    // Words that went through the three FIFOs.
    struct word_counts {
        std::uint64_t written = 0; // new and finished
        std::uint64_t read = 0;    // ready
    };
    [[nodiscard]] word_counts words() const noexcept;

    // Of `outward`: idle workers poll.
    bool search() noexcept override;
    void idles(wanted) noexcept override {}
    void idles_no_more(wanted w) noexcept override;
    bool keeps_awake() noexcept override;
    void falls_asleep() noexcept override {}
    void waited(const task_context*) noexcept override {}
    bool will_read(const void*, std::size_t) noexcept override { return true; }

  private:
    static constexpr std::uint64_t cycles_at_a_time = 1024;

    [[nodiscard]] bool fits_in(const dependent_task& task) const noexcept;
    [[nodiscard]] static std::uint32_t words_of(const dependent_task& task) noexcept;
    [[nodiscard]] nexus_status_word status(nexus_register of) noexcept;
    [[nodiscard]] bool has_room(nexus_register status_of) noexcept;
    [[nodiscard]] std::uint64_t next_word() noexcept;
    void end(std::uint32_t id) noexcept;
    [[nodiscard]] bool write_finished() noexcept;
    [[nodiscard]] bool write_new() noexcept;
    void drive(ready_list& begun) noexcept;
    [[nodiscard]] bool bring_on(ready_list& ready) noexcept;
    void take_in(ready_list& begun, ready_list& held, ready_list& ready) noexcept;

    team& crew_;
    const std::unique_ptr<nexus_device> device_;
    const nexus_shape_word shape_;

    mutable mutex<machine> mutex_; // guards what follows
    const task_scope* holder_ = nullptr;
    std::uint64_t unfinished_ = 0;     // tasks of the holder that it has taken
    bool under_way_ = false;           // polls alone bring it on
    ready_list unsent_;                // tasks of which not all words are in the New FIFO
    std::uint32_t sent_ = 0;           // words of the first of them
    std::uint32_t sent_access_ = 0;    // the access that its next word is of
    ready_list held_;                  // tasks of the holder that wait for the lease to be free
    std::vector<std::uint16_t> ended_; // a ring of the ids that the Finished FIFO had no room for; as large as the pool
    std::size_t ended_first_ = 0;
    std::size_t ended_count_ = 0;
    word_counts words_;
};

} // namespace skerry::inline SKERRY_ABI::detail
