// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "packets/capture.hpp"
#include "packets/flows.hpp"

#include <cstddef>
#include <cstdint>

namespace apps::packets {

/// The calling thread sends the packets, so many times, to a parallel queue, where they are parsed. From there each
/// goes on to the atomic queue of its flow's share, where it is counted. `cores`: threads that receive; 0: as many as
/// the processors, at most four. Errors: std::runtime_error: the event machine cannot be started.
void count_by_events(const captures& all, std::uint32_t passes, std::size_t cores, counts& result);

} // namespace apps::packets
