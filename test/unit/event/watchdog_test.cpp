// SPDX-License-Identifier: Apache-2.0
// Waits that nobody ends are reported. The default runtime reads the environment once: this is a
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

// What goes to standard error while it lives.
class standard_error {
  public:
    standard_error() {
        EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
        EXPECT_GE(::dup2(ends_[1], STDERR_FILENO), 0);
    }
    standard_error(const standard_error&) = delete;
    standard_error& operator=(const standard_error&) = delete;
    ~standard_error() {
        EXPECT_GE(::dup2(before_, STDERR_FILENO), 0);
        for (const int end : {ends_[0], ends_[1], before_}) {
            ::close(end);
        }
    }
    void read_until(std::string_view text) const { test::read_until(ends_[0], text); }

  private:
    std::array<int, 2> ends_{};
    const int before_ = ::dup(STDERR_FILENO);
};

TEST(watchdog, reports_a_wait_for_a_core_that_never_dispatches) {
    const standard_error said;
    {
        const bare_machine machine(2);
        const core_scope is_a_core;
        std::atomic<bool> inside{false};
        std::thread other([&] {
            const core_scope is_another;
            inside = true;
            said.read_until("waits for other cores of the event machine");
            EXPECT_EQ(started, 1); // the one that waits
        });
        cores::until([&] { return inside.load(); });
        const em_eo_t eo =
            em_eo_create("e", start_nothing, start_here, stop_nothing, nullptr, receive_nothing, nullptr);
        EXPECT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK); // when the other one has left
        other.join();
    }
}

std::atomic<em_event_t> suspended{EM_EVENT_UNDEF};
void wait_here(void* /*ctx*/, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
    suspended = event;
    EXPECT_EQ(skerry_em_suspend(), EM_OK);
    em_free(event);
}

TEST(watchdog, reports_a_core_that_cannot_end_since_nobody_resumes_what_it_has_suspended) {
    const with_options options([](skerry_em_options_t& o) { o.cooperative = 1; });
    const standard_error said;
    const bare_machine machine;
    const receiver r = make_receiver(wait_here, nullptr, EM_QUEUE_TYPE_PARALLEL);
    ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    std::thread other([&] {
        said.read_until("waits for suspended receive functions of the event machine");
        EXPECT_EQ(skerry_em_resume(suspended), EM_OK);
    });
    {
        const core_scope is_a_core;
        EXPECT_EQ(em_dispatch(1), 1U);
    }
    other.join();
}

} // namespace
} // namespace skerry::test
