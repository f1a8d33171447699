// SPDX-License-Identifier: Apache-2.0
#include "base/port/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <new>

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

// Written by the one thread of a fresh child only; read by any thread of it later.
constinit std::uint32_t generation = 0;
constinit fork_hooks registered{};
constinit bool ending = false;

void on_prepare() {
    if (registered.prepare != nullptr) {
        registered.prepare();
    }
}

void on_parent() {
    if (registered.parent != nullptr) {
        registered.parent();
    }
}

void on_child() {
    __atomic_store_n(&generation, generation + 1, __ATOMIC_RELAXED);
    if (registered.child != nullptr) {
        registered.child();
    }
}

bool register_once(const fork_hooks& hooks) {
    registered = hooks;
    if (::pthread_atfork(on_prepare, on_parent, on_child) != 0) {
        throw std::bad_alloc();
    }
    return true;
}

} // namespace

void write_stderr(std::string_view text) noexcept {
    const int saved = errno;
    while (!text.empty()) {
        const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
        if (n > 0) {
            text.remove_prefix(static_cast<std::size_t>(n));
        } else if (n == 0 || errno != EINTR) {
            break;
        }
    }
    errno = saved;
}

void abort_with(std::string_view text) noexcept {
    if (__atomic_exchange_n(&ending, true, __ATOMIC_RELAXED)) {
        ::sleep(1); // the first aborts by then, unless nobody reads its text
    } else {
        write_stderr(text);
    }
    std::abort();
}

bool is_memory_fault(int signal) noexcept { return signal == SIGSEGV || signal == SIGBUS; }

std::string host_name() {
    char name[256] = "?";
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "?";
}

std::uint32_t process_id() noexcept { return static_cast<std::uint32_t>(::getpid()); }

std::uint32_t process_generation() noexcept { return __atomic_load_n(&generation, __ATOMIC_RELAXED); }

void track_forks(const fork_hooks& hooks) {
    static const bool done = register_once(hooks);
    static_cast<void>(done);
}

bool keep_loaded() noexcept {
    Dl_info here{};
    if (::dladdr(&generation, &here) == 0 || here.dli_fname == nullptr) {
        return false;
    }
    // RTLD_NODELETE outlives the handle. The main program does not open by its name, and is never unloaded.
    void* const self = ::dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (self != nullptr) {
        ::dlclose(self);
        return true;
    }
    void* const program = ::dlopen(nullptr, RTLD_LAZY);
    return program != nullptr && ::dlclose(program) == 0;
}

void end_with(std::string_view text, int status) noexcept {
    write_stderr(text);
    ::_exit(status);
}

} // namespace skerry::inline SKERRY_ABI::port
