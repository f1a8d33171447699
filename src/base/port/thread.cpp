// SPDX-License-Identifier: Apache-2.0
#include "base/port/thread.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/panic.hpp"
#include "base/port/memory.hpp"
#include "base/port/poison.hpp"
#include "base/port/stack_guard.hpp"

namespace skerry::inline SKERRY_ABI::port {

// One mapping per thread, from low to high addresses:
//     guard | stack | guard | signal stack, record
// The guards are never accessible. The signal stack has its own, for it grows towards the stack's hot end.
struct thread_record {
    void (*fn)(void*) = nullptr;
    void* arg = nullptr;
    stack_guard guard;
    stack_t signal_stack{};
    char name[32]{};
    name_for told = name_for::system;
    pthread_t handle{};
    void* stack = nullptr;
    std::size_t stack_size = 0;
    void* mapping = nullptr;
    std::size_t mapping_size = 0;
};

namespace {

constexpr std::size_t guard_size = 64 * 1024;
constexpr std::size_t least_stack = 128 * 1024;
constexpr std::size_t least_signal_stack = 32 * 1024;

std::size_t system_value(int name, std::size_t least) noexcept {
    const long value = ::sysconf(name);
    return value > 0 ? std::max(static_cast<std::size_t>(value), least) : least;
}

// What the C library takes from the top of a given stack for thread-local storage; large with some sanitizers. The
// function is private to glibc, and Rust's standard library asks it too; without it the stack is a little smaller.
std::size_t static_tls(const pthread_attr_t* attr) noexcept {
    using query = std::size_t (*)(const pthread_attr_t*);
    static const auto least = reinterpret_cast<query>(::dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
    const std::size_t floor = system_value(_SC_THREAD_STACK_MIN, 0);
    return least == nullptr ? 0 : std::max(least(attr), floor) - floor;
}

[[noreturn]] void fail(int error, std::string_view name, const std::string& cause) {
    throw std::system_error(error, std::generic_category(), "skerry: cannot start " + std::string(name) + ": " + cause);
}

[[noreturn]] void fail_without_memory(int error, std::string_view name, std::size_t bytes) {
    fail(error, name,
         "no memory for a stack of " + std::to_string(bytes / 1024) +
             " KiB; lower options::stack_size (SKERRY_STACK_SIZE) or options::workers (SKERRY_WORKERS)");
}

struct unmap {
    void operator()(thread_record* record) const noexcept {
        void* const mapping = record->mapping;
        const std::size_t size = record->mapping_size;
        std::destroy_at(record);
        unmap_memory(mapping, size);
    }
};
using owned_record = std::unique_ptr<thread_record, unmap>;

owned_record make_record(std::size_t stack_size, std::size_t tls, const char* name) {
    const std::size_t page = page_size();
    const std::size_t guard = round_up(guard_size, page);
    const std::size_t signal = round_up(system_value(_SC_SIGSTKSZ, least_signal_stack), page);
    const std::size_t above = signal + round_up(sizeof(thread_record), page);
    constexpr std::size_t most = SIZE_MAX / 4;
    if (stack_size > most) {
        fail_without_memory(ENOMEM, name, stack_size);
    }
    const std::size_t usable = std::max(stack_size, system_value(_SC_THREAD_STACK_MIN, least_stack));
    const std::size_t stack = round_up(usable + tls, page);
    const std::size_t total = guard + stack + guard + above;

    void* const mapping = map_memory(total);
    if (mapping == nullptr) {
        fail_without_memory(errno, name, stack);
    }
    char* const base = static_cast<char*>(mapping);
    char* const upper = base + guard + stack + guard;
    if (!allow_access(base + guard, stack) || !allow_access(upper, above)) {
        const int error = errno;
        unmap_memory(mapping, total);
        fail_without_memory(error, name, stack);
    }
    owned_record record(::new (upper + signal) thread_record);
    record->mapping = mapping;
    record->mapping_size = total;
    record->signal_stack.ss_sp = upper;
    record->signal_stack.ss_size = signal;
    std::string_view(name).copy(record->name, sizeof record->name - 1);
    record->stack = base + guard;
    record->stack_size = stack;
    record->guard = {base, base + guard, usable, record->name};
    return record;
}

class attributes {
  public:
    explicit attributes(std::string_view name) {
        if (const int error = ::pthread_attr_init(&value_); error != 0) {
            fail(error, name, "no memory");
        }
    }
    attributes(const attributes&) = delete;
    attributes& operator=(const attributes&) = delete;
    ~attributes() { ::pthread_attr_destroy(&value_); }
    pthread_attr_t* get() noexcept { return &value_; }

  private:
    pthread_attr_t value_{};
};

void pin(attributes& attr, unsigned cpu, std::string_view name) {
    const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
    const auto release = [](cpu_set_t* set) { CPU_FREE(set); };
    const std::unique_ptr<cpu_set_t, decltype(release)> set(CPU_ALLOC(cpu + 1), release);
    if (set == nullptr) {
        fail(ENOMEM, name, "no memory");
    }
    CPU_ZERO_S(bytes, set.get());
    CPU_SET_S(cpu, bytes, set.get());
    if (const int error = ::pthread_attr_setaffinity_np(attr.get(), bytes, set.get()); error != 0) {
        fail(error, name, "no memory");
    }
}

// The sanitizers bring a signal stack of their own and free whichever is installed at the thread's end: theirs has to
// be back by then.
class signal_stack_scope {
  public:
    explicit signal_stack_scope(const stack_t& ours) noexcept { ::sigaltstack(&ours, &previous_); }
    signal_stack_scope(const signal_stack_scope&) = delete;
    signal_stack_scope& operator=(const signal_stack_scope&) = delete;
    ~signal_stack_scope() { ::sigaltstack(&previous_, nullptr); }

  private:
    stack_t previous_{};
};

void* run(void* argument) {
    const auto& record = *static_cast<const thread_record*>(argument);
    if (record.told == name_for::system) { // by itself: from outside it is a file, which makes the thread's end slow
        char system_name[16]{};
        std::string_view(record.name).copy(system_name, sizeof system_name - 1);
        ::pthread_setname_np(::pthread_self(), system_name);
    }
    set_stack_guard(&record.guard);
    {
        const signal_stack_scope scope(record.signal_stack);
        record.fn(record.arg);
    }
    set_stack_guard(nullptr);
    return nullptr;
}

} // namespace

thread& thread::operator=(thread&& other) noexcept {
    if (this != &other) {
        if (record_ != nullptr) {
            detail::panic("port::thread: assignment to a thread that was not joined: ", record_->name);
        }
        record_ = other.record_;
        other.record_ = nullptr;
    }
    return *this;
}

thread::~thread() {
    if (record_ != nullptr) {
        detail::panic("port::thread: destroyed without join: ", record_->name);
    }
}

void thread::start(std::size_t stack_size, const char* name, void (*fn)(void*), void* arg, std::optional<unsigned> cpu,
                   name_for told) {
    if (record_ != nullptr) {
        detail::panic("port::thread: started twice: ", record_->name);
    }
    install_overflow_handler();
    attributes attr(name);
    owned_record record = make_record(stack_size, static_tls(attr.get()), name);
    record->fn = fn;
    record->arg = arg;
    record->told = told;
    if (const int error = ::pthread_attr_setstack(attr.get(), record->stack, record->stack_size); error != 0) {
        fail(error, record->name,
             "the system refuses a stack of " + std::to_string(record->stack_size / 1024) +
                 " KiB; change options::stack_size or SKERRY_STACK_SIZE");
    }
    if (cpu) {
        pin(attr, *cpu, record->name);
    }
    const int error = ::pthread_create(&record->handle, attr.get(), run, record.get());
    if (error == EINVAL && cpu) {
        fail(error, record->name,
             "this process may not run on CPU " + std::to_string(*cpu) +
                 "; switch pinning off (options::pin, SKERRY_PIN)");
    }
    if (error == EAGAIN || error == ENOMEM) {
        fail(error, record->name,
             "the system has no more threads for this process (RLIMIT_NPROC, the cgroup's pids.max or memory); lower "
             "options::workers or SKERRY_WORKERS");
    }
    if (error != 0) {
        fail(error, record->name, "the system refuses it");
    }
    record_ = record.release();
}

void thread::join() noexcept {
    if (const int error = ::pthread_join(record_->handle, nullptr); error != 0) {
        detail::panic("port::thread: join of ", record_->name, " failed with error ", error);
    }
    forget();
}

void thread::forget() noexcept {
    unmap{}(record_);
    record_ = nullptr;
}

const void* this_thread() noexcept {
    [[gnu::tls_model("initial-exec")]] static constinit thread_local const char own = 0;
    return &own;
}

bool on_this_stack(std::uintptr_t address) noexcept {
    struct bounds {
        std::uintptr_t low = 0;
        std::uintptr_t high = 0;
    };
    static thread_local const bounds here = [] {
        bounds found;
        pthread_attr_t attributes;
        if (::pthread_getattr_np(::pthread_self(), &attributes) == 0) {
            void* low = nullptr;
            std::size_t size = 0;
            if (::pthread_attr_getstack(&attributes, &low, &size) == 0) {
                found.low = reinterpret_cast<std::uintptr_t>(low);
                found.high = found.low + size;
            }
            ::pthread_attr_destroy(&attributes);
        }
        return found;
    }();
    if (const stack_guard* const guard =
            declared_stack_guard()) { // perhaps the stack is not the thread's own (fiber.hpp)
        const auto low = reinterpret_cast<std::uintptr_t>(guard->end);
        if (address >= low && address - low < guard->stack_size) {
            return true;
        }
    }
    return (address >= here.low && address < here.high) || on_fake_stack(reinterpret_cast<const void*>(address));
}

void sleep_ns(std::uint64_t ns) noexcept {
    const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    ::nanosleep(&time, nullptr);
}

void run_promptly() noexcept {
    struct { // sched_setattr(2); the C library has no name for it
        std::uint32_t size;
        std::uint32_t policy;
        std::uint64_t flags;
        std::int32_t nice;
        std::uint32_t priority;
        std::uint64_t runtime, deadline, period; // ns; of an ordinary thread `runtime` is its slice
    } attributes{};
    if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0 && attributes.policy == SCHED_OTHER) {
        attributes.runtime = 100'000; // the least there is
        ::syscall(SYS_sched_setattr, 0, &attributes, 0);
    }
}

void yield() noexcept { ::sched_yield(); }

} // namespace skerry::inline SKERRY_ABI::port
