// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "packets/output.hpp"
#include "packets/work.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace apps::packets {

/// How far the packets have come: those that have gone out or were dropped.
using reporter = std::function<void(std::uint64_t packets)>;

struct machine_settings {
    std::size_t cores = 0; ///< threads that receive; 0: as many as the processors, at most four
    /// Called on a core, once in each period; empty: never.
    reporter report{};
    std::chrono::nanoseconds period = std::chrono::seconds(1);
};

/// As pass_serially() does, with each packet an event. The calling thread reads; it waits while too many are under way.
/// Errors: as those of `capture` and of `output`; std::runtime_error: the event machine cannot be started.
void pass_by_events(const capture_files& files, std::uint32_t passes, output& to, work_result& result,
                    const machine_settings& settings);

} // namespace apps::packets
