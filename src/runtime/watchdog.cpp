// SPDX-License-Identifier: Apache-2.0

#include "runtime/watchdog.hpp"

#include <cstring>

#include "base/port/clock.hpp"
#include "base/port/process.hpp"
#include "base/text.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::size_t own_stack = std::size_t{256} << 10;

// A worker with nothing to do, or with something that runs, is not waiting.
bool is_wait(const char* text) noexcept {
    return std::strcmp(text, "idle") != 0 && std::strcmp(text, "running tasks") != 0;
}

} // namespace

watchdog::watchdog(team& crew, double seconds) : team_(crew), limit_ns_(static_cast<std::uint64_t>(seconds * 1e9)) {
    thread_.start(own_stack, "skerry watchdog", &run, this);
}

watchdog::~watchdog() {
    if (thread_.joinable()) {
        stop_.store(1, std::memory_order_release);
        machine::futex_wake(stop_, 1);
        thread_.join();
    }
}

void watchdog::run(void* self) {
    watchdog& w = *static_cast<watchdog*>(self);
    while (w.stop_.load(std::memory_order_acquire) == 0) {
        machine::futex_wait_for(w.stop_, 0, w.limit_ns_);
        const std::uint64_t now = port::now_ns();
        if (w.stop_.load(std::memory_order_acquire) == 0 && w.overdue(now)) {
            w.report(now);
        }
    }
}

bool watchdog::overdue(std::uint64_t now) const noexcept {
    for (unsigned i = 0; i < team_.slots(); ++i) {
        const activity& a = team_.slot(i).doing;
        const std::uint64_t since = a.since.load(std::memory_order_relaxed);
        if (is_wait(a.text.load(std::memory_order_relaxed)) && now > since && now - since >= limit_ns_) {
            return true;
        }
    }
    return false;
}

void watchdog::report(std::uint64_t now) const noexcept {
    fixed_text<200> head;
    head << "skerry watchdog: a wait has lasted longer than " << limit_ns_ / 1'000'000 << " ms\n";
    port::write_stderr(head.view());
    for (unsigned i = 0; i < team_.slots(); ++i) {
        const worker& w = team_.slot(i);
        const char* const text = w.doing.text.load(std::memory_order_relaxed);
        const void* const subject = w.doing.subject.load(std::memory_order_relaxed);
        const std::uint64_t since = w.doing.since.load(std::memory_order_relaxed);
        fixed_text<300> line;
        line << "  worker " << i << ": "
             << (w.taken.load(std::memory_order_relaxed) ? (is_wait(text) ? "waits for " : "") : "not in use, last ")
             << text;
        if (subject != nullptr) {
            line << ' ' << subject;
        }
        if (since != 0 && now > since) {
            line << ", for " << (now - since) / 1'000'000 << " ms";
        }
        line << (w.sleeping.prepared() ? ", asleep" : "") << (w.tasks.looks_busy() ? ", has tasks" : "") << '\n';
        port::write_stderr(line.view());
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
