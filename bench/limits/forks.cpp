// SPDX-License-Identifier: Apache-2.0
#include "limits/limits.hpp"

#include <array>
#include <atomic>
#include <cstdlib>

namespace bench::limits {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

struct task {
    void (*run)(void*);
    std::uint64_t argument;
    std::array<std::uint64_t, 6> rest_of_the_line;
};

/// What a worker of a work-stealing runtime keeps, reduced to the words that a fork touches.
struct worker {
    alignas(64) task* split = nullptr; // tasks below are shared
    std::atomic<task*> tail{nullptr};
    alignas(64) std::atomic<std::uint64_t> request{0};
    alignas(64) std::array<task, 128> tasks;
};

worker the_worker;

[[gnu::noinline, gnu::cold]] void never(void* p) { asm volatile("" : : "r"(p) : "memory"); }

// Each step says what it does before the first call and between the two. head is the next free task.

struct calls {
    static void push(worker&, task*, unsigned) {}
    static void pop(worker&, task*) {}
};

struct poll : calls {
    static void push(worker& w, task*, unsigned) {
        if (w.request.load(relaxed) != 0) [[unlikely]] {
            never(&w);
        }
    }
};

/// Owner's part of a split deque whose head lives in a register (Lace).
struct private_deque {
    static void push(worker& w, task* head, unsigned n) {
        head->run = never;
        head->argument = n;
        poll::push(w, head, n);
    }
    static void pop(worker& w, task* head) {
        if (w.split > head) [[unlikely]] {
            never(&w);
        }
    }
};

/// A tail in memory and plain stores: the owner's part when the thief pays for the fence.
struct plain_tail {
    static void push(worker& w, task*, unsigned n) {
        task* const tail = w.tail.load(relaxed);
        tail->run = never;
        tail->argument = n;
        w.tail.store(tail + 1, std::memory_order_release);
    }
    static void pop(worker& w, task*) {
        task* const tail = w.tail.load(relaxed) - 1;
        w.tail.store(tail, relaxed);
        check(w, tail);
    }
    static void check(worker& w, task* tail) {
        asm volatile("" : : : "memory");
        if (w.split > tail) [[unlikely]] {
            never(&w);
        }
    }
};

struct exchanged_pop : plain_tail {
    static void pop(worker& w, task*) {
        task* const tail = w.tail.load(relaxed) - 1;
        w.tail.exchange(tail);
        check(w, tail);
    }
};

struct fenced_pop : plain_tail {
    static void pop(worker& w, task*) {
        task* const tail = w.tail.load(relaxed) - 1;
        w.tail.store(tail, relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        check(w, tail);
    }
};

struct exchanged_push_and_pop : exchanged_pop {
    static void push(worker& w, task*, unsigned n) {
        task* const tail = w.tail.load(relaxed);
        tail->run = never;
        tail->argument = n;
        w.tail.exchange(tail + 1);
    }
};

template <class Step>
[[gnu::noinline]] std::uint64_t fib(worker& w, task* head, unsigned n) {
    if (n < 2) {
        return n;
    }
    Step::push(w, head, n);
    const std::uint64_t x = unknown(fib<Step>(w, head + 1, n - 1));
    Step::pop(w, head);
    const std::uint64_t y = unknown(fib<Step>(w, head, n - 2));
    return x + y;
}

std::uint64_t fib_inlined(unsigned n) { return n < 2 ? n : fib_inlined(n - 1) + fib_inlined(n - 2); }

[[gnu::noinline]] std::uint64_t fib_plain(unsigned n) { return n < 2 ? n : fib_plain(n - 1) + fib_plain(n - 2); }

template <class Step>
std::uint64_t run(unsigned n) {
    task* const first = the_worker.tasks.data();
    the_worker.split = first;
    the_worker.tail.store(first, relaxed);
    return fib<Step>(the_worker, first, n);
}

[[gnu::noinline]] std::uint64_t fib_on_heap(unsigned n) {
    if (n < 2) {
        return n;
    }
    auto* const child = unknown(static_cast<task*>(std::malloc(sizeof(task))));
    if (child == nullptr) {
        std::abort();
    }
    child->run = never;
    child->argument = n - 2;
    const std::uint64_t x = unknown(fib_on_heap(n - 1));
    const auto rest = static_cast<unsigned>(child->argument);
    std::free(child);
    const std::uint64_t y = unknown(fib_on_heap(rest));
    return x + y;
}

/// The frame that lets a thief continue the caller (Cilk): five words of registers and a chain.
struct resumable_frame {
    void* context[5];
    resumable_frame* parent;
};

resumable_frame* current_frame = nullptr;

[[gnu::noinline]] std::uint64_t fib_resumable(unsigned n) {
    if (n < 2) {
        return n;
    }
    resumable_frame frame;
    frame.parent = current_frame;
    current_frame = &frame;
    volatile std::uint64_t x = 0;
    const volatile unsigned saved_n = n;
    if (__builtin_setjmp(frame.context) == 0) {
        x = fib_resumable(saved_n - 1);
    }
    const std::uint64_t y = fib_resumable(saved_n - 2);
    current_frame = frame.parent;
    return x + y;
}

} // namespace

std::vector<step> fork_steps() {
    return {
        {"serial, as deeply inlined into itself as the compiler likes", fib_inlined},
        {"serial, not inlined into itself", fib_plain},
        {"two calls, nothing else", run<calls>},
        {"a polled flag", run<poll>},
        {"private deque: two stores, a polled flag, a compare", run<private_deque>},
        {"shared tail, plain stores, a compare", run<plain_tail>},
        {"setjmp frame", fib_resumable},
        {"shared tail, exchange at pop", run<exchanged_pop>},
        {"malloc and free", fib_on_heap},
        {"two coroutine frames, no deque", fib_of_coroutines},
        {"shared tail, fence at pop", run<fenced_pop>},
        {"shared tail, exchange at push and pop", run<exchanged_push_and_pop>},
    };
}

} // namespace bench::limits
