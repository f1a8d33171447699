// SPDX-License-Identifier: Apache-2.0
#pragma once

// Traces as text that ui.perfetto.dev and chrome://tracing open (the "trace event format" in JSON): a process for each
// domain, a thread for each executor, slices for what takes time, arrows to a task that began elsewhere than it was
// made.
//
// Thread safety: one thread at a time.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <skerry/detail/base/abi.hpp>

#include "trace/part.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class json_trace {
  public:
    // A text is head, what add() gives, tail. Behind the tail of a whole text more can be added in the tail's place.
    static constexpr std::string_view head = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
    static constexpr std::string_view tail = "\n]}\n";

    // Takes the text piece by piece, in order. May throw; then the text is not whole.
    using output = std::function<void(std::string_view)>;

    // `base_ns`: the moment, by the host's monotonic clock, that is 0 in the picture. Tasks are numbered from
    // `first_task` on: texts that are put together need numbers of their own.
    explicit json_trace(output out, std::uint64_t base_ns = 0, std::uint64_t first_task = 0)
        : out_(std::move(out)),
          base_ns_(base_ns),
          tasks_(first_task) {}

    // Domains that ran together; each has a number of its own, also among those added before. Slices that did not end
    // are ended where the domain's events end, and say so; ends whose begin was dropped are left out. A task's events
    // are told apart by time where its address was used again. `behind_others` is called when the events are in order
    // and before the first piece: whether what others have added stands before.
    // Errors: std::bad_alloc, what `output` and `behind_others` throw.
    void add(std::span<const trace_part> parts, const std::function<bool()>& behind_others);
    void add(std::span<const trace_part> parts) {
        add(parts, [this] { return !first_; });
    }

  private:
    output out_;
    const std::uint64_t base_ns_;
    std::uint64_t tasks_; // the next one's number, less one
    bool first_ = true;
};

// The text of one whole trace.
void write_json(std::span<const trace_part> parts, const json_trace::output& out, std::uint64_t base_ns = 0);

// Appends `text` as a string of JSON. Bytes that are no UTF-8 become U+FFFD.
void append_json_string(std::string& to, std::string_view text);

} // namespace skerry::inline SKERRY_ABI::detail
