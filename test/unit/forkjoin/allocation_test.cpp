// SPDX-License-Identifier: Apache-2.0

// Every allocation of the task constructs fails once: an exception, every count in order, nothing lost or leaked.

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/finish.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/future.hpp>
#include <skerry/task.hpp>
#include <skerry/task_group.hpp>
#include <skerry/worker_local.hpp>

#include "../failing_allocator.hpp"
#include "base/port/memory.hpp"
#include "workers.hpp"

namespace {

using skerry::test::fail_after;
using skerry::test::live;
using skerry::test::never;

struct alignas(64) aligned_closure {
    std::atomic<int>* ran;
    void operator()() const { ++*ran; }
};

struct counting_task final : skerry::task {
    std::atomic<int>* ran = nullptr;
    void execute() override { ++*ran; }
};

// Begins tasks in every way, and counts in `begun` those whose beginning did not throw.
void everything(std::atomic<int>& begun, std::atomic<int>& ran, std::atomic<bool>& failed) {
    const auto attempt = [&begun, &failed](const auto& begin) {
        try {
            begin();
            ++begun;
        } catch (const std::bad_alloc&) {
            failed = true;
        } catch (const std::system_error&) {
            failed = true;
        }
    };
    skerry::worker_local<int> locals;
    skerry::task_group group;
    attempt([&] { group.run([&ran] { ++ran; }); });
    attempt([&] { group.run(aligned_closure{&ran}); }); // never in a block that an earlier task has left
    attempt([&] {
        group.run([&] { // with a group that might outlive it, for which what may stop this one is kept
            attempt([&] {
                const auto inner = std::make_unique<skerry::task_group>();
                inner->run([&ran] { ++ran; });
                inner->wait();
            });
            ++ran;
        });
    });
    attempt([&] {
        skerry::finish([&](skerry::scope& s) {
            attempt([&] { s.async([&ran] { ++ran; }); });
            attempt([&] { static_cast<void>(skerry::submit([&ran] { ++ran; })); });
            attempt([&] { group.run([&ran] { ++ran; }); });
            attempt([&] {
                skerry::finish([&](skerry::scope&) { attempt([&] { s.async([&ran] { ++ran; }); }); });
                ++ran;
            });
            attempt([&] {
                std::thread outside([&] { attempt([&] { s.async([&ran] { ++ran; }); }); });
                outside.join();
                ++ran;
            });
            ++ran;
        });
    });
    attempt([&] { skerry::submit([&ran] { ++ran; }).get(); });
    attempt([&] {
        static_cast<void>(locals.local());
        ++ran;
    });
    group.wait();
}

// Runs everything() with allocation `n` failing. True: no allocation has that number, and nothing failed.
bool through(long n, const auto& run) {
    std::atomic<int> begun = 0;
    std::atomic<int> ran = 0;
    std::atomic<bool> failed = false;
    fail_after = n;
    run([&] { everything(begun, ran, failed); });
    const bool reached = fail_after == never;
    fail_after = never;
    EXPECT_EQ(begun, ran);
    EXPECT_TRUE(reached || !failed);
    return !reached && !failed;
}

constexpr long most = 1000; // more allocations than there are

TEST(Allocation, EachMayFail) {
    for (const unsigned workers : {1U, 2U}) {
        const auto attempt = [workers](long n) {
            skerry::runtime rt(OnWorkers::with(workers));
            const auto run = [&rt](const auto& body) { rt.run(body); };
            EXPECT_TRUE(through(most, run)); // also what is allocated once per runtime, process or thread
            return through(n, run);
        };
        ASSERT_TRUE(attempt(most));
        const long before = live;
        long n = 0;
        while (n < most && !attempt(n)) {
            ASSERT_EQ(live, before) << "leak when allocation " << n << " fails";
            ++n;
        }
        EXPECT_GE(n, 8);
        EXPECT_LT(n, most);
    }
}

// Its workers do not end, and they keep as many blocks as were in use at one moment, which a busy machine may find
// later. That grows some times at most; a leak, each time.
TEST(Allocation, EachMayFailInTheStandardRuntime) {
    const auto run = [](const auto& body) { body(); };
    ASSERT_TRUE(through(most, run));
    long n = 0;
    for (bool done = false; n < most && !done; ++n) {
        int growths = 0;
        for (long before = live; growths < 100; ++growths, before = live) {
            done = through(n, run);
            if (live <= before) {
                break;
            }
        }
        ASSERT_LT(growths, 100) << "leak when allocation " << n << " fails";
    }
    EXPECT_GE(n, 8);
    EXPECT_LT(n, most);
}

TEST(Allocation, ADequeThatCannotGrow) {
    for (const unsigned workers : {1U, 2U}) {
        skerry::runtime rt(OnWorkers::with(workers));
        std::atomic<int> begun = 0;
        std::atomic<int> ran = 0;
        rt.run([&] {
            skerry::finish([&](skerry::scope& s) {
                skerry::port::fail_memory_after(0); // the first that a full deque asks for
                try {
                    for (int i = 0; i < 1'000'000; ++i) {
                        s.async([&ran] { ++ran; });
                        ++begun;
                    }
                } catch (const std::bad_alloc&) { // not before the deque is full; thieves may keep it from that
                    EXPECT_GE(begun, 1000);
                }
                skerry::port::fail_memory_after(-1);
            });
            EXPECT_EQ(ran, begun);
            if (workers == 1) {
                EXPECT_LT(begun, 2000);
            }

            ran = 0;
            std::vector<counting_task> tasks(3000);
            counting_task self;
            self.set_reference_count(3000);
            skerry::port::fail_memory_after(0);
            for (counting_task& t : tasks) {
                t.ran = &ran;
                skerry::task::spawn(&t); // runs in place when the deque is full
            }
            skerry::port::fail_memory_after(-1);
            skerry::task::wait(&self);
            EXPECT_EQ(ran, 3000);
        });
    }
}

} // namespace
