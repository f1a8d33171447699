// SPDX-License-Identifier: Apache-2.0

// What src/sched takes from the floors below, in the model.

#include <array>
#include <cstddef>

#include "base/port/clock.hpp"
#include "base/port/cpu.hpp"
#include "base/port/process.hpp"
#include "base/port/thread.hpp"
#include "sched_world.hpp"

namespace skerry::inline SKERRY_ABI {

namespace port {
std::uint64_t ticks() noexcept { return model::sched_world::ticks(); }
double ticks_per_second() noexcept { return 1e9; }
std::uint64_t now_ns() noexcept { return 0; }
unsigned process_generation() noexcept { return 0; }
void yield() noexcept {}
void sleep_ns(std::uint64_t) noexcept {}
const void* this_thread() noexcept {
    static constexpr std::array<char, model::max_threads> names{};
    return &names[static_cast<std::size_t>(model::engine::instance().thread())];
}
std::vector<unsigned> topology::victims_in_distance_order(unsigned, unsigned) const { return {}; }
} // namespace port

namespace detail {
constinit thread_local worker_page* current_page [[gnu::tls_model("initial-exec")]] = nullptr;
} // namespace detail

} // namespace skerry::inline SKERRY_ABI
