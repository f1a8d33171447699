// SPDX-License-Identifier: Apache-2.0

#include <array>

#include <skerry/detail/sync/sim.hpp>

#include "sim/port/faults.hpp"
#include "sim/port/trace.hpp"
#include "sim/program.hpp"

namespace skerry::inline SKERRY_ABI {

namespace {

constexpr std::uint64_t pause_cycles = 8;
constexpr std::uint64_t fence_cycles = 40; // about an interrupt there and back

constinit std::uint32_t left_out = 0;
constinit bool masks_left_out = false;
constinit std::array<std::uint64_t, 32> done{};

bool takes_place(detail::coherence_step step) noexcept {
    const auto number = static_cast<unsigned>(step);
    if ((left_out >> number & 1U) != 0) {
        return false;
    }
    ++done[number];
    return true;
}

const std::uint32_t* bits(const detail::sim::atomic<std::uint32_t>& word) noexcept {
    return reinterpret_cast<const std::uint32_t*>(&word);
}

} // namespace

namespace port {

void leave_out(std::initializer_list<detail::coherence_step> steps) {
    left_out = 0;
    for (const detail::coherence_step s : steps) {
        left_out |= 1U << static_cast<unsigned>(s);
    }
}

void leave_out_masks(bool yes) { masks_left_out = yes; }
std::uint64_t steps_done(detail::coherence_step step) { return done[static_cast<unsigned>(step)]; }

} // namespace port

namespace detail {

heavy_fence sim::heavy_fence() noexcept {
    skerry_sim::pause(fence_cycles);
    return detail::heavy_fence::passed;
}
bool sim::coherent() noexcept { return skerry_sim::coherent(); }

void sim::pause() noexcept { skerry_sim::pause(pause_cycles); }

void sim::futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    skerry_sim::wait_on(bits(word), expected, skerry_sim::for_ever);
}
// A simulated core's cycle is a nanosecond.
void sim::futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns) noexcept {
    skerry_sim::wait_on(bits(word), expected, timeout_ns);
}
void sim::futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
    skerry_sim::wake(bits(word), static_cast<unsigned>(count));
}

void sim::publish_all(coherence_step step) noexcept {
    if (takes_place(step)) {
        skerry_sim::publish_all();
        port::note_publish(0, step);
    }
}
void sim::discard_all(coherence_step step) noexcept {
    if (takes_place(step)) {
        skerry_sim::discard_all();
        port::note_discard(0, step);
    }
}
void sim::publish(const void* first, std::size_t bytes, coherence_step step) noexcept {
    if (takes_place(step)) {
        skerry_sim::publish(first, bytes);
        port::note_publish(bytes, step);
    }
}
void sim::discard(const void* first, std::size_t bytes, coherence_step step) noexcept {
    if (takes_place(step)) {
        skerry_sim::discard(first, bytes);
        port::note_discard(bytes, step);
    }
}
void sim::allow_stale_begin() noexcept { skerry_sim::allow_stale_begin(); }
void sim::allow_stale_end() noexcept { skerry_sim::allow_stale_end(); }

void sim::interest_begins() noexcept { skerry_sim::begin_interest(); }
void sim::interest_ends() noexcept { skerry_sim::end_interest(); }

bool sim::has_interrupts() noexcept { return skerry_sim::has_interrupts(); }
unsigned sim::core() noexcept { return skerry_sim::self(); }
void sim::mask_interrupts() noexcept {
    if (!masks_left_out) {
        skerry_sim::mask_interrupts();
    }
}
void sim::unmask_interrupts() noexcept {
    if (!masks_left_out) {
        skerry_sim::unmask_interrupts();
    }
}
bool sim::interrupt(unsigned core) noexcept { return skerry_sim::interrupt(core); }
void sim::on_interrupt(void (*handler)(unsigned)) noexcept { skerry_sim::on_interrupt(handler); }

} // namespace detail

} // namespace skerry::inline SKERRY_ABI
