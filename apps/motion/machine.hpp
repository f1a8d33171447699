// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "motion/film.hpp"

#include <cstddef>
#include <functional>

namespace apps::motion {

/// Gets the pictures of a camera in their order, one at a time; those of different cameras on any core.
using receiver = std::function<void(std::size_t camera, std::size_t number, std::span<const std::uint8_t> pixels)>;

/// The calling thread sends each picture as an event to the atomic queue of its camera. `cores`: threads that receive;
/// 0: two. Returns how many events were received. Errors: std::runtime_error: the event machine cannot be started;
/// what `receive` throws is an error of the event machine, and printed.
std::size_t by_events(const film& of, std::size_t cores, const receiver& receive);

} // namespace apps::motion
