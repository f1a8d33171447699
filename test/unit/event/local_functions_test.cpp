// SPDX-License-Identifier: Apache-2.0

// Start and stop functions of each core, objects that receive several events at once, and what is said of objects.

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "receiving.hpp"

namespace skerry::test {
namespace {

// The calling thread initialises, and is no core.
class bare_machine {
  public:
    explicit bare_machine(int count, std::uint32_t events = 64) {
        static_cast<void>(take_errors());
        EXPECT_EQ(em_register_error_handler(keep_error), EM_OK);
        em_conf_t conf;
        em_conf_init(&conf);
        conf.thread_per_core = 1;
        conf.core_count = count;
        em_core_mask_set_count(count, &conf.phys_mask);
        conf.default_pool_cfg.subpool[0] = {64, events, 0};
        EXPECT_EQ(em_init(&conf), EM_OK);
    }
    bare_machine(const bare_machine&) = delete;
    bare_machine& operator=(const bare_machine&) = delete;
    ~bare_machine() {
        EXPECT_EQ(em_term(nullptr), EM_OK);
        static_cast<void>(em_unregister_error_handler());
    }
};

// A thread that is a core for as long as this lives.
class a_core {
  public:
    a_core()
        : thread_([this] {
              EXPECT_EQ(em_init_core(), EM_OK);
              inside = true;
              while (!over_) {
                  static_cast<void>(em_dispatch(100));
              }
              EXPECT_EQ(em_term_core(), EM_OK);
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
    while (l.hold) {
        std::this_thread::yield();
    }
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
    EXPECT_EQ(em_eo_start_sync(eo, &result, nullptr), static_cast<em_status_t>(EM_ERR_OPERATION_FAILED));
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
    ASSERT_EQ(em_init_core(), EM_OK); // this thread, which does not dispatch
    life l;
    const em_eo_t eo = make_life(l);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    EXPECT_EQ(l.all_starts, 1);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    EXPECT_EQ(l.all_stops, 1);
    ASSERT_EQ(em_term_core(), EM_OK);
}

TEST(local_functions, cores_that_wait_for_each_other_run_theirs) {
    const bare_machine machine(2);
    std::array<life, 2> lives;
    std::array<em_eo_t, 2> objects = {make_life(lives[0]), make_life(lives[1])};
    std::atomic<int> inside{0};
    std::atomic<int> done{0};
    const auto core = [&](unsigned mine) {
        ASSERT_EQ(em_init_core(), EM_OK);
        ++inside;
        cores::until([&] { return inside == 2; });
        for (int i = 0; i < 20; ++i) {
            ASSERT_EQ(em_eo_start_sync(objects[mine], nullptr, nullptr), EM_OK);
            ASSERT_EQ(em_eo_stop_sync(objects[mine]), EM_OK);
        }
        ++done;
        while (done != 2) { // the other one may need this one still
            static_cast<void>(em_dispatch(1));
        }
        ASSERT_EQ(em_term_core(), EM_OK);
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
        ASSERT_EQ(em_init_core(), EM_OK);
        inside = true;
        wait_for(leave); // never dispatches
        ASSERT_EQ(em_term_core(), EM_OK);
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

// --- several events at once -----------------------------------------------------------------------------------------

struct many {
    std::atomic<int> received{0};
    std::atomic<int> most{0};
    std::atomic<int> inside{0};
    std::atomic<int> overlaps{0};
    std::atomic<bool> go{false};
    log seen;
};

void receive_many(void* context, em_event_t events[], int num, em_queue_t /*queue*/, void* /*ctx*/) {
    auto& m = *static_cast<many*>(context);
    m.overlaps += ++m.inside != 1 ? 1 : 0;
    while (!m.go) {
        std::this_thread::yield();
    }
    m.most = std::max(m.most.load(), num);
    for (int i = 0; i < num; ++i) {
        m.seen.add(free_value(events[i]));
    }
    --m.inside;
    m.received += num;
}

em_eo_t make_many(void* context, em_receive_multi_func_t receive, int max_events) {
    em_eo_multircv_param_t p;
    em_eo_multircv_param_init(&p);
    EXPECT_EQ(p.max_events, EM_EO_MULTIRCV_MAX_EVENTS);
    p.start = start_nothing;
    p.stop = stop_nothing;
    p.receive_multi = receive;
    p.max_events = max_events;
    p.eo_ctx = context;
    return em_eo_create_multircv("many", &p);
}

TEST(multi_receive, gets_at_most_so_many_in_order) {
    cores machine(2);
    many m;
    const em_eo_t eo = make_many(&m, receive_many, 7);
    const em_queue_t q = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    std::vector<int> expected;
    for (int i = 0; i < 100; ++i) {
        send_value(i, q);
        expected.push_back(i);
    }
    m.go = true;
    cores::until([&] { return m.received == 100; });
    EXPECT_EQ(m.most, 7);
    EXPECT_EQ(m.overlaps, 0);
    EXPECT_EQ(m.seen.all(), expected);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

struct meeting {
    std::atomic<int> inside{0};
    std::atomic<bool> met{false};
    std::atomic<int> received{0};
};
void meet_inside(void* context, em_event_t events[], int num, em_queue_t /*queue*/, void* /*ctx*/) {
    auto& m = *static_cast<meeting*>(context);
    em_atomic_processing_end(); // with events of the burst left
    if (++m.inside == 2) {
        m.met = true;
    }
    wait_for(m.met);
    for (int i = 0; i < num; ++i) {
        em_free(events[i]);
    }
    m.received += num;
}

TEST(multi_receive, lets_an_atomic_queue_go_inside_of_a_burst) {
    cores machine(2);
    std::atomic<bool> go{false};
    std::atomic<int> held{0};
    receive_by hold = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++held;
        wait_for(go);
    };
    const receiver block = make_receiver(hold, EM_QUEUE_TYPE_PARALLEL);
    send_value(0, block.queue);
    send_value(0, block.queue);
    cores::until([&] { return held == 2; });
    meeting m;
    const em_eo_t eo = make_many(&m, meet_inside, 3);
    const em_queue_t q = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    for (int i = 0; i < 6; ++i) {
        send_value(i, q);
    }
    go = true;
    ASSERT_EQ(em_eo_stop_sync(block.eo), EM_OK);
    cores::until([&] { return m.received == 6; });
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

TEST(multi_receive, refuses_what_is_wrong) {
    cores machine(1);
    em_eo_multircv_param_init(nullptr);
    expect_error(EM_ERR_BAD_POINTER, "em_eo_multircv_param_init: a null pointer");
    EXPECT_EQ(em_eo_create_multircv("m", nullptr), EM_EO_UNDEF);
    expect_error(EM_ERR_NOT_INITIALIZED,
                 "em_eo_create_multircv: em_eo_multircv_param_init() was not called for the parameters");
    EXPECT_EQ(make_many(nullptr, nullptr, 0), EM_EO_UNDEF);
    expect_error(EM_ERR_BAD_POINTER, "em_eo_create_multircv: there is no receive function");
    EXPECT_EQ(make_many(nullptr, receive_many, -1), EM_EO_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_eo_create_multircv: max_events is -1");
    EXPECT_NE(make_many(nullptr, receive_many, 0), EM_EO_UNDEF);
}

// --- objects and their queues ---------------------------------------------------------------------------------------

TEST(objects, have_names_and_are_gone_through) {
    cores machine(1);
    std::atomic<em_eo_t> current{EM_EO_UNDEF};
    receive_by note = [&](em_event_t e, em_queue_t) {
        em_free(e);
        current = em_eo_current();
    };
    const em_eo_t one = make_object(note, "one");
    const em_eo_t two = make_object(note, "two");
    EXPECT_EQ(em_eo_find("two"), two);
    EXPECT_EQ(em_eo_find("three"), EM_EO_UNDEF);
    std::array<char, 8> name{};
    EXPECT_EQ(em_eo_get_name(one, name.data(), name.size()), 3U);
    EXPECT_STREQ(name.data(), "one");
    EXPECT_EQ(em_eo_get_context(one), &note);
    EXPECT_EQ(em_eo_current(), EM_EO_UNDEF);
    std::vector<em_eo_t> found;
    unsigned count = 0;
    for (em_eo_t eo = em_eo_get_first(&count); eo != EM_EO_UNDEF; eo = em_eo_get_next()) {
        found.push_back(eo);
    }
    EXPECT_EQ(count, 2U);
    EXPECT_EQ(found, (std::vector<em_eo_t>{one, two}));
    std::vector<em_queue_t> made;
    for (int i = 0; i < 3; ++i) {
        made.push_back(add_queue(one, make_queue(i == 1 ? EM_QUEUE_TYPE_LOCAL : EM_QUEUE_TYPE_ATOMIC)));
    }
    std::vector<em_queue_t> queues;
    for (em_queue_t q = em_eo_queue_get_first(&count, one); q != EM_QUEUE_UNDEF; q = em_eo_queue_get_next()) {
        queues.push_back(q);
    }
    EXPECT_EQ(count, 3U);
    EXPECT_EQ(queues, made);
    EXPECT_EQ(em_eo_queue_get_first(&count, two), EM_QUEUE_UNDEF);
    EXPECT_EQ(count, 0U);
    ASSERT_EQ(em_eo_start_sync(one, nullptr, nullptr), EM_OK);
    send_value(0, made[0]);
    cores::until([&] { return current == one; });
    EXPECT_TRUE(take_errors().empty());
    EXPECT_EQ(em_eo_get_context(EM_EO_UNDEF), nullptr);
    expect_error(EM_ERR_BAD_ID, "em_eo_get_context: there is no execution object");
    EXPECT_EQ(em_eo_get_name(EM_EO_UNDEF, name.data(), name.size()), 0U);
    expect_error(EM_ERR_BAD_ID, "em_eo_get_name: there is no execution object");
    EXPECT_EQ(em_eo_queue_get_first(&count, EM_EO_UNDEF), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_eo_queue_get_first: there is no execution object");
    EXPECT_EQ(em_eo_queue_get_next(), EM_QUEUE_UNDEF);
}

TEST(objects, all_queues_are_removed_when_nobody_receives_from_any) {
    cores machine(2, 16);
    std::atomic<bool> go{false};
    std::atomic<int> inside{0};
    receive_by hold = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++inside;
        wait_for(go);
        --inside;
    };
    const em_eo_t eo = make_object(hold);
    std::vector<em_queue_t> queues;
    for (int i = 0; i < 4; ++i) {
        queues.push_back(add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC)));
    }
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    send_value(0, queues[0]);
    cores::until([&] { return inside == 1; });
    send_value(1, queues[0]); // is freed
    log told;
    receive_by note = [&](em_event_t e, em_queue_t) { told.add(free_value(e)); };
    const receiver to = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    const em_notif_t when{make_event(7), to.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_eo_remove_queue_all(eo, EM_TRUE, 1, &when), EM_OK);
    unsigned count = 0;
    EXPECT_EQ(em_eo_queue_get_first(&count, eo), queues[0]); // the others are gone
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(told.size(), 0U);
    go = true;
    cores::until([&] { return told.size() == 1; });
    EXPECT_EQ(inside, 0);
    EXPECT_EQ(em_eo_queue_get_first(&count, eo), EM_QUEUE_UNDEF);
    EXPECT_EQ(em_queue_get_first(&count), to.queue);
    EXPECT_EQ(count, 1U);
    add_queue(eo, make_queue(EM_QUEUE_TYPE_PARALLEL));
    ASSERT_EQ(em_eo_remove_queue_all_sync(eo, EM_FALSE), EM_OK);
    EXPECT_NE(em_queue_get_first(&count), EM_QUEUE_UNDEF);
    EXPECT_EQ(count, 2U);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    ASSERT_EQ(em_eo_delete(eo), EM_OK);
    EXPECT_EQ(em_eo_remove_queue_all_sync(eo, EM_FALSE), static_cast<em_status_t>(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_eo_remove_queue_all_sync: there is no execution object");
    EXPECT_EQ(free_events(16), 16U);
}

TEST(objects, a_receive_function_waits_for_none) {
    cores machine(1);
    std::atomic<bool> done{false};
    life l;
    const em_eo_t other = make_life(l);
    em_eo_t mine = EM_EO_UNDEF;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        em_free(e);
        EXPECT_EQ(em_eo_start_sync(other, nullptr, nullptr), static_cast<em_status_t>(EM_ERR_BAD_CONTEXT));
        expect_error(EM_ERR_BAD_CONTEXT, "em_eo_start_sync: inside of a receive function");
        EXPECT_EQ(em_eo_remove_queue_all_sync(mine, EM_FALSE), static_cast<em_status_t>(EM_ERR_BAD_CONTEXT));
        expect_error(EM_ERR_BAD_CONTEXT, "em_eo_remove_queue_all_sync: inside of a receive function");
        EXPECT_EQ(em_eo_start(other, nullptr, nullptr, 0, nullptr), EM_OK);
        EXPECT_EQ(em_eo_get_state(other), EM_EO_STATE_STARTING); // this core has to return first
        done = true;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    mine = r.eo;
    send_value(0, r.queue);
    cores::until([&] { return done && em_eo_get_state(other) == EM_EO_STATE_RUNNING; });
}

} // namespace
} // namespace skerry::test
