// SPDX-License-Identifier: Apache-2.0
#pragma once

// The trace of one domain, as data: what its process writes to a file.
//
// Thread safety: none; it belongs to whoever made it.

#include <cstdint>
#include <string>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/trace/events.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// How a domain's ticks become time. Domains of one host agree by `origin_ns`.
struct trace_clock {
    double ticks_per_second = 1e9;
    std::uint64_t origin_ticks = 0; // at one moment: the count of ticks,
    std::uint64_t origin_ns = 0;    // and the host's monotonic clock (a simulation: 0)
};

struct trace_executor {
    std::uint32_t number = 0;
    std::string name;
    std::uint64_t dropped = 0; // older records that there was no room for
    std::vector<trace_record> records;
};

// An address in a record, and what it stands for.
struct trace_name {
    std::uint64_t address = 0;
    std::string text;
};

struct trace_part {
    std::uint32_t domain = 0; // its number in the picture
    std::uint32_t rank = 0;   // its number in the routes of transfers
    std::string name;
    trace_clock clock;
    std::vector<trace_executor> executors;
    std::vector<trace_name> names; // sorted by address
};

// Fills `names` with every address of code and of text in the records. In the process that wrote them, since an address
// means nothing elsewhere. Errors: std::bad_alloc.
void resolve_names(trace_part& part);

} // namespace skerry::inline SKERRY_ABI::detail
