// SPDX-License-Identifier: Apache-2.0
#include "base/port/clock.hpp"

#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "base/port/cpu.hpp"

namespace skerry::inline SKERRY_ABI::port {

std::uint64_t now_ns() noexcept {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

#if defined(__aarch64__)

std::uint64_t ticks() noexcept {
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
}

double ticks_per_second() noexcept {
    std::uint64_t value = 0;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(value));
    return static_cast<double>(value);
}

#elif defined(__x86_64__)

namespace {

// Thread safety: written with the same value by whoever comes first, so that relaxed accesses are enough; floor 0 lies
// below the machine policy and uses the compiler's built-ins.
enum source : int { unknown, counter, system_clock };
constinit int chosen = unknown;
constinit double rate = 0;

source choose() noexcept {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    constexpr unsigned invariant = 1U << 8U; // CPUID 8000'0007h, EDX: the rate holds in every power state
    const bool ok = __get_cpuid(0x8000'0007U, &a, &b, &c, &d) != 0 && (d & invariant) != 0;
    const source found = ok ? counter : system_clock;
    __atomic_store_n(&chosen, found, __ATOMIC_RELAXED);
    return found;
}

source current() noexcept {
    const int known = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    return known != unknown ? static_cast<source>(known) : choose();
}

struct sample {
    std::uint64_t ns;
    std::uint64_t ticks;
};

// The two clocks read at one moment: the tightest of a few tries, so that a preemption between the reads does not
// count.
sample read_both() noexcept {
    sample best{};
    std::uint64_t width = UINT64_MAX;
    for (int i = 0; i < 5; ++i) {
        const std::uint64_t before = __rdtsc();
        const std::uint64_t ns = now_ns();
        const std::uint64_t after = __rdtsc();
        if (after - before < width) {
            width = after - before;
            best = {ns, before + width / 2};
        }
    }
    return best;
}

} // namespace

std::uint64_t ticks() noexcept { return current() == counter ? __rdtsc() : now_ns(); }

double ticks_per_second() noexcept {
    constexpr std::uint64_t window_ns = 200'000;
    double value = 0;
    __atomic_load(&rate, &value, __ATOMIC_RELAXED);
    if (value != 0) {
        return value;
    }
    if (current() == counter) {
        const sample first = read_both();
        while (now_ns() - first.ns < window_ns) {
            pause();
        }
        const sample last = read_both();
        value = static_cast<double>(last.ticks - first.ticks) * 1e9 / static_cast<double>(last.ns - first.ns);
    } else {
        value = 1e9;
    }
    __atomic_store(&rate, &value, __ATOMIC_RELAXED);
    return value;
}

#else

std::uint64_t ticks() noexcept { return now_ns(); }

double ticks_per_second() noexcept { return 1e9; }

#endif

} // namespace skerry::inline SKERRY_ABI::port
