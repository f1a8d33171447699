// SPDX-License-Identifier: Apache-2.0

// What a user meets who gives an option a value that it cannot have, or enters with too many threads.

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/finish.hpp>
#include <skerry/runtime.hpp>

namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct bad_variable {
    const char* name;
    const char* value;
    const char* message;
};

class Environment : public testing::TestWithParam<bad_variable> {};

TEST_P(Environment, ABadValueIsNamedWithWhatIsAccepted) {
    const auto [name, value, message] = GetParam();
    setenv(name, value, 1);
    EXPECT_THAT([] { skerry::options::from_environment(); }, ThrowsMessage<std::invalid_argument>(message));
    unsetenv(name);
}

INSTANTIATE_TEST_SUITE_P(
    Variables, Environment,
    testing::Values(
        bad_variable{"SKERRY_WORKERS", "many",
                     "SKERRY_WORKERS=many: not understood; a whole number from 0 to 4096 is accepted"},
        bad_variable{"SKERRY_WORKERS", "4097",
                     "SKERRY_WORKERS=4097: not understood; a whole number from 0 to 4096 is accepted"},
        bad_variable{"SKERRY_PIN", "2",
                     "SKERRY_PIN=2: not understood; 1, true, yes, on, 0, false, no or off is accepted"},
        bad_variable{"SKERRY_STACK_SIZE", "8X",
                     "SKERRY_STACK_SIZE=8X: not understood; a number of bytes from 128K to 64G (units K, M, G) is "
                     "accepted"},
        bad_variable{"SKERRY_MAX_SLOTS", "0",
                     "SKERRY_MAX_SLOTS=0: not understood; a whole number from 1 to 65536 is accepted"},
        bad_variable{"SKERRY_BLOCKING_THREADS", "-1",
                     "SKERRY_BLOCKING_THREADS=-1: not understood; a whole number from 0 to 16384 is accepted"},
        bad_variable{"SKERRY_STEAL", "politely",
                     "SKERRY_STEAL=politely: not understood; automatic, asymmetric, locked or interrupt is accepted"},
        bad_variable{"SKERRY_GUARD_ACCESSES", "2",
                     "SKERRY_GUARD_ACCESSES=2: not understood; 1, true, yes, on, 0, false, no or off is accepted"},
        bad_variable{"SKERRY_TRACE_MEMORY", "1K",
                     "SKERRY_TRACE_MEMORY=1K: not understood; a number of bytes from 4K to 64G (units K, M, G) is "
                     "accepted"},
        bad_variable{"SKERRY_DEVICES", "gpu",
                     "SKERRY_DEVICES=gpu: not understood; auto, none, all, or a list with commas of opencl, opencl0, "
                     "emulated, emulated:speed=0.25:memory=64M:latency=50us is accepted"},
        bad_variable{"SKERRY_DEVICE_MEMORY", "shared",
                     "SKERRY_DEVICE_MEMORY=shared: not understood; automatic or private is accepted"},
        bad_variable{"SKERRY_TASK_MANAGER", "nexus",
                     "SKERRY_TASK_MANAGER=nexus: not understood; software or nexus-model is accepted"},
        bad_variable{"SKERRY_WATCHDOG", "-1",
                     "SKERRY_WATCHDOG=-1: not understood; a number of seconds from 0 to 1000000 is accepted"}));

skerry::options with(unsigned workers) {
    skerry::options o;
    o.workers = workers;
    return o;
}

TEST(Options, OutOfRangeIsNamedWithWhatIsAccepted) {
    const auto rejects = [](auto&& spoil, const char* message) {
        skerry::options o;
        spoil(o);
        EXPECT_THAT([&] { const skerry::runtime rt(o); }, ThrowsMessage<std::invalid_argument>(message));
    };
    rejects([](skerry::options& o) { o.workers = 100000; },
            "skerry: options::workers is 100000; accepted is 0 to 4096");
    rejects([](skerry::options& o) { o.stack_size = 1; },
            "skerry: options::stack_size is 1; accepted is 131072 to 68719476736");
    rejects([](skerry::options& o) { o.max_slots = 0; }, "skerry: options::max_slots is 0; accepted is 1 to 65536");
    rejects([](skerry::options& o) { o.blocking_threads = 20000; },
            "skerry: options::blocking_threads is 20000; accepted is 0 to 16384");
    rejects([](skerry::options& o) { o.watchdog_seconds = -1; },
            "skerry: options::watchdog_seconds is -1.000000; accepted is 0.000000 to 1000000.000000");
}

TEST(Slots, TooFewForTheWorkers) {
    skerry::options o = with(4);
    for (const unsigned slots : {2U, 3U}) { // 3: enough for the threads that it starts, not for the one that comes
        o.max_slots = slots;
        EXPECT_THAT([&] { const skerry::runtime rt(o); },
                    ThrowsMessage<std::invalid_argument>(
                        "skerry: max_slots (SKERRY_MAX_SLOTS) is smaller than the number of threads needed"));
    }
    o.max_slots = 4;
    skerry::runtime rt(o);
    rt.run([] {});
}

TEST(Slots, AllTaken) {
    skerry::options o = with(1);
    o.max_slots = 1;
    skerry::runtime rt(o);
    rt.run([&] {
        std::thread second([&] {
            EXPECT_THAT([&] { rt.run([] {}); },
                        ThrowsMessage<std::system_error>(
                            HasSubstr("skerry: all 1 slots are taken by threads inside the runtime; raise "
                                      "options::max_slots or SKERRY_MAX_SLOTS")));
        });
        second.join();
    });
}

// With one worker nobody else would run it.
TEST(Slots, NoneForTheThreadThatRunsWhatComesFromOutside) {
    skerry::options o = with(1);
    o.max_slots = 1;
    skerry::runtime rt(o);
    rt.run([] {
        skerry::finish([](skerry::scope& scope) {
            std::thread second([&] {
                EXPECT_THAT([&] { scope.async([] {}); },
                            ThrowsMessage<std::system_error>(
                                HasSubstr("skerry: no slot is left for the thread that runs what comes from outside; "
                                          "raise options::max_slots or SKERRY_MAX_SLOTS")));
            });
            second.join();
        });
    });
}

} // namespace
