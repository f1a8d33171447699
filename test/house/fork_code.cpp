// SPDX-License-Identifier: Apache-2.0

// What compilers make of a fork: fork_code_test.py looks for what must not be in it. With CONTROL it is there.

#include <skerry/forkjoin.hpp>

#ifdef CONTROL
#include <atomic>

thread_local long counted; // of a library that may be loaded later: found by a call
std::atomic<long> shared;
void (*volatile unknown)();

void control() {
    ++counted;
    shared.fetch_add(1);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    unknown();
}
#endif

long fib(int n) {
    if (n < 2) return n;
    auto [x, y] = skerry::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return x + y;
}

long fib_returned(int n) { // what captures a reference has the size of a pointer
    if (n < 2) return n;
    auto [x, y] = skerry::parallel_invoke([&] { return fib_returned(n - 1); }, [&] { return fib_returned(n - 2); });
    return x + y;
}

long fib_padded(int n, bool odd) {
    if (n < 2) return n + odd;
    auto [x, y] = skerry::parallel_invoke([n, odd] { return fib_padded(n - 1, !odd); },
                                          [n, odd] { return fib_padded(n - 2, odd); });
    return x + y;
}

struct number {
    explicit number(long v) : value(v) {}
    number(const number& other) : value(other.value) {}
    ~number() { value = 0; }
    long value;
};

number fib_object(int n) {
    if (n < 2) return number(n);
    auto [x, y] = skerry::parallel_invoke([n] { return fib_object(n - 1); }, [n] { return fib_object(n - 2); });
    return number(x.value + y.value);
}

long fib_by_reference(int n) {
    if (n < 2) return n;
    long x, y;
    skerry::parallel_invoke([&] { x = fib_by_reference(n - 1); }, [&] { y = fib_by_reference(n - 2); });
    return x + y;
}
