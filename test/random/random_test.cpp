// SPDX-License-Identifier: Apache-2.0

// Random programs of dataflow tasks against their serial elision. README.md says what is compared, and how a failure is
// repeated.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <rapidcheck.h>

#include "choices.hpp"
#include "interpreter.hpp"
#include "outcome.hpp"
#include "program.hpp"

namespace random_programs {

namespace {

constexpr unsigned round = 40;                // programs between two looks at the clock
constexpr std::size_t fewest = 600;           // programs, for the shares to mean something
constexpr unsigned tries_when_shrinking = 20; // a fault may need luck to show

// Says which program does not end. It never ends well: a test that hangs is stopped from outside, and says nothing.
class hang_watch {
  public:
    void begin(std::uint64_t seed, const choices& c) {
        const std::lock_guard lock(mutex_);
        seed_ = seed;
        running_ = c;
        ++begun_;
    }

  private:
    void watch(const std::stop_token& stop) {
        std::uint64_t seen = 0;
        auto since = std::chrono::steady_clock::now();
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            const std::lock_guard lock(mutex_);
            if (std::exchange(seen, begun_) != begun_) {
                since = std::chrono::steady_clock::now();
            } else if (std::chrono::steady_clock::now() - since > patience) {
                std::printf("This program does not end; SKERRY_STRESS_SEED=%llu repeats its round.\n%s",
                            static_cast<unsigned long long>(seed_), text_of(make_program(running_.list)).c_str());
                std::fflush(stdout);
                std::_Exit(1);
            }
        }
    }

    static constexpr std::chrono::seconds patience{60};

    std::mutex mutex_;
    std::uint64_t seed_ = 0;
    choices running_;
    std::uint64_t begun_ = 0;
    std::jthread thread_{[this](const std::stop_token& stop) { watch(stop); }};
};

class RandomPrograms : public testing::TestWithParam<unsigned> {};

TEST_P(RandomPrograms, EqualTheirElision) {
    skerry::options o;
    o.task_manager = skerry::options::from_environment().task_manager;
    o.workers = GetParam();
    skerry::runtime parallel(o);
    skerry::serial::runtime serial;
    shares seen;
    hang_watch watch;
    bool failed = false;
    std::uint64_t seed = first_seed();
    const auto property = [&](const choices& c) {
        watch.begin(seed, c);
        const program p = make_program(c.list);
        install({&p, 1});
        const outcome expected = interpreter<serial_constructs>::run(serial, p);
        seen.add(traits_of(p));
        for (unsigned tries = failed ? tries_when_shrinking : 1; tries > 0; --tries) {
            const outcome found = interpreter<parallel_constructs>::run(parallel, p);
            if (const std::string wrong = difference(p, expected, found); !wrong.empty()) {
                failed = true;
                RC_FAIL(wrong);
            }
        }
    };

    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(2 * stress_seconds());
    do {
        const std::string wrong = check_round(seed, round, property);
        ASSERT_TRUE(wrong.empty()) << wrong << "\nSKERRY_STRESS_SEED=" << seed << " repeats it.";
        ++seed;
    } while (std::chrono::steady_clock::now() < end || seen.programs < fewest);
    seen.print();
    seen.expect_enough();
}

INSTANTIATE_TEST_SUITE_P(Workers, RandomPrograms, testing::Values(1U, 2U, 4U),
                         [](const auto& given) { return std::to_string(given.param); });

} // namespace
} // namespace random_programs
