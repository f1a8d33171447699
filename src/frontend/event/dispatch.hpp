// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include <event_machine/api/event_machine_dispatcher.h>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/event_machine.hpp"
#include "trace/naming.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// When a core ends to dispatch: whichever comes first.
struct dispatch_limits {
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    std::uint64_t rounds = never;
    std::uint64_t events = never;
    std::uint64_t ns = never;
    std::uint64_t idle_rounds = never; // without an event, one after another
    std::uint64_t idle_ns = never;
    std::uint64_t wait_ns = never; // for an event in each round

    [[nodiscard]] bool timed() const noexcept { return ns != never || idle_ns != never; }
};

struct dispatch_settings {
    dispatch_limits limits;
    unsigned burst = EM_SCHED_MULTI_MAX_BURST; // events at once at most
    bool polls = false;                        // the functions of the configuration are called
    bool drains = false;
};

// What traces and the watchdog call a receive function.
[[nodiscard]] naming naming_of(const execution_object& of) noexcept;

// A core's loop: each round receives what is chosen at once, of one queue, and what that sends to local queues.
//
// In co-operative dispatch the loop is on a fiber, and each core has one of these for as long as it is inside: what is
// suspended goes on in a later run. The fiber of a suspended receive function has left the loop, which another one goes
// on with; when the function has returned, the fiber ends instead of its next round. For events and tasks the core
// waits on its own stack: the tasks are others'.
//
// Thread safety: the core.
class dispatcher {
  public:
    // `fibers`: in co-operative dispatch.
    dispatcher(event_machine& em, int core, core_fibers* fibers) noexcept : em_(em), core_(core), fibers_(fibers) {}
    dispatcher(const dispatcher&) = delete;
    dispatcher& operator=(const dispatcher&) = delete;

    [[nodiscard]] em_dispatch_results_t run(const dispatch_settings& s) noexcept;

    // The round of the loop is over that has received what is suspended now, and `next` goes on with the loop.
    void move_to(call_fiber& next) noexcept;

  private:
    static void loop_of(void* self) noexcept; // on a fiber
    void loop() noexcept;
    void run_on_fibers() noexcept;
    void end_round(bool active) noexcept;
    [[nodiscard]] bool has_left_loop() const noexcept;
    bool round(std::uint64_t deadline) noexcept;
    bool look(delivery& d) noexcept;
    bool receive_some() noexcept;
    bool receive_scheduled(delivery& d, delivery& next) noexcept;
    bool receive_plain(delivery*& now, delivery*& next) noexcept;
    bool end_context(delivery& d, delivery* next) noexcept;
    [[nodiscard]] bool is_plain(const delivery& d) const noexcept;
    [[nodiscard]] bool looks_at_once() const noexcept;
    bool receive_local() noexcept;
    void receive(delivery& d) noexcept;
    void await_events(std::uint64_t deadline, bool naps) noexcept;

    event_machine& em_;
    const int core_;
    core_fibers* const fibers_; // null: nothing is suspended
    // Of the run.
    dispatch_settings now_;
    em_dispatch_results_t did_{};
    std::uint64_t began_ = 0;
    std::uint64_t idle_since_ = 0;
    std::uint64_t idle_rounds_ = 0;
    bool steady_ = false; // between two rounds the loop does nothing but look at its limits
    // What the loop has left its fiber for; `waits_`: for events.
    bool waits_ = false;
    bool naps_ = false;
    std::uint64_t until_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
