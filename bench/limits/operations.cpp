// SPDX-License-Identifier: Apache-2.0
// Single operations that a scheduler may choose to use.
#include "limits/limits.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace bench::limits {
namespace {

constexpr unsigned runs = 9;

/// Prints the cost of one of the many equal operations that f(count) does.
template <class F>
void per_operation(const char* name, std::uint64_t count, F f) {
    const double least = least_nanoseconds(runs, [&] { return time([&] { f(count); }); });
    print(name, "ns", least / static_cast<double>(count));
}

/// The processors this process may use, in order.
std::vector<int> processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> found;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) {
        return found;
    }
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &set)) {
            found.push_back(i);
        }
    }
    return found;
}

void run_on(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    return ::syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

/// Runs f here while g(stop) runs on the other processor.
template <class F, class G>
void beside(const std::vector<int>& on, F f, G g) {
    std::atomic<bool> stop{false};
    std::atomic<bool> running{false};
    std::thread other([&] {
        run_on(on[1]);
        running = true;
        g(stop);
    });
    run_on(on[0]);
    while (!running) {
        std::this_thread::yield();
    }
    f(stop);
    stop = true;
    other.join();
}

void round_trip(const std::vector<int>& on) {
    alignas(64) std::atomic<std::uint64_t> word{0};
    beside(
        on,
        [&](auto&) {
            per_operation("round trip of a cache line", 10'000, [&](std::uint64_t count) {
                for (std::uint64_t i = 0; i < count; ++i) {
                    word.store(1, std::memory_order_release);
                    while (word.load(std::memory_order_acquire) != 0) {
                    }
                }
            });
        },
        [&](const std::atomic<bool>& stop) {
            while (!stop.load(std::memory_order_relaxed)) {
                if (word.load(std::memory_order_acquire) == 1) {
                    word.store(0, std::memory_order_release);
                }
            }
        });
}

void heavy_fence(const std::vector<int>& on) {
    if (::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0) {
        return;
    }
    beside(
        on,
        [](auto&) {
            per_operation("membarrier, other processor running", 100, [](std::uint64_t count) {
                for (std::uint64_t i = 0; i < count; ++i) {
                    ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
                }
            });
        },
        [](const std::atomic<bool>& stop) {
            while (!stop.load(std::memory_order_relaxed)) {
            }
        });
}

/// From the store that a sleeper waits for, through the wake-up, to its answer.
void wake_up(const std::vector<int>& on) {
    std::atomic<std::uint32_t> word{0};
    beside(
        on,
        [&](std::atomic<bool>& stop) {
            print("futex wake and the sleeper's answer", "ns", least_nanoseconds(200, [&] {
                      std::this_thread::sleep_for(std::chrono::microseconds(50)); // the other thread goes to sleep
                      return time([&] {
                          word = 1;
                          futex(word, FUTEX_WAKE, 1);
                          while (word != 0) {
                          }
                      });
                  }));
            stop = true;
            word = 2;
            futex(word, FUTEX_WAKE, 1);
        },
        [&](const std::atomic<bool>& stop) {
            while (!stop) {
                futex(word, FUTEX_WAIT, 0);
                std::uint32_t asked = 1;
                word.compare_exchange_strong(asked, 0);
            }
        });
}

} // namespace

void measure_operations() {
    std::atomic<std::uint64_t> word{0};
    const auto repeated = [](auto operation) {
        return [operation](std::uint64_t count) {
            for (std::uint64_t i = 0; i < count; ++i) {
                operation(i);
            }
        };
    };
    constexpr std::uint64_t many = 1'000'000;
    per_operation("store", many, repeated([&](std::uint64_t i) { word.store(i, std::memory_order_relaxed); }));
    per_operation("exchange", many, repeated([&](std::uint64_t i) { word.exchange(i); }));
    per_operation("fetch_add", many, repeated([&](std::uint64_t) { word.fetch_add(1); }));
    per_operation("store and fence", many, repeated([&](std::uint64_t i) {
                      word.store(i, std::memory_order_relaxed);
                      std::atomic_thread_fence(std::memory_order_seq_cst);
                  }));
    per_operation("read of the clock", many / 10,
                  repeated([](std::uint64_t) { keep(std::chrono::steady_clock::now().time_since_epoch().count()); }));
    per_operation("yield", many / 100, repeated([](std::uint64_t) { std::this_thread::yield(); }));
    const std::vector<int> on = processors();
    if (on.size() < 2) {
        return;
    }
    round_trip(on);
    heavy_fence(on);
    wake_up(on);
}

} // namespace bench::limits
