// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cores that go home at once, and stay.

#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/event/event_machine.hpp"
#include "receiving.hpp"

namespace skerry::test {

class homes : public testing::Test {
  public:
    homes() { detail::the_home_rules = detail::home_rules::always(); }
    homes(const homes&) = delete;
    homes& operator=(const homes&) = delete;
    ~homes() override { detail::the_home_rules = before_; }

  private:
    const detail::home_rules before_ = detail::the_home_rules;
};

// Returns when no receive function of these runs: it may last longer than its last event.
inline void stop(const std::vector<receiver>& all) {
    for (const receiver& r : all) {
        EXPECT_EQ(em_eo_stop_sync(r.eo), EM_OK);
    }
}

// Queues that send what they receive to themselves until it is over; `counts`: of the events of each value.
struct self_senders {
    std::atomic<bool> over{false};
    std::array<std::atomic<int>, 17> counts{};
    std::vector<receiver> all;

    void add(int value) {
        all.push_back(make_receiver(again_, EM_QUEUE_TYPE_ATOMIC));
        send_value(value, all.back().queue);
    }

  private:
    receive_by again_ = [this](em_event_t e, em_queue_t q) {
        ++counts[static_cast<std::size_t>(value_of(e))];
        if (over) {
            em_free(e);
        } else {
            EXPECT_EQ(em_send(e, q), EM_OK);
        }
    };
};

} // namespace skerry::test
