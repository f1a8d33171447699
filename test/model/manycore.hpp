// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine policy of a core with a private cache and user-level interrupts: as `sim` is to `native`
// (skerry/detail/sync/sim.hpp). Explored with memory_order_of::caches, and options::interrupts where there are any.

#include <cstddef>
#include <cstdint>

#include "machine.hpp"

namespace skerry::model {

struct manycore : machine {
    // Nobody else reads an owner's page under the protocols for such caches, so a plain store need not leave the core.
    static constexpr memory_order owner_release = memory_order::relaxed;

    static bool asymmetric() noexcept { return false; }
    static constexpr bool coherent() noexcept { return false; }

    static void publish_all(detail::coherence_step s, place where = place::current()) noexcept {
        move(action::publish, nullptr, 0, s, where);
    }
    static void discard_all(detail::coherence_step s, place where = place::current()) noexcept {
        move(action::discard, nullptr, 0, s, where);
    }
    static void publish(const void* first, std::size_t bytes, detail::coherence_step s,
                        place where = place::current()) noexcept {
        move(action::publish, first, bytes, s, where);
    }
    static void discard(const void* first, std::size_t bytes, detail::coherence_step s,
                        place where = place::current()) noexcept {
        move(action::discard, first, bytes, s, where);
    }

    static constexpr unsigned max_cores = max_threads;
    static constexpr bool interrupts() noexcept { return true; }
    static unsigned core() noexcept {
        return engine::instance().on_thread() ? static_cast<unsigned>(engine::instance().thread()) : 0;
    }
    static void mask_interrupts(place where = place::current()) noexcept { ask(action::mask, 0, where); }
    static void unmask_interrupts(place where = place::current()) noexcept { ask(action::unmask, 0, where); }
    static bool interrupt(unsigned core, place where = place::current()) noexcept {
        const bool taken = ask(action::interrupt, core, where).done;
        if (taken) {
            ask(action::interrupt_end, core, where);
        }
        return taken;
    }
    static void on_interrupt(void (*handler)(unsigned), place where = place::current()) noexcept {
        ask(action::on_interrupt, reinterpret_cast<std::uintptr_t>(handler), where);
    }

  private:
    static void move(action what, const void* first, std::size_t bytes, detail::coherence_step s,
                     const place& where) noexcept {
        request r;
        r.operand = static_cast<std::uint64_t>(s) | std::uint64_t{bytes} << 8;
        r.expected = reinterpret_cast<std::uintptr_t>(first);
        r.file = where.file_name();
        r.function = where.function_name();
        r.line = where.line();
        r.what = what;
        engine::instance().perform(r);
    }
};

} // namespace skerry::model
