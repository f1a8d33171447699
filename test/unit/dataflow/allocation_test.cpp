// SPDX-License-Identifier: Apache-2.0

// A task is one block, whatever it accesses, and none if its worker has one left of an earlier task. A name that
// overlaps earlier ones and the scope of a task with children are one more each. A fork is none.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <thread>

#include <gtest/gtest.h>
#include <skerry/dataflow.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/runtime.hpp>
#include <skerry/task_group.hpp>

namespace {

thread_local std::size_t allocations = 0; // of this thread

void* allocate(std::size_t size, std::size_t alignment) {
    ++allocations;
    void* const p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (p == nullptr) {
        throw std::bad_alloc();
    }
    return p;
}

} // namespace

void* operator new(std::size_t size) { return allocate(size == 0 ? 1 : size, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, std::align_val_t a) { return allocate(size, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return allocate(size, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

using skerry::in;
using skerry::inout;
using skerry::spawn;
using skerry::taskwait;

constexpr std::size_t many = 50;

// Values of their own size, so that no other task's blocks fit.
template <std::size_t Size>
struct padding {
    std::array<char, Size> bytes{};
};

// The other one of two workers keeps the objects until it is let go on; this one has the tasks behind it, all at once.
class behind_another {
  public:
    void keep(int& a, int& b, int& c) {
        began_ = false;
        open_ = false;
        spawn(
            [this](int&, int&, int&) {
                began_ = true;
                while (!open_) {
                    std::this_thread::yield();
                }
            },
            inout(a), inout(b), inout(c));
        while (!began_) {
            std::this_thread::yield();
        }
    }
    void let_go() {
        open_ = true;
        taskwait();
    }

  private:
    std::atomic<bool> began_{false};
    std::atomic<bool> open_{false};
};

skerry::options two_workers() {
    skerry::options o;
    o.workers = 2;
    return o;
}

struct counts {
    std::size_t cold;
    std::size_t warm;
};

// Allocations of `many` spawns, with no block there and with the blocks of the first ones.
template <class Spawn>
counts of_spawns(Spawn&& spawn_one) {
    skerry::runtime r(two_workers());
    counts result{};
    r.run([&] {
        int a = 0;
        int b = 0;
        int c = 0;
        behind_another other;
        // The order has met all three, and the deque its work.
        other.keep(a, b, c);
        spawn([](int&, const int&, int&, padding<900>) {}, inout(a), in(b), inout(c), padding<900>{});
        other.let_go();
        for (std::size_t* const n : {&result.cold, &result.warm}) {
            other.keep(a, b, c);
            const std::size_t before = allocations;
            for (std::size_t i = 0; i < many; ++i) {
                spawn_one(a, b, c);
            }
            *n = allocations - before;
            other.let_go();
        }
    });
    return result;
}

TEST(allocation, is_seen) {
    const std::size_t before = allocations;
    delete new padding<3>;
    EXPECT_EQ(allocations - before, 1U);
}

TEST(allocation, is_one_for_a_task_with_one_access) {
    const counts n =
        of_spawns([](int& a, int&, int&) { spawn([](int& x, padding<300>) { ++x; }, inout(a), padding<300>{}); });
    EXPECT_EQ(n.cold, many);
    EXPECT_EQ(n.warm, 0U);
}

TEST(allocation, is_one_for_a_task_with_three_accesses) {
    const counts n = of_spawns([](int& a, int& b, int& c) {
        spawn([](int& x, const int& y, int& z, padding<300>) { x = z += y; }, inout(a), in(b), inout(c),
              padding<300>{});
    });
    EXPECT_EQ(n.cold, many);
    EXPECT_EQ(n.warm, 0U);
}

// Nobody holds these up, so they may run meanwhile and leave their blocks to the next ones.
TEST(allocation, is_at_most_one_for_a_task_without_accesses) {
    const counts n = of_spawns([](int&, int&, int&) { spawn([](padding<300>) {}, padding<300>{}); });
    EXPECT_GE(n.cold, 1U);
    EXPECT_LE(n.cold, many);
    EXPECT_EQ(n.warm, 0U);
}

// The names themselves are met once.
constexpr std::size_t for_names = 10;

TEST(allocation, is_two_for_a_task_that_names_what_overlaps_earlier_names) {
    std::array<int, 4> object{};
    const std::span<int> whole(object);
    const counts n = of_spawns([whole](int& a, int&, int&) {
        for (const std::span<int> name : {whole.first(1), whole}) {
            spawn([](int& x, std::span<int> y, padding<300>) { x += y[0]; }, inout(a), inout(name), padding<300>{});
        }
    });
    EXPECT_GE(n.cold, 3 * many);
    EXPECT_LE(n.cold, 3 * many + for_names);
    EXPECT_GE(n.warm, many);
    EXPECT_LE(n.warm, many + for_names);
}

skerry::options one_worker() { // whose allocations are counted
    skerry::options o;
    o.workers = 1;
    return o;
}

long fib(int n) {
    if (n < 2) {
        return n;
    }
    const auto [x, y] = skerry::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return x + y;
}

TEST(allocation, is_none_for_a_fork) {
    skerry::runtime r(one_worker());
    r.run([] {
        const std::size_t before = allocations;
        EXPECT_EQ(fib(20), 6765);
        EXPECT_EQ(allocations, before);
    });
}

TEST(allocation, is_one_for_a_task_of_a_group) {
    skerry::runtime r(one_worker());
    r.run([] {
        skerry::task_group group;
        std::size_t ran = 0;
        const std::size_t before = allocations;
        for (std::size_t i = 0; i < many; ++i) {
            group.run([&ran, room = padding<300>{}] { ran += room.bytes[0] == 0 ? 1 : 0; });
        }
        EXPECT_EQ(allocations - before, many);
        group.wait();
        EXPECT_EQ(ran, many);
    });
}

TEST(allocation, is_one_more_for_a_task_with_children) {
    skerry::runtime r(one_worker());
    const auto run = [](bool with_children) {
        const std::size_t before = allocations;
        for (std::size_t i = 0; i < many; ++i) {
            spawn(
                [with_children](padding<300>) {
                    if (with_children) {
                        spawn([](padding<300>) {}, padding<300>{});
                    }
                },
                padding<300>{});
        }
        taskwait();
        return allocations - before;
    };
    r.run([&] {
        static_cast<void>(run(true)); // leaves its blocks
        EXPECT_EQ(run(true), many);
        EXPECT_EQ(run(false), 0U);
    });
}

} // namespace
