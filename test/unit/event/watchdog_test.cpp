// SPDX-License-Identifier: Apache-2.0
// A wait for a core that never dispatches is reported. The default runtime reads the environment once: this is a
// program of its own.
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "bare_machine.hpp"

namespace skerry::test {
namespace {

[[maybe_unused]] const int set = ::setenv("SKERRY_WATCHDOG", "0.05", 1);

std::atomic<int> started{0};
em_status_t start_here(void* /*context*/, em_eo_t /*eo*/) {
    ++started;
    return EM_OK;
}
void receive_nothing(void* /*ctx*/, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
    em_free(event);
}

// Reads from the pipe until the text has come.
void read_until(int from, std::string_view text) {
    std::string all;
    std::array<char, 4096> some{};
    while (all.find(text) == std::string::npos) {
        const ssize_t n = ::read(from, some.data(), some.size());
        ASSERT_GT(n, 0) << all;
        all.append(some.data(), static_cast<std::size_t>(n));
    }
}

TEST(watchdog, reports_a_wait_for_a_core_that_never_dispatches) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const int before = ::dup(STDERR_FILENO);
    ASSERT_GE(::dup2(ends[1], STDERR_FILENO), 0);
    {
        const bare_machine machine(2);
        const core_scope is_a_core;
        std::atomic<bool> inside{false};
        std::thread other([&] {
            const core_scope is_another;
            inside = true;
            read_until(ends[0], "waits for other cores of the event machine");
            EXPECT_EQ(started, 1); // the one that waits
        });
        cores::until([&] { return inside.load(); });
        const em_eo_t eo =
            em_eo_create("e", start_nothing, start_here, stop_nothing, nullptr, receive_nothing, nullptr);
        EXPECT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK); // when the other one has left
        other.join();
    }
    ASSERT_GE(::dup2(before, STDERR_FILENO), 0);
    for (const int end : {ends[0], ends[1], before}) {
        ::close(end);
    }
}

} // namespace
} // namespace skerry::test
