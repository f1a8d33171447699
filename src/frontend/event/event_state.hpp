// SPDX-License-Identifier: Apache-2.0
#pragma once

// Verification of events: whether a handle is that of the one the event belongs to.
//
// An event has a generation, and a handle that of the event when it was made. Whoever gives the event away (sends,
// frees or marks it) begins a new generation, so that old handles are known. What was done last is kept for messages.
// All of it is one word, changed at once.
//
//     bits 0-15   generation
//     bits 16-17  mark: 1 "will be sent", 2 "will be freed", by something outside
//     bits 18-24  of the last call: the core's number and 1, or 0
//     bits 25-35  its execution object
//     bits 36-51  the queue whose event it was called for
//     bits 52-59  event_call
//
// Thread safety: any thread. The word is for nothing but messages and refusals, so every access to it is relaxed: the
// event itself goes from one to the next under locks.

#include <cstdint>

#include <event_machine/api/event_machine_types.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

struct event;

enum class event_call : std::uint8_t {
    none,
    alloc,
    alloc_multi,
    alloc_wait,
    clone,
    clone_part,
    dispatch,
    free,
    free_multi,
    send,
    send_multi,
    send_group,
    send_group_multi,
    dequeue,
    tmo_set_abs,
    tmo_set_rel,
    tmo_set_periodic,
    tmo_ack,
    mark_send,
    mark_free,
    mark_free_multi,
    unmark_send,
    unmark_free,
    unmark_free_multi,
};
[[nodiscard]] const char* name_of(event_call call) noexcept;

enum class event_mark : std::uint8_t { none, send, free };

// Whether events are verified: as the options of the last em_init() say.
extern constinit machine::atomic<bool> events_are_verified;
inline bool verifies() noexcept { return events_are_verified.load(memory_order::relaxed); }

class event_state {
  public:
    static constexpr unsigned generation_bits = 16;

    [[nodiscard]] std::uint16_t generation() const noexcept { return generation_of(word_.load(memory_order::relaxed)); }
    // The event is that of the one with this generation.
    [[nodiscard]] bool is(std::uint16_t generation) const noexcept;
    void note(event_call call) noexcept;
    // The next generation. False: it is that of another one already. Both words: for take_back().
    [[nodiscard]] bool give_away(std::uint16_t generation, event_call call, event_mark mark, std::uint64_t& before,
                                 std::uint64_t& after) noexcept;
    // As before, unless somebody else has used it since.
    void take_back(std::uint64_t before, std::uint64_t after) noexcept {
        static_cast<void>(word_.compare_exchange_strong(after, before, memory_order::relaxed, memory_order::relaxed));
    }
    // False: it was not marked so by the one with this generation.
    [[nodiscard]] bool unmark(std::uint16_t generation, event_call call, event_mark mark) noexcept;

    struct picture {
        event_mark mark;
        event_call call;
        int core; // negative: none
        std::uint64_t object;
        std::uint64_t queue;
    };
    [[nodiscard]] picture last() const noexcept;

  private:
    static std::uint16_t generation_of(std::uint64_t word) noexcept { return static_cast<std::uint16_t>(word); }
    machine::atomic<std::uint64_t> word_{0};
};

// Says that the handle is not the owner's, or not of an event that is marked so; returns what the handler of errors
// does.
em_status_t tell_not_owned(const char* function, em_escope_t scope, event& e) noexcept;
em_status_t tell_not_marked(const char* function, em_escope_t scope, event& e) noexcept;

// Between an attempt to give an event away and its success. With verification only: else it does nothing.
class giving_away {
  public:
    // False: the handle is not the owner's.
    [[nodiscard]] bool begin(event& e, std::uint16_t generation, event_call call,
                             event_mark mark = event_mark::none) noexcept {
        e_ = nullptr;
        return !verifies() || begin_verified(e, generation, call, mark);
    }
    // It is still the caller's, unless who has refused it (an output function, a hook) has used it up. Precondition: it
    // began.
    void take_back() noexcept;

  private:
    [[nodiscard]] bool begin_verified(event& e, std::uint16_t generation, event_call call, event_mark mark) noexcept;

    // Set by begin(): a sender has a table of these, and uses few of them.
    event* e_; // null: without verification
    std::uint64_t before_;
    std::uint64_t after_;
};

} // namespace skerry::inline SKERRY_ABI::detail
