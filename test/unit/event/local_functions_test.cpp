// SPDX-License-Identifier: Apache-2.0

// Start and stop functions of each core.

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bare_machine.hpp"
#include "receiving.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

// A thread that is a core for as long as this lives.
class a_core {
  public:
    a_core()
        : thread_([this] {
              const core_scope is_a_core;
              inside = true;
              while (!over_) {
                  static_cast<void>(em_dispatch(100));
              }
          }) {
        cores::until([&] { return inside.load(); });
    }
    a_core(const a_core&) = delete;
    a_core& operator=(const a_core&) = delete;
    ~a_core() {
        over_ = true;
        thread_.join();
    }
    std::atomic<bool> inside{false};

  private:
    std::atomic<bool> over_{false};
    std::thread thread_;
};

struct life {
    std::array<std::atomic<int>, EM_MAX_CORES> starts{};
    std::array<std::atomic<int>, EM_MAX_CORES> stops{};
    std::atomic<int> all_starts{0};
    std::atomic<int> all_stops{0};
    std::atomic<int> global{0};
    std::atomic<int> early{0};
    std::atomic<int> received{0};
    std::atomic<int> fails_on{-1};
    std::atomic<bool> hold{false};
    std::atomic<em_queue_t> sends_to{EM_QUEUE_UNDEF};
    log seen;
};

em_status_t start_all(void* context, em_eo_t /*eo*/, const em_eo_conf_t* /*conf*/) {
    auto& l = *static_cast<life*>(context);
    ++l.global;
    if (l.sends_to != EM_QUEUE_UNDEF) {
        send_value(0, l.sends_to);
    }
    return EM_OK;
}
em_status_t start_here(void* context, em_eo_t eo) {
    auto& l = *static_cast<life*>(context);
    EXPECT_EQ(em_eo_current(), eo);
    wait_for(l.hold, false);
    const int core = em_core_id();
    ++l.starts[static_cast<unsigned>(core)];
    l.early += l.global != 1 ? 1 : 0;
    if (l.sends_to != EM_QUEUE_UNDEF) {
        send_value(2 * core + 1, l.sends_to);
        send_value(2 * core + 2, l.sends_to);
    }
    ++l.all_starts;
    return core == l.fails_on ? 55U : EM_OK;
}
em_status_t stop_here(void* context, em_eo_t /*eo*/) {
    auto& l = *static_cast<life*>(context);
    ++l.stops[static_cast<unsigned>(em_core_id())];
    ++l.all_stops;
    l.early += l.global != 1 ? 1 : 0;
    return EM_OK;
}
em_status_t stop_all(void* context, em_eo_t /*eo*/) {
    --static_cast<life*>(context)->global;
    return EM_OK;
}
void receive_life(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    auto& l = *static_cast<life*>(context);
    l.early += l.starts[static_cast<unsigned>(em_core_id())] == 0 ? 1 : 0;
    l.seen.add(free_value(event));
    ++l.received;
}
em_eo_t make_life(life& l) {
    return em_eo_create("life", start_all, start_here, stop_all, stop_here, receive_life, &l);
}

TEST(local_functions, run_once_on_each_core_around_the_life_of_the_object) {
    cores machine(3);
    life l;
    const em_eo_t eo = make_life(l);
    for (int round = 1; round <= 20; ++round) { // cores that sleep are woken
        ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
        EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_RUNNING);
        EXPECT_EQ(l.all_starts, 3 * round);
        ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
        EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_CREATED);
        EXPECT_EQ(l.all_stops, 3 * round);
    }
    for (unsigned c = 0; c < 3; ++c) {
        EXPECT_EQ(l.starts[c], 20);
        EXPECT_EQ(l.stops[c], 20);
    }
    EXPECT_EQ(l.global, 0);
    EXPECT_EQ(l.early, 0);
    ASSERT_EQ(em_eo_delete(eo), EM_OK);
}

TEST(local_functions, what_they_send_arrives_after_all_of_them_in_order) {
    cores machine(2);
    life l;
    l.hold = true;
    const em_eo_t eo = make_life(l);
    l.sends_to = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC));
    log told;
    receive_by note = [&](em_event_t e, em_queue_t) { told.add(free_value(e)); };
    const receiver to = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    const em_notif_t when{make_event(9), to.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_eo_start(eo, nullptr, nullptr, 1, &when), EM_OK);
    const em_eo_state_t state = em_eo_get_state(eo);
    EXPECT_EQ(l.received, 0);
    l.hold = false;
    ASSERT_EQ(state, EM_EO_STATE_STARTING) << "em_eo_get_state(eo)";
    cores::until([&] { return l.received == 5 && told.size() == 1; });
    const std::vector<int> all = l.seen.all();
    EXPECT_EQ(all[0], 0); // the start function's
    EXPECT_TRUE(std::find(all.begin(), all.end(), 1) < std::find(all.begin(), all.end(), 2));
    EXPECT_TRUE(std::find(all.begin(), all.end(), 3) < std::find(all.begin(), all.end(), 4));
    EXPECT_EQ(l.early, 0);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

