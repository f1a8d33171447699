// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cstdint>

#include <skerry/detail/sync/native.hpp>

#include "base/port/futex.hpp"
#include "base/port/membarrier.hpp"
#include "base/port/memory.hpp"
#include "base/port/reserve.hpp"
#include "base/port/sandbox.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// One barrier at a time: each interrupts every core that runs a thread of the process.
constinit atomic<bool> barrier_in_flight{false};

} // namespace

bool native::asymmetric() noexcept {
#if defined(SKERRY_LOCKED_STEAL) || defined(SKERRY_ACCESSES_ARE_WATCHED) // which does not know what a barrier orders
    return false;
#else
    static const bool works = !port::ends_at_rare_calls() && port::register_membarrier();
    return works;
#endif
}

heavy_fence native::heavy_fence() noexcept {
    if (barrier_in_flight.exchange(true, memory_order::acquire)) {
        return detail::heavy_fence::in_flight;
    }
    const bool done = port::heavy_barrier();
    barrier_in_flight.store(false, memory_order::release);
    return done ? detail::heavy_fence::passed : detail::heavy_fence::refused;
}

std::size_t native::most_slots() noexcept {
    constexpr std::size_t most = std::size_t{1} << 27;
    // A 64th of a limited address space is left to each deque.
    const std::uint64_t allowed = port::address_space_limit() / 64 / sizeof(void*);
    return allowed >= most ? most : std::max(initial_capacity, std::bit_floor(static_cast<std::size_t>(allowed)));
}

void* native::reserve(std::size_t bytes) noexcept { return port::map_memory(port::round_up(bytes, port::page_size())); }

bool native::commit(void* begin, std::size_t bytes) noexcept {
    const std::size_t page = port::page_size();
    const auto first = reinterpret_cast<std::uintptr_t>(begin) & ~(page - 1);
    const auto end = port::round_up(reinterpret_cast<std::uintptr_t>(begin) + bytes, page);
    return port::allow_access(reinterpret_cast<void*>(first), end - first);
}

void native::give_back(void* begin, std::size_t bytes) noexcept {
    port::unmap_memory(begin, port::round_up(bytes, port::page_size()));
}

void native::after_fork() noexcept { barrier_in_flight.store(false, memory_order::relaxed); }

void native::futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    port::futex_wait(&word, expected);
}

void native::futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns) noexcept {
    port::futex_wait(&word, expected, timeout_ns);
}

void native::futex_wake(atomic<std::uint32_t>& word, int count) noexcept { port::futex_wake(&word, count); }

} // namespace skerry::inline SKERRY_ABI::detail
