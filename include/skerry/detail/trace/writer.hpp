// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where an executor's events go: a ring of records that it alone writes, and that anyone may copy at any time.
//
// Thread safety: put() is for the executor (one thread at a time, each ordered after the one before it); snapshot() is
// for any thread. This floor stands beside sync, so the atomics come by a policy (the members of
// skerry/detail/sync/native.hpp), and the same source runs under the explorer and on simulated cores.
//
// Invariants
//  1. Record i lies in cell i mod capacity until record i + capacity is begun.
//  2. When record i is begun, written_ is i; when it is whole, written_ becomes i + 1.
//
// A copy is right because a reader that sees any word of record i + capacity in record i's cell sees written_ at
// i + capacity or beyond afterwards (T1 -> T4), and then leaves record i out.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>
#include <skerry/detail/trace/events.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The addresses that stand for tasks and for code in a record.
[[nodiscard]] inline std::uint64_t trace_id(const void* object) noexcept {
    return reinterpret_cast<std::uintptr_t>(object);
}
template <class R, class... A>
[[nodiscard]] std::uint64_t trace_id(R (*code)(A...) noexcept) noexcept {
    return reinterpret_cast<std::uintptr_t>(code);
}

// The route of a transfer.
inline constexpr std::uint16_t trace_sent = 0x8000; // else it comes from the peer
[[nodiscard]] constexpr std::uint16_t trace_route(unsigned peer, bool sent) noexcept {
    return static_cast<std::uint16_t>(peer | (sent ? trace_sent : 0U));
}

struct trace_snapshot {
    std::vector<trace_record> records; // the oldest first
    std::uint64_t dropped = 0;         // records before them that were overwritten
};

template <class Machine>
class trace_buffer {
  public:
    // Counts ticks; called by the executor only.
    using clock = std::uint64_t (*)() noexcept;

    // Holds the newest records: at least `records` - 1 of them (the oldest cell is where the next one goes). The memory
    // is touched here, so that no put() meets a page fault. Errors: std::bad_alloc.
    trace_buffer(std::uint32_t executor, std::size_t records, clock now)
        : executor_(executor),
          now_(now),
          mask_(std::bit_ceil(records < 2 ? std::size_t{2} : records) - 1),
          cells_(std::make_unique<cell[]>(mask_ + 1)) {}

    void put(trace_event event, std::uint64_t task = 0, std::uint64_t argument = 0, std::uint16_t detail = 0) noexcept {
        const auto words = std::bit_cast<words_of_record>(trace_record{.time = now_(),
                                                                       .task = task,
                                                                       .argument = argument,
                                                                       .executor = executor_,
                                                                       .detail = detail,
                                                                       .event = event});
        const std::uint64_t n = written_.load(memory_order::relaxed); // relaxed: the executor's own
        cell& c = cells_[n & mask_];
        for (std::size_t i = 0; i < words.size(); ++i) {
            c.word[i].store(words[i], memory_order::release); // T1 -> T4: written_ had come to n before
        }
        written_.store(n + 1, memory_order::release); // T2 -> T3: record n is whole
    }

    // Errors: std::bad_alloc.
    [[nodiscard]] trace_snapshot snapshot() const {
        const std::uint64_t capacity = mask_ + 1;
        const std::uint64_t end = written_.load(memory_order::acquire); // T3 <- T2
        const std::uint64_t begin = end < capacity ? 0 : end - capacity + 1;
        std::vector<trace_record> copied;
        copied.reserve(end - begin);
        for (std::uint64_t i = begin; i < end; ++i) {
            const cell& c = cells_[i & mask_];
            words_of_record words;
            for (std::size_t k = 0; k < words.size(); ++k) {
                words[k] = c.word[k].load(memory_order::acquire); // T4 <- T1
            }
            copied.push_back(std::bit_cast<trace_record>(words));
        }
        // relaxed: T4 keeps it behind the words; what it must not miss, T4 has brought
        const std::uint64_t now = written_.load(memory_order::relaxed);
        const std::uint64_t whole = now < capacity ? 0 : now - capacity + 1; // record `now` may be half written
        if (whole >= end) {
            return {{}, end};
        }
        if (whole > begin) {
            copied.erase(copied.begin(), copied.begin() + static_cast<std::ptrdiff_t>(whole - begin));
        }
        return {std::move(copied), whole > begin ? whole : begin};
    }

    [[nodiscard]] std::uint32_t executor() const noexcept { return executor_; }

  private:
    using words_of_record = std::array<std::uint64_t, sizeof(trace_record) / sizeof(std::uint64_t)>;
    struct cell {
        typename Machine::template atomic<std::uint64_t> word[std::tuple_size_v<words_of_record>]{};
    };

    // Constant after construction.
    const std::uint32_t executor_;
    const clock now_;
    const std::size_t mask_;
    const std::unique_ptr<cell[]> cells_;

    // Written by the executor, read by any thread.
    typename Machine::template atomic<std::uint64_t> written_{0};
};

// A machine that takes events itself: a simulated one, whose host keeps them, so that they cost no simulated cycle. The
// simulated program does the same whether the host listens or not.
template <class Machine>
concept takes_events = requires { Machine::note(std::uint16_t{}, std::uint64_t{}, std::uint64_t{}, std::uint16_t{}); };

// What an executor holds: its buffer, or nothing while tracing is off. Off, a call is one load and one branch that is
// always predicted; what happens for every task is compiled with null_trace besides.
template <class Machine>
class trace_sink : public trace_calls<trace_sink<Machine>> {
  public:
    trace_sink() noexcept = default;
    explicit trace_sink(trace_buffer<Machine>* buffer) noexcept : buffer_(buffer) {}

    [[nodiscard]] bool on() const noexcept { return takes_events<Machine> || buffer_ != nullptr; }
    void put(trace_event event, std::uint64_t task = 0, std::uint64_t argument = 0,
             std::uint16_t detail = 0) const noexcept {
        if constexpr (takes_events<Machine>) {
            Machine::note(static_cast<std::uint16_t>(event), task, argument, detail);
        } else if (buffer_ != nullptr) [[unlikely]] {
            buffer_->put(event, task, argument, detail);
        }
    }

  private:
    trace_buffer<Machine>* buffer_ = nullptr;
};

// The same where nobody wants events: every call is empty.
class null_trace : public trace_calls<null_trace> {
  public:
    null_trace() noexcept = default;

    [[nodiscard]] static constexpr bool on() noexcept { return false; }
    static constexpr void put(trace_event /*event*/, std::uint64_t /*task*/ = 0, std::uint64_t /*argument*/ = 0,
                              std::uint16_t /*detail*/ = 0) noexcept {}
};

} // namespace skerry::inline SKERRY_ABI::detail
