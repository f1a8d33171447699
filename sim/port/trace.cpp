// SPDX-License-Identifier: Apache-2.0

#include "sim/port/trace.hpp"

#include <bit>
#include <cerrno>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <skerry/detail/sync/sim.hpp>
#include <skerry/detail/trace/writer.hpp>

#include "sim/program.hpp"
#include "trace/json.hpp"
#include "trace/part.hpp"

namespace skerry::inline SKERRY_ABI {

namespace {

using detail::trace_event;
using detail::trace_record;

// Invariant: record i of a core lies in cell i mod capacity until record i + capacity is written.
constinit trace_record* cells = nullptr; // of core 0, then of core 1, ...
constinit std::uint64_t* written = nullptr;
constinit unsigned cores = 0;
constinit std::size_t capacity = 0; // a power of two

// Plain stores: a copy of a record, or a container of the library, would be code that the simulated program shares.
void put(trace_event event, std::uint64_t task, std::uint64_t argument, std::uint16_t detail) noexcept {
    if (cells == nullptr || !skerry_sim::simulated()) {
        return;
    }
    const unsigned core = skerry_sim::self();
    if (core >= cores) {
        return;
    }
    trace_record& r = cells[core * capacity + (written[core]++ & (capacity - 1))];
    r.time = skerry_sim::now();
    r.task = task;
    r.argument = argument;
    r.executor = core;
    r.detail = detail;
    r.event = event;
}

} // namespace

namespace detail {

static_assert(trace_step_words.size() == static_cast<std::size_t>(coherence_step::turn_taken) + 1);

void sim::note(std::uint16_t event, std::uint64_t task, std::uint64_t argument, std::uint16_t detail) noexcept {
    put(static_cast<trace_event>(event), task, argument, detail);
}

} // namespace detail

namespace {

detail::trace_part take() {
    detail::trace_part part;
    part.name = "simulated machine with " + std::to_string(cores) + " cores; a cycle is shown as a nanosecond";
    for (unsigned core = 0; cells != nullptr && core < cores; ++core) {
        detail::trace_executor e;
        e.number = core;
        e.name = "core " + std::to_string(core);
        e.dropped = written[core] > capacity ? written[core] - capacity : 0;
        for (std::uint64_t i = e.dropped; i < written[core]; ++i) {
            e.records.push_back(cells[core * capacity + (i & (capacity - 1))]);
        }
        part.executors.push_back(std::move(e));
    }
    detail::resolve_names(part);
    return part;
}

} // namespace

namespace port {

void listen(unsigned how_many, std::size_t bytes) {
    const std::size_t records = bytes / sizeof(trace_record);
    delete[] std::exchange(cells, nullptr);
    delete[] std::exchange(written, nullptr);
    cores = how_many;
    capacity = records == 0 ? 0 : std::bit_floor(records);
    if (records != 0) {
        auto counts = std::make_unique<std::uint64_t[]>(cores);
        cells = new trace_record[cores * capacity]; // not touched: no host page is used that holds no event
        written = counts.release();
    }
}

void write_trace(const std::string& path) {
    std::ofstream file(path, std::ios::trunc);
    const detail::trace_part part = take();
    detail::write_json({&part, 1}, [&file](std::string_view piece) { file << piece; });
    if (!file.flush()) {
        throw std::system_error(errno, std::generic_category(), "cannot write the trace to '" + path + "'");
    }
}

// Where hardware keeps the caches nothing is done at these steps.
void note_publish(std::size_t bytes, detail::coherence_step step) noexcept {
    if (cells == nullptr || skerry_sim::coherent()) {
        return;
    }
    put(trace_event::publish, 0, bytes, static_cast<std::uint16_t>(step));
}
void note_discard(std::size_t bytes, detail::coherence_step step) noexcept {
    if (cells == nullptr || skerry_sim::coherent()) {
        return;
    }
    put(trace_event::discard, 0, bytes, static_cast<std::uint16_t>(step));
}

} // namespace port

} // namespace skerry::inline SKERRY_ABI
