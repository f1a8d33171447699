// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions of the program that are called when events are allocated, freed and sent, and when a core goes idle. One
// word says which kinds have any: who calls looks at it, and at nothing else.
//
// Thread safety: any thread. A hook is called outside of the lock: it may do what the program likes.
//
// Invariant: a bit of flags_ is set if and only if there are hooks of that kind; both change under the lock. One more
// bit says that cores take times.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include <event_machine/platform/event_machine_hooks.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

enum class hook : std::uint8_t { alloc, free, send, to_idle, to_active, while_idle };

class event_hooks {
  public:
    using function = void (*)(); // cast from what it is, and back

    // relaxed: whoever sees the bit finds the hooks under the lock; who does not has come before them
    [[nodiscard]] bool any(hook kind) const noexcept { return (flags_.load(memory_order::relaxed) & bit(kind)) != 0; }

    // Whether cores take times for em_debug_timestamp(). relaxed: it begins at some time
    [[nodiscard]] bool takes_times() const noexcept { return (flags_.load(memory_order::relaxed) & times) != 0; }
    void take_times() noexcept { flags_.fetch_or(times, memory_order::relaxed); }

    // False: there are EM_CALLBACKS_MAX.
    [[nodiscard]] bool add(hook kind, function f) noexcept;
    // The first one of that name; false: there is none.
    [[nodiscard]] bool remove(hook kind, function f) noexcept;
    void remove_all() noexcept;

    // Calls all of the kind, which are of type F.
    template <class F, class... Values>
    void call(hook kind, Values... values) noexcept {
        row now;
        {
            const std::lock_guard lock(lock_);
            now = rows_[static_cast<std::size_t>(kind)];
        }
        for (const function f : std::span(now.functions).first(now.count)) {
            reinterpret_cast<F>(f)(values...);
        }
    }

  private:
    static constexpr std::size_t kinds = 6;
    static constexpr std::uint32_t times = 1U << kinds;

    struct row {
        std::size_t count = 0;
        std::array<function, EM_CALLBACKS_MAX> functions{}; // in the order of registration
    };

    [[nodiscard]] static constexpr std::uint32_t bit(hook kind) noexcept {
        return std::uint32_t{1} << static_cast<unsigned>(kind);
    }
    void note(hook kind) noexcept; // under the lock

    machine::atomic<std::uint32_t> flags_{0};
    mutex<machine> lock_;
    std::array<row, kinds> rows_{}; // guarded by it
};
// Of the process, as em_free() does not look at the machine.
extern constinit event_hooks the_event_hooks;

inline void tell_allocated(std::span<const em_event_t> events, int asked, std::uint32_t size, em_event_type_t type,
                           em_pool_t pool) noexcept {
    if (the_event_hooks.any(hook::alloc)) [[unlikely]] {
        the_event_hooks.call<em_api_hook_alloc_t>(hook::alloc, events.data(), static_cast<int>(events.size()), asked,
                                                  size, type, pool);
    }
}
inline void tell_freed(std::span<const em_event_t> events) noexcept {
    if (the_event_hooks.any(hook::free)) [[unlikely]] {
        the_event_hooks.call<em_api_hook_free_t>(hook::free, events.data(), static_cast<int>(events.size()));
    }
}
inline void tell_sent(std::span<const em_event_t> events, em_queue_t queue, em_event_group_t group) noexcept {
    if (the_event_hooks.any(hook::send)) [[unlikely]] {
        the_event_hooks.call<em_api_hook_send_t>(hook::send, events.data(), static_cast<int>(events.size()), queue,
                                                 group);
    }
}

// A core has looked for an event. `idle`: what it found when it looked before.
inline void tell_active(bool& idle) noexcept {
    if (idle) [[unlikely]] {
        idle = false;
        if (the_event_hooks.any(hook::to_active)) {
            the_event_hooks.call<em_idle_hook_to_active_t>(hook::to_active);
        }
    }
}
inline void tell_idle(bool& idle) noexcept {
    if (!idle) {
        idle = true;
        if (the_event_hooks.any(hook::to_idle)) {
            the_event_hooks.call<em_idle_hook_to_idle_t>(hook::to_idle, std::uint64_t{0});
        }
    } else if (the_event_hooks.any(hook::while_idle)) {
        the_event_hooks.call<em_idle_hook_while_idle_t>(hook::while_idle);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
