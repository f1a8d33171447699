// SPDX-License-Identifier: Apache-2.0
#pragma once

// The trace of one domain, as data: what is written to a file, and what one process sends to the one that merges.
//
// Thread safety: none; it belongs to whoever made it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/trace/events.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// How a domain's ticks become time. Domains of one host agree by `origin_ns`; a domain elsewhere, by `ahead_ns`.
struct trace_clock {
    double ticks_per_second = 1e9;
    std::uint64_t origin_ticks = 0; // at one moment: the count of ticks,
    std::uint64_t origin_ns = 0;    // and the host's monotonic clock (a simulation: 0)
    std::int64_t ahead_ns = 0;      // how far that clock is ahead of the merging process's: clock_ahead()
};

// How far a peer's clock is ahead, from one question and its answer. Asked and answered by the asker's clock, received
// and replied by the peer's. Exact if both ways take equally long; of many tries the one that took least is the best.
[[nodiscard]] constexpr std::int64_t clock_ahead(std::uint64_t asked, std::uint64_t received, std::uint64_t replied,
                                                 std::uint64_t answered) noexcept {
    const auto there = static_cast<std::int64_t>(received - asked);
    const auto back = static_cast<std::int64_t>(replied - answered);
    return there / 2 + back / 2 + (there % 2 + back % 2) / 2;
}

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

// The part as bytes, for another process of the same version on a machine of the same byte order.
// Errors: std::bad_alloc.
[[nodiscard]] std::vector<std::byte> to_bytes(const trace_part& part);

// Errors: std::invalid_argument: these bytes are no part, or not all of one; std::bad_alloc.
[[nodiscard]] trace_part part_from_bytes(std::span<const std::byte> bytes);

} // namespace skerry::inline SKERRY_ABI::detail