TEST(local_functions, one_that_fails_starts_nothing_and_loses_no_event) {
    cores machine(2, 8);
    life l;
    l.fails_on = 1;
    const em_eo_t eo = make_life(l);
    l.sends_to = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC));
    em_status_t result = EM_ERROR;
    EXPECT_EQ(em_eo_start_sync(eo, &result, nullptr), status_of(EM_ERR_OPERATION_FAILED));
    EXPECT_EQ(result, static_cast<em_status_t>(EM_OK)); // of the start function
    expect_error(EM_ERR_OPERATION_FAILED,
                 "em_eo_start_sync: the local start function of execution object 'life' returned 55 on core 1");
    EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_CREATED);
    EXPECT_EQ(free_events(8), 8U);
    l.global = 0;
    ASSERT_EQ(em_eo_start(eo, nullptr, nullptr, 0, nullptr), EM_OK);
    cores::until([&] { return em_eo_get_state(eo) == EM_EO_STATE_CREATED; });
    EXPECT_EQ(free_events(8), 8U);
    expect_error(EM_ERR_OPERATION_FAILED,
                 "em_eo_start: the local start function of execution object 'life' returned 55 on core 1");
    EXPECT_EQ(l.received, 0);
    EXPECT_EQ(l.all_stops, 0);
}

TEST(local_functions, a_core_that_waits_runs_its_own) {
    const bare_machine machine(1);
    const core_scope this_thread; // does not dispatch
    life l;
    const em_eo_t eo = make_life(l);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    EXPECT_EQ(l.all_starts, 1);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    EXPECT_EQ(l.all_stops, 1);
}

TEST(local_functions, cores_that_wait_for_each_other_run_theirs) {
    const bare_machine machine(2);
    std::array<life, 2> lives;
    std::array<em_eo_t, 2> objects = {make_life(lives[0]), make_life(lives[1])};
    std::atomic<int> inside{0};
    std::atomic<int> done{0};
    const auto core = [&](unsigned mine) {
        const core_scope is_a_core;
        ++inside;
        cores::until([&] { return inside == 2; });
        for (int i = 0; i < 20; ++i) {
            EXPECT_EQ(em_eo_start_sync(objects[mine], nullptr, nullptr), EM_OK);
            EXPECT_EQ(em_eo_stop_sync(objects[mine]), EM_OK);
        }
        ++done;
        this_core::dispatch_until([&] { return done == 2; }); // the other one may need this one still
    };
    std::thread other(core, 1);
    core(0);
    other.join();
    EXPECT_EQ(lives[0].all_starts, 40);
    EXPECT_EQ(lives[1].all_stops, 40);
}

TEST(local_functions, a_core_that_comes_later_runs_the_start_function_first) {
    const bare_machine machine(2);
    std::optional<a_core> first(std::in_place);
    life l;
    const em_eo_t eo = make_life(l);
    const em_queue_t q = add_queue(eo, make_queue(EM_QUEUE_TYPE_PARALLEL));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    EXPECT_EQ(l.all_starts, 1);
    std::optional<a_core> second(std::in_place);
    for (int i = 0; i < 50; ++i) {
        send_value(i, q);
    }
    cores::until([&] { return l.received == 50 && l.all_starts == 2; });
    EXPECT_EQ(l.early, 0);
    EXPECT_EQ(l.starts[1], 1);
    first.reset(); // a core that has left runs no stop function
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    EXPECT_EQ(l.all_stops, 1);
    EXPECT_EQ(l.stops[1], 1);
    const a_core again; // gets the number that is free
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    EXPECT_EQ(l.starts[0], 2);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

TEST(local_functions, a_late_one_that_fails_is_told) {
    const bare_machine machine(1);
    life l;
    l.fails_on = 0;
    const em_eo_t eo = make_life(l);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK); // nobody is inside
    const a_core late;
    cores::until([&] { return l.all_starts == 1; });
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    EXPECT_EQ(l.all_stops, 0);
    expect_error(EM_ERR_OPERATION_FAILED,
                 "em_init_core: the local start function of execution object 'life' returned 55 on core 0");
}

em_status_t stop_throws(void* /*context*/, em_eo_t /*eo*/) { throw 1; }
em_status_t stop_fails(void* /*context*/, em_eo_t /*eo*/) { return 66; }

TEST(local_functions, a_stop_goes_on_if_its_functions_fail) {
    cores machine(1);
    life l;
    const em_eo_t eo = em_eo_create("life", start_all, start_here, stop_fails, stop_throws, receive_life, &l);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_CREATED);
    const std::vector<error_seen> seen = take_errors();
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].text, "em_eo_stop: a local stop function of execution object 'life' returned 15");
    EXPECT_EQ(seen[1].text, "em_eo_stop: the stop function of execution object 'life' returned 66");
}

TEST(local_functions, a_core_that_leaves_keeps_nobody_waiting) {
    const bare_machine machine(2);
    const a_core dispatches;
    std::atomic<bool> inside{false};
    std::atomic<bool> leave{false};
    std::thread other([&] {
        const core_scope is_a_core;
        inside = true;
        wait_for(leave); // never dispatches
    });
    cores::until([&] { return inside.load(); });
    life l;
    const em_eo_t eo = make_life(l);
    ASSERT_EQ(em_eo_start(eo, nullptr, nullptr, 0, nullptr), EM_OK);
    cores::until([&] { return l.all_starts == 1; });
    EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_STARTING);
    leave = true;
    cores::until([&] { return em_eo_get_state(eo) == EM_EO_STATE_RUNNING; });
    other.join();
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    EXPECT_EQ(l.all_stops, 1);
}

} // namespace
} // namespace skerry::test
