// SPDX-License-Identifier: Apache-2.0
#pragma once

// Timers: events that are sent at a time, by one thread that sleeps until the next one is due.
//
// Thread safety: any thread. No other lock is taken under the one of this class. A tick is a nanosecond.
//
// Invariants
//  1. A timeout is armed if and only if it lies in due_, and then it has an event. Whoever takes it out of there under
//     the lock has the event: the thread, to send it, or a canceller. So an expiry and a cancel have one outcome.
//  2. A timeout that is not armed has the node with which it will lie in due_: to arm it takes no memory.
//  3. The thread has seen the first of due_, or is about to look.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include <event_machine/api/event_machine_timer.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "base/port/thread.hpp"
#include "frontend/event/handle_table.hpp"
#include "sync/condition.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class event_timers {
  public:
    static constexpr std::size_t most_timers = 16;
    static constexpr std::uint64_t ticks_per_second = 1'000'000'000;
    static constexpr std::uint64_t least_ns = 1000;                      // of a timeout, and the finest resolution
    static constexpr std::uint64_t greatest_ns = std::uint64_t{1} << 62; // of a timeout: 146 years

    event_timers() = default;
    event_timers(const event_timers&) = delete;
    event_timers& operator=(const event_timers&) = delete;
    // Precondition: stop() has returned, or no timer was added.
    ~event_timers() = default;

    // EM_TIMER_UNDEF: there are most_timers. Precondition: the attributes are right. Errors: std::bad_alloc;
    // std::system_error if the thread does not start.
    em_timer_t add_timer(const em_timer_attr_t& attr);
    // The thread ends; nothing expires any more. Precondition: nobody is in a function of this class, nor will be.
    void stop() noexcept;

    enum class done : std::uint8_t {
        yes,
        no_timer,
        no_timeout,
        in_use,     // timeouts of the timer are left
        too_many,   // timeouts of the timer
        wrong_kind, // one-shot and not periodic, or the other way round
        wrong_state,
        too_near,
        too_far,
        canceled,
    };
    [[nodiscard]] done remove_timer(em_timer_t timer) noexcept;
    [[nodiscard]] done attributes(em_timer_t timer, em_timer_attr_t& attr) noexcept;
    [[nodiscard]] bool exists(em_timer_t timer) noexcept;
    // How many there are; the first of them are written.
    [[nodiscard]] std::size_t all(em_timer_t* to, std::size_t room) noexcept;

    // Errors: std::bad_alloc.
    [[nodiscard]] done add(em_timer_t timer, bool periodic, bool skips, em_queue_t queue, em_tmo_t& made);
    // `left`: the event of an armed timeout, or EM_EVENT_UNDEF.
    [[nodiscard]] done remove(em_tmo_t timeout, em_event_t& left) noexcept;

    enum class when : std::uint8_t { at, after };
    // yes: the event is the timer's.
    [[nodiscard]] done set(em_tmo_t timeout, when how, std::uint64_t ticks, em_event_t e) noexcept;
    [[nodiscard]] done set_periodic(em_tmo_t timeout, std::uint64_t start, std::uint64_t period, em_event_t e) noexcept;
    [[nodiscard]] done cancel(em_tmo_t timeout, em_event_t& taken) noexcept;
    [[nodiscard]] done acknowledge(em_tmo_t timeout, em_event_t next) noexcept;

    struct view {
        em_timer_t timer = EM_TIMER_UNDEF;
        em_tmo_state_t state = EM_TMO_STATE_UNKNOWN;
        em_tmo_stats_t stats{};
    };
    [[nodiscard]] done look_at(em_tmo_t timeout, view& v) noexcept;

  private:
    struct due {
        std::uint64_t at = 0;
        std::uint64_t turn = 0; // of two at the same time the one that was armed first
        std::size_t number = 0; // of the timeout
        friend auto operator<=>(const due&, const due&) noexcept = default;
    };
    using due_set = std::set<due>;

    enum class phase : std::uint8_t {
        idle,
        armed,
        expired // the event was sent, or is about to be; a periodic one waits to be acknowledged
    };
    struct timer {
        em_timer_t handle = EM_TIMER_UNDEF;
        em_timer_attr_t attr;
        std::uint32_t timeouts = 0;
    };
    struct timeout {
        timer* owner = nullptr; // constant, as are the next ones; it stays while it has timeouts
        bool periodic = false;
        bool skips = true;
        em_queue_t queue = EM_QUEUE_UNDEF;

        phase now = phase::idle;
        bool canceled = false; // while expired
        em_event_t event = EM_EVENT_UNDEF;
        due last{}; // when it is due, or was
        std::uint64_t period = 0;
        em_tmo_stats_t stats{};
        due_set::node_type node; // while it is not armed
    };
    // What the thread has taken out of due_.
    struct expiry {
        em_event_t event;
        em_queue_t queue;
        due what;
    };

    // Under lock_.
    [[nodiscard]] timer* of(em_timer_t handle) noexcept { return timers_.of(number_of(handle)); }
    [[nodiscard]] timeout* of(em_tmo_t handle) noexcept;
    [[nodiscard]] done check(const timeout& t, std::uint64_t at, std::uint64_t now) noexcept;
    void arm(timeout& t, std::size_t number, std::uint64_t at, em_event_t e) noexcept;
    em_event_t disarm(timeout& t) noexcept;

    // Of the thread.
    static void run(void* self) noexcept;
    void run() noexcept;
    [[nodiscard]] std::size_t take_due(std::span<expiry> to) noexcept; // under lock_
    void send(const expiry& e) noexcept;
    [[nodiscard]] bool is_sent(const expiry& e) noexcept; // false: the queue is full
    void send_late() noexcept;

    static constexpr std::size_t batch = 32;
    static constexpr std::size_t stack_size = std::size_t{256} * 1024;
    static constexpr std::uint64_t retry_ns = 1'000'000; // while a queue is full

    std::vector<expiry> late_; // the thread's: their queues are full

    mutex<machine> lock_;
    condition<machine> changed_;
    // Guarded by lock_.
    bool stopping_ = false;
    port::thread thread_;
    handle_table<timer> timers_{most_timers};
    std::vector<std::unique_ptr<timeout>> timeouts_;
    std::size_t first_free_ = 0; // of timeouts_: none before it is
    due_set due_;
    std::uint64_t turn_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
