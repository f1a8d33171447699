// SPDX-License-Identifier: Apache-2.0

// Threads and clocks of the simulated machine. A thread is named by the core that it runs on; its handle is that number
// and one.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/thread.hpp"
#include "sim/program.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

constexpr std::uint64_t yield_cycles = 64;

thread_record* handle_of(unsigned core) noexcept { return reinterpret_cast<thread_record*>(std::uintptr_t{core} + 1); }
unsigned core_of(const thread_record* handle) noexcept {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(handle) - 1);
}

} // namespace

thread& thread::operator=(thread&& other) noexcept {
    if (this != &other) {
        if (record_ != nullptr) {
            detail::panic("sim: assignment to the thread of core ", core_of(record_), ", which was not joined");
        }
        record_ = other.record_;
        other.record_ = nullptr;
    }
    return *this;
}

thread::~thread() {
    if (record_ != nullptr) {
        detail::panic("sim: the thread of core ", core_of(record_), " was destroyed without join");
    }
}

void thread::start(std::size_t /*stack_size*/, const char* name, void (*fn)(void*), void* arg,
                   std::optional<unsigned> /*cpu*/, name_for /*told*/) {
    try {
        record_ = handle_of(skerry_sim::start_thread(fn, arg));
    } catch (const std::runtime_error&) {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                                "skerry: cannot start thread " + std::string(name) + ": the simulated machine has " +
                                    std::to_string(skerry_sim::cores()) +
                                    " cores, and each has one; lower options::workers or SKERRY_WORKERS");
    }
}

void thread::join() noexcept {
    skerry_sim::join_thread(core_of(record_));
    record_ = nullptr;
}

void thread::forget() noexcept { record_ = nullptr; }

const void* this_thread() noexcept { return handle_of(skerry_sim::self()); }
bool on_this_stack(std::uintptr_t address) noexcept { return skerry_sim::on_stack(address); }
void sleep_ns(std::uint64_t ns) noexcept { skerry_sim::pause(ns); }
void run_promptly() noexcept {} // a core runs one thread
void yield() noexcept { skerry_sim::pause(yield_cycles); }

std::uint64_t ticks() noexcept { return skerry_sim::now(); }
double ticks_per_second() noexcept { return 1e9; }
std::uint64_t now_ns() noexcept { return skerry_sim::now(); }

} // namespace skerry::inline SKERRY_ABI::port
