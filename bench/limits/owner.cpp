// SPDX-License-Identifier: Apache-2.0
// What the owner of a deque does for each fork, one step more from line to line, in the shape that compilers give to
// the fork of fib: the second call is a loop, and the task lies in the caller's frame.
#include "limits/limits.hpp"

#include <array>
#include <atomic>

namespace bench::limits {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

struct task {
    void (*run)(task&);
    unsigned argument;
    const void* context;
};

using slot = std::atomic<task*>;

/// The words that an owner shares with thieves.
struct page {
    std::atomic<slot*> bottom{nullptr}; // where the next task goes
    std::atomic<slot*> limit{nullptr};  // how far there is room; low where somebody rings
    std::atomic<slot*> split{nullptr};  // tasks below may be stolen
    const void* context = nullptr;
};

std::array<slot, 128> slots;
page the_page;
thread_local constinit page* this_page = nullptr;

[[gnu::noinline, gnu::cold]] void never(const void* p) { asm volatile("" : : "r"(p) : "memory"); }
void run_stolen(task& t) { never(&t); }

/// Others may read and write it from here on.
void publish(void* p) { asm volatile("" : : "r"(p) : "memory"); }

/// Keeps the compiler from moving stores and loads; the processor may.
void light_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

enum class up_to : std::uint8_t { calls, owner, bottom, compares, work, place, context };

template <up_to Last>
[[gnu::noinline]] std::uint64_t fib(unsigned n) {
    std::uint64_t sum = 0;
    for (; n >= 2; n -= 2) {
        page* mine = nullptr;
        slot* at = nullptr;
        task second;
        if constexpr (Last >= up_to::owner) {
            mine = this_page;
            if (mine == nullptr) [[unlikely]] {
                never(&n);
                break;
            }
        }
        if constexpr (Last >= up_to::work) {
            second.run = run_stolen;
            second.argument = n - 2;
            publish(&second);
        }
        if constexpr (Last >= up_to::context) {
            second.context = mine->context;
            publish(&second);
        }
        if constexpr (Last >= up_to::bottom) {
            at = mine->bottom.load(relaxed);
        }
        if constexpr (Last >= up_to::place) {
            if (at->load(relaxed) != &second) {
                at->store(&second, relaxed);
            }
        }
        if constexpr (Last >= up_to::bottom) {
            mine->bottom.store(at + 1, std::memory_order_release);
            light_fence();
        }
        if constexpr (Last >= up_to::compares) {
            if (at + 1 >= mine->limit.load(relaxed)) [[unlikely]] {
                never(mine);
            }
        }
        sum += fib<Last>(n - 1);
        if constexpr (Last >= up_to::bottom) {
            mine->bottom.store(at, relaxed);
            light_fence();
        }
        if constexpr (Last >= up_to::compares) {
            if (mine->split.load(relaxed) > at) [[unlikely]] {
                never(mine);
            }
        }
    }
    return sum + n;
}

/// Branches that capture by reference: what they touch has an address, which a thief needs too.
struct reference_task {
    void (*run)(reference_task&);
    unsigned* argument;
    std::uint64_t* result;
    const void* context;
};

void run_stolen_reference(reference_task& t) { never(&t); }

[[gnu::noinline]] std::uint64_t fib_by_reference(unsigned n) {
    if (n < 2) {
        return n;
    }
    page* const mine = this_page;
    if (mine == nullptr) [[unlikely]] {
        never(&n);
        return 0;
    }
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    publish(&n);
    reference_task second{run_stolen_reference, &n, &y, mine->context};
    publish(&second);
    slot* const at = mine->bottom.load(relaxed);
    at->store(reinterpret_cast<task*>(&second), relaxed);
    mine->bottom.store(at + 1, std::memory_order_release);
    light_fence();
    if (at + 1 >= mine->limit.load(relaxed)) [[unlikely]] {
        never(mine);
    }
    x = fib_by_reference(n - 1);
    publish(&x);
    mine->bottom.store(at, relaxed);
    light_fence();
    if (mine->split.load(relaxed) > at) [[unlikely]] {
        never(mine);
    }
    y = fib_by_reference(n - 2);
    publish(&y);
    return x + y;
}

template <std::uint64_t (*Fib)(unsigned)>
std::uint64_t run(unsigned n) {
    this_page = &the_page;
    the_page.bottom.store(slots.data(), relaxed);
    the_page.limit.store(slots.data() + slots.size(), relaxed);
    the_page.split.store(slots.data(), relaxed);
    return Fib(n);
}

} // namespace

std::vector<step> owner_steps() {
    return {
        {"owner: the second call a loop", run<fib<up_to::calls>>},
        {"owner: and the worker's page, if there is one", run<fib<up_to::owner>>},
        {"owner: and the end of the deque, stored at push and pop", run<fib<up_to::bottom>>},
        {"owner: and compares for full, rung and stolen", run<fib<up_to::compares>>},
        {"owner: and the task's function and argument", run<fib<up_to::work>>},
        {"owner: and its slot, where it is not there yet", run<fib<up_to::place>>},
        {"owner: and its context", run<fib<up_to::context>>},
        {"owner: all of it, number and results captured by reference", run<fib_by_reference>},
    };
}

} // namespace bench::limits
