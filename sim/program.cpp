// SPDX-License-Identifier: Apache-2.0
#include "sim/program.hpp"

#include "base/panic.hpp"
#include "sim/engine.hpp"
#include "sim/fibers.hpp"

namespace skerry_sim {

namespace {

using detail::core;

core& here(const char* what) {
    if (detail::current == nullptr) {
        skerry::detail::panic("skerry_sim::", what, "() outside a simulation");
    }
    return static_cast<core&>(*detail::current);
}

} // namespace

bool simulated() noexcept { return detail::current != nullptr; }

unsigned self() { return here("self").id; }
unsigned cores() { return here("cores").owner->size(); }
bool has_interrupts() { return here("has_interrupts").owner->has_interrupts(); }
bool coherent() { return here("coherent").owner->coherent(); }
bool on_stack(std::uintptr_t address) {
    using detail::fiber_stacks;
    const std::uintptr_t begin = fiber_stacks::base + here("on_stack").id * fiber_stacks::stride +
                                 fiber_stacks::area_size + fiber_stacks::guard_size;
    return address >= begin && address < begin + fiber_stacks::stack_size;
}
std::uint64_t now() { return static_cast<std::uint64_t>(here("now").clock()); }

void pause(std::uint64_t cycles) {
    core& c = here("pause");
    c.owner->pause(c, cycles);
}

void publish_all() { publish(nullptr, ~std::size_t{0}); }
void discard_all() { discard(nullptr, ~std::size_t{0}); }

void publish(const void* begin, std::size_t size) {
    core& c = here("publish");
    c.owner->publish(c, reinterpret_cast<std::uint64_t>(begin), size);
}

void discard(const void* begin, std::size_t size) {
    core& c = here("discard");
    c.owner->discard(c, reinterpret_cast<std::uint64_t>(begin), size);
}

void on_interrupt(void (*handler)(unsigned)) {
    core& c = here("on_interrupt");
    c.owner->set_handler(c, handler);
}

void mask_interrupts() {
    core& c = here("mask_interrupts");
    c.owner->mask(c);
}

void unmask_interrupts() {
    core& c = here("unmask_interrupts");
    if (c.masks == 0) {
        skerry::detail::panic("skerry_sim::unmask_interrupts() without a mask on core ", c.id);
    }
    c.owner->unmask(c);
}

bool interrupt(unsigned target) {
    core& c = here("interrupt");
    if (target >= c.owner->size() || target == c.id) {
        skerry::detail::panic("skerry_sim::interrupt(", target, ") on core ", c.id, " of ", c.owner->size());
    }
    if (!c.owner->has_interrupts()) {
        skerry::detail::panic("skerry_sim::interrupt(", target, ") on a machine without user-level interrupts");
    }
    return c.owner->interrupt(c, target);
}

bool wait_on(const std::uint32_t* word, std::uint32_t expected, std::uint64_t timeout_cycles) {
    core& c = here("wait_on");
    return c.owner->sleep(c, word, expected, timeout_cycles);
}

unsigned wake(const std::uint32_t* word, unsigned count) {
    core& c = here("wake");
    return c.owner->wake(c, word, count);
}

unsigned start_thread(void (*body)(void*), void* arg) {
    core& c = here("start_thread");
    return c.owner->start_thread(c, body, arg);
}

void join_thread(unsigned id) {
    core& c = here("join_thread");
    c.owner->join_thread(c, id);
}

void begin_interest() {
    core& c = here("begin_interest");
    c.owner->begin_interest(c);
}

void end_interest() {
    core& c = here("end_interest");
    c.owner->end_interest(c);
}

void allow_stale_begin() { ++here("allow_stale_begin").allow_stale; }

void allow_stale_end() {
    core& c = here("allow_stale_end");
    if (c.allow_stale == 0) {
        skerry::detail::panic("skerry_sim::allow_stale_end() without a begin on core ", c.id);
    }
    --c.allow_stale;
}

} // namespace skerry_sim
