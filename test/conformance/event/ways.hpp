// SPDX-License-Identifier: Apache-2.0
#pragma once

// The ways in which an event machine is run, and rules that hold in each. docs/guide/event-machine.md lists them.

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <random>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "../../unit/event/bare_machine.hpp"
#include "../../unit/event/receiving.hpp"

namespace skerry::test {

struct dispatch_mode {
    const char* name;
    void (*set)(skerry_em_options_t&);
};

struct way {
    const dispatch_mode* dispatch;
    int cores;
    bool verified;

    void set(skerry_em_options_t& o) const {
        dispatch->set(o);
        o.esv = verified ? 1 : 0;
    }
};

void PrintTo(const way& w, std::ostream* out);

class event_rules : public testing::TestWithParam<way> {
  protected:
    static int core_count() { return GetParam().cores; }
    static std::uint64_t all_cores() { return (std::uint64_t{1} << core_count()) - 1; }
    void TearDown() override {
        EXPECT_THAT(take_errors(), testing::IsEmpty()); // but for those that the test has looked at
    }

  private:
    const with_options options_{[](skerry_em_options_t& o) { GetParam().set(o); }};
};

// Rules about what other cores do meanwhile.
class event_rules_of_several_cores : public event_rules {};
// Rules about what verification finds.
class event_rules_of_verification : public event_rules {};

// Counts who is inside.
class one_at_a_time {
  public:
    void enter() { overlaps_ += inside_++ != 0 ? 1 : 0; }
    void leave() { --inside_; }
    [[nodiscard]] int overlaps() const { return overlaps_; }

  private:
    std::atomic<int> inside_{0};
    std::atomic<int> overlaps_{0};
};

// Lets others run for a while, which depends on the number.
inline void dawdle(int seed) {
    std::minstd_rand random(static_cast<unsigned>(seed) + 1);
    for (auto i = random() % 8; i != 0; --i) {
        std::this_thread::yield();
    }
}

// --- queue groups: an empty mask holds what is sent until the test lets it go

inline em_queue_group_t make_group(std::uint64_t cores) {
    const em_core_mask_t mask = mask_of(cores);
    return em_queue_group_create_sync("group", &mask);
}
inline void set_mask(em_queue_group_t group, std::uint64_t cores) {
    const em_core_mask_t mask = mask_of(cores);
    ASSERT_EQ(em_queue_group_modify_sync(group, &mask), EM_OK);
}

// --- objects

inline void start_object(em_eo_t eo) { ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK); }

// One that receives up to so many events at once; not started.
inline em_eo_t make_burst_object(em_receive_multi_func_t receive, void* context, int most) {
    em_eo_multircv_param_t p;
    em_eo_multircv_param_init(&p);
    p.start = start_nothing;
    p.stop = stop_nothing;
    p.receive_multi = receive;
    p.max_events = most;
    p.eo_ctx = context;
    return em_eo_create_multircv("bursts", &p);
}

inline std::vector<int> numbers_to(int end) {
    std::vector<int> all;
    for (int i = 0; i < end; ++i) {
        all.push_back(i);
    }
    return all;
}

inline std::vector<int> take_all(em_queue_t unscheduled) {
    std::vector<int> all;
    while (const em_event_t e = em_queue_dequeue(unscheduled)) {
        all.push_back(free_value(e));
    }
    return all;
}

} // namespace skerry::test
