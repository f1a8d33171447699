// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a program on a simulated machine can ask of it. Including this needs no instrumentation.
//
// Everything but simulated() is a panic outside a simulation. Times are cycles of the simulated machine. On a machine
// with coherent caches publishing and discarding do nothing and cost nothing.
// Thread safety: called by the thread of a simulated core.

#include <cstddef>
#include <cstdint>

namespace skerry_sim {

inline constexpr std::uint64_t for_ever = ~std::uint64_t{0};

// Whether the caller runs on a simulated core.
bool simulated() noexcept;

unsigned self();                       // the core that the caller runs on, from 0
unsigned cores();                      // how many there are
bool coherent();                       // whether hardware keeps their caches
bool on_stack(std::uintptr_t address); // whether the address lies on the caller's stack
std::uint64_t now();                   // the core's clock
void pause(std::uint64_t cycles);

// publish: what this core has written becomes readable in the shared cache. discard: what this core has read and not
// written leaves its private cache, so that the next read finds what others have published. The forms with a range
// concern exactly these bytes.
void publish_all();
void discard_all();
void publish(const void* begin, std::size_t size);
void discard(const void* begin, std::size_t size);

// Whether the machine has user-level interrupts.
bool has_interrupts();

// User-level interrupts. A core is born with interrupts unmasked and without a handler; masks nest. A machine that has
// none takes a handler and masks for what they are, and interrupt() is a panic there.
// The handler runs on the core's thread, on top of what it was doing, with interrupts masked. It must not throw.
void on_interrupt(void (*handler)(unsigned sender));
void mask_interrupts();
void unmask_interrupts();

// Interrupts `core` and waits for its answer: true once its handler has returned; false if it has none, has masked
// interrupts, is interrupting somebody itself or has another interrupt to answer. Precondition: another core.
bool interrupt(unsigned core);

// Sleeps while the word in the shared cache is `expected`, until woken or for so many cycles. False: time is up. True:
// woken, or the word differs. The word itself says which; interrupts are taken meanwhile.
bool wait_on(const std::uint32_t* word, std::uint32_t expected, std::uint64_t timeout_cycles);

// Wakes up to `count` sleepers on the word, the longest asleep first; returns how many.
unsigned wake(const std::uint32_t* word, unsigned count);

// Runs body(arg) on the idle core with the least number. Starting synchronises as std::thread does: the caller's cache
// is published first, and the new thread begins with a discard; its end publishes, and join_thread discards.
// Throws std::runtime_error when every core has a thread.
unsigned start_thread(void (*body)(void*), void* arg);

// Waits for the end of the thread that was started on this core. Throws std::logic_error if there is none to join.
void join_thread(unsigned core);

// A region of interest: what figures are of. Outside one, of a program that has one, no cache is simulated, every read
// sees the latest value, and time passes only so that cores take turns. Caches are cold when it begins. Regions nest,
// and those of one run are added up. It is the whole machine's, whichever core begins or ends it.
void begin_interest();
void end_interest();

// Reads between these may see old values: they are not reported, and in emulation they see them. They nest.
void allow_stale_begin();
void allow_stale_end();

template <class T>
T stale_load(const T& from) {
    allow_stale_begin();
    const T value = from;
    allow_stale_end();
    return value;
}

} // namespace skerry_sim
