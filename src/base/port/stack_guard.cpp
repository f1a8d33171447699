// SPDX-License-Identifier: Apache-2.0
#include "base/port/stack_guard.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <pthread.h>

#include "base/port/fault_watch.hpp"
#include "base/port/process.hpp"
#include "base/text.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

// initial-exec: the handler must not enter the loader, which allocates a dynamic thread-local block at first use.
[[gnu::tls_model("initial-exec")]] constinit thread_local const stack_guard* mine = nullptr;

// Written once, before the handler is installed.
struct sigaction previous_segv;
struct sigaction previous_bus;

// Of watch_faults(). The function is written last and read first.
const char* watched_begin = nullptr;
const char* watched_end = nullptr;
constinit std::atomic<void (*)(const void*) noexcept> explain_watched{nullptr};

[[noreturn]] void report(const stack_guard& guard) noexcept {
    detail::fixed_text<200> line;
    line << "skerry: stack overflow in " << guard.name << " (stack of " << guard.stack_size / 1024 << " KiB); "
         << guard.remedy << '\n';
    write_stderr(line.view());
    std::abort();
}

// Acts as the kernel would have, had this handler not been there.
void chain(const struct sigaction& previous, int signal, siginfo_t* info, void* context) noexcept {
    const bool sent = info->si_code <= 0; // by kill() and the like: it does not come again by itself
    if ((previous.sa_flags & SA_SIGINFO) == 0 && (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN)) {
        if (sent && previous.sa_handler == SIG_IGN) {
            return;
        }
        // On return the instruction faults again, and the default action follows.
        struct sigaction standard = {};
        standard.sa_handler = SIG_DFL;
        ::sigaction(signal, &standard, nullptr);
        if (sent) {
            ::raise(signal);
        }
        return;
    }
    ::pthread_sigmask(SIG_BLOCK, &previous.sa_mask, nullptr);
    if ((previous.sa_flags & SA_NODEFER) != 0) {
        sigset_t self;
        sigemptyset(&self);
        sigaddset(&self, signal);
        ::pthread_sigmask(SIG_UNBLOCK, &self, nullptr);
    }
    if ((previous.sa_flags & SA_SIGINFO) != 0) {
        previous.sa_sigaction(signal, info, context);
    } else {
        previous.sa_handler(signal);
    }
}

void on_fault(int signal, siginfo_t* info, void* context) {
    const int saved = errno;
    const stack_guard* const guard = mine;
    const auto* const address = static_cast<const char*>(info->si_addr);
    if (guard != nullptr && info->si_code > 0 && address >= guard->begin && address < guard->end) {
        report(*guard);
    }
    if (auto* const explain = explain_watched.load(std::memory_order_acquire); // F2 <- F1
        explain != nullptr && info->si_code > 0 && address >= watched_begin && address < watched_end) {
        explain(address);
    }
    chain(signal == SIGSEGV ? previous_segv : previous_bus, signal, info, context);
    errno = saved;
}

bool install() noexcept {
    // The old actions are read before the new ones stand: a fault in between must find them.
    ::sigaction(SIGSEGV, nullptr, &previous_segv);
    ::sigaction(SIGBUS, nullptr, &previous_bus);
    struct sigaction ours = {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    ::sigaction(SIGSEGV, &ours, nullptr);
    ::sigaction(SIGBUS, &ours, nullptr);
    // The handler stays in place when a plugin that contains this code is unloaded, so the code has to stay as well.
    return keep_loaded();
}

} // namespace

void set_stack_guard(const stack_guard* guard) noexcept { mine = guard; }

const stack_guard*& declared_stack_guard() noexcept { return mine; }

void watch_faults(const void* begin, std::size_t bytes, void (*explain)(const void*) noexcept) noexcept {
    install_overflow_handler();
    static const bool first = [&] {
        watched_begin = static_cast<const char*>(begin);
        watched_end = watched_begin + bytes;
        explain_watched.store(explain, std::memory_order_release); // F1 -> F2: publishes the range
        return true;
    }();
    static_cast<void>(first);
}

void install_overflow_handler() noexcept {
    static const bool done = install();
    static_cast<void>(done);
}

} // namespace skerry::inline SKERRY_ABI::port
