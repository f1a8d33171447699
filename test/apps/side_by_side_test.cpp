// SPDX-License-Identifier: Apache-2.0
#include "support/side_by_side.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

namespace {

using apps::side_by_side;
using testing::ElementsAre;

const auto ended = testing::ThrowsMessage<std::runtime_error>("a serial copy has ended before its time");

class copies : public testing::Test {
  public:
    ~copies() override { ::munmap(shared_, sizeof(shared)); }
    copies(const copies&) = delete;
    copies& operator=(const copies&) = delete;

  protected:
    struct shared {
        std::atomic<int> arrived{0};
        std::atomic<int> begun{0};
    };

    copies()
        : shared_(new(::mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
                      shared) {}

    shared* shared_; // with the copies
};

TEST_F(copies, are_processes_of_their_own_for_all_rounds) {
    side_by_side two(2, [] {
        return [round = 0.0](const side_by_side::meeting&) mutable {
            return std::vector{static_cast<double>(::getpid()), ++round};
        };
    });
    const auto first = two.round();
    const auto second = two.round();
    EXPECT_NE(first[0][0], first[1][0]);
    EXPECT_THAT(first, testing::Each(testing::Contains(testing::Ne(static_cast<double>(::getpid())))));
    EXPECT_THAT(second[0], ElementsAre(first[0][0], 2));
    EXPECT_THAT(second[1], ElementsAre(first[1][0], 2));
}

// The copy that comes first would be through long before the other has begun, if nobody held it.
TEST_F(copies, meet) {
    side_by_side two(2, [this] {
        return [this](const side_by_side::meeting& meet) {
            if (shared_->arrived.fetch_add(1) % 2 == 1) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            shared_->begun.fetch_add(1);
            meet();
            const std::vector seen{static_cast<double>(shared_->begun.load())};
            meet();
            return seen;
        };
    });
    EXPECT_THAT(two.round(), ElementsAre(ElementsAre(2), ElementsAre(2)));
    EXPECT_THAT(two.round(), ElementsAre(ElementsAre(4), ElementsAre(4)));
}

TEST_F(copies, have_a_processor_each) {
    side_by_side two(2, [] {
        return [](const side_by_side::meeting&) {
            cpu_set_t mine;
            CPU_ZERO(&mine);
            ::sched_getaffinity(0, sizeof mine, &mine);
            return std::vector<double>{static_cast<double>(CPU_COUNT(&mine)),
                                       CPU_ISSET(::sched_getcpu(), &mine) ? 1.0 : 0.0};
        };
    });
    if (std::thread::hardware_concurrency() < 2) {
        GTEST_SKIP() << "one processor";
    }
    EXPECT_THAT(two.round(), ElementsAre(ElementsAre(1, 1), ElementsAre(1, 1)));
}

TEST_F(copies, the_slowest_counts) {
    side_by_side three(3, [this] {
        return
            [this](const side_by_side::meeting&) { return std::vector<double>{shared_->arrived.fetch_add(1) + 0.5}; };
    });
    EXPECT_EQ(three.slowest(), 2.5);
    EXPECT_EQ(three.slowest(), 5.5);
}

class without_descriptors {
  public:
    without_descriptors() {
        EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
        const rlimit none{0, before_.rlim_max};
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    }
    without_descriptors(const without_descriptors&) = delete;
    without_descriptors& operator=(const without_descriptors&) = delete;
    ~without_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

  private:
    rlimit before_{};
};

// UBSan needs a descriptor when it first looks at an object: the error's category is looked at before there are none,
// and the exception when they are back.
TEST_F(copies, without_descriptors_there_are_none) {
    ASSERT_FALSE(std::error_code(EMFILE, std::generic_category()).message().empty());
    std::string says;
    try {
        const without_descriptors now;
        side_by_side one(1, [] { return side_by_side::work(); });
    } catch (const std::system_error& e) {
        says = e.what();
    }
    EXPECT_THAT(says, testing::StartsWith("serial copies side by side: "));
}

// The other waits for it at the meeting.
TEST_F(copies, an_error_in_one_ends_all) {
    side_by_side two(2, [this] {
        return [this](const side_by_side::meeting& meet) {
            if (shared_->arrived.fetch_add(1) == 0) {
                throw std::runtime_error("out of luck");
            }
            meet();
            return std::vector{1.0};
        };
    });
    EXPECT_THAT([&] { two.round(); }, ended);
}

TEST_F(copies, a_death_is_an_error) {
    side_by_side one(1, [] {
        return [](const side_by_side::meeting&) -> std::vector<double> {
            ::raise(SIGKILL);
            return {};
        };
    });
    EXPECT_THAT([&] { one.round(); }, ended);
    EXPECT_THAT([&] { one.round(); }, ended); // and no SIGPIPE
}

} // namespace
