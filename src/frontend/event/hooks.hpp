// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions of the program that are called when events are allocated, freed and sent, and when a core goes idle.
//
// Thread safety: any thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <event_machine/platform/event_machine_hooks.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "frontend/event/callbacks.hpp"

namespace skerry::inline SKERRY_ABI::detail {

enum class hook : std::uint8_t { alloc, free, send, to_idle, to_active, while_idle };

class event_hooks {
  public:
    using function = void (*)(); // cast from what it is, and back

    // Whether cores take times for em_debug_timestamp(). relaxed: it begins at some time
    [[nodiscard]] bool takes_times() const noexcept { return times_.load(memory_order::relaxed); }
    void take_times() noexcept { times_.store(true, memory_order::relaxed); }

    [[nodiscard]] bool any(hook kind) const noexcept { return of(kind).any(); }
    // False: there are EM_CALLBACKS_MAX.
    [[nodiscard]] bool add(hook kind, function f) noexcept { return of(kind).add(f); }
    // The first one of that name; false: there is none.
    [[nodiscard]] bool remove(hook kind, function f) noexcept { return of(kind).remove(f); }
    // And cores take no times any more.
    void remove_all() noexcept {
        for (callbacks<function>& row : rows_) {
            row.clear();
        }
        times_.store(false, memory_order::relaxed); // as above
    }

    // Calls all of the kind, which are of type F.
    template <class F, class... Values>
    void call(hook kind, Values... values) const noexcept {
        of(kind).each([&](function f) { call_callback([&] { reinterpret_cast<F>(f)(values...); }); });
    }

  private:
    [[nodiscard]] callbacks<function>& of(hook kind) noexcept { return rows_[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] const callbacks<function>& of(hook kind) const noexcept {
        return rows_[static_cast<std::size_t>(kind)];
    }

    std::array<callbacks<function>, 6> rows_; // by kind
    machine::atomic<bool> times_{false};
};
// Of the process, as em_free() does not look at the machine.
inline constinit event_hooks the_event_hooks;

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
