// SPDX-License-Identifier: Apache-2.0

// Each allocation of the event machine may fail, and nothing is left of a machine that has ended.

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "../failing_allocator.hpp"
#include "receiving.hpp"
#include "timed_core.hpp"

namespace skerry::test {
namespace {

// --- each allocation may fail ---------------------------------------------------------------------------------------

std::atomic<int> failures{0};
std::atomic<int> other_errors{0}; // before the first failure
em_status_t count_failure(em_eo_t /*eo*/, em_status_t error, em_escope_t /*scope*/, va_list /*args*/) {
    if (error == status_of(EM_ERR_ALLOC_FAILED)) {
        ++failures;
    } else if (failures == 0) { // one without a handle, say, follows from that
        ++other_errors;
    }
    return error;
}

em_queue_t own_queue = EM_QUEUE_UNDEF;
em_status_t start_and_send(void* /*context*/, em_eo_t /*eo*/, const em_eo_conf_t* /*conf*/) {
    for (int i = 0; i < 3; ++i) {
        if (const em_event_t e = make_event(); e != EM_EVENT_UNDEF && em_send(e, own_queue) != EM_OK) {
            em_free(e);
        }
    }
    return EM_OK;
}
void receive_with_tasks(void* /*context*/, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/,
                        void* /*ctx*/) {
    em_free(event);
    try {
        static_cast<void>(skerry::submit([] {}));
        skerry::parallel_invoke([] {}, [] {});
    } catch (const std::bad_alloc&) {
        ++failures;
    }
}
int take_all_of_them(const em_event_t events[], const unsigned num, const em_queue_t /*queue*/, void* /*args*/) {
    for (unsigned i = 0; i < num; ++i) {
        em_free(events[i]);
    }
    return static_cast<int>(num);
}

// A notification to the queue, if there is an event.
class told {
  public:
    explicit told(em_queue_t to) : notif_{make_event(), to, EM_EVENT_GROUP_UNDEF} {}
    [[nodiscard]] int count() const { return notif_.event != EM_EVENT_UNDEF ? 1 : 0; }
    [[nodiscard]] const em_notif_t* table() const { return &notif_; }
    void expect(em_status_t status) const { // what was not begun leaves the event with its caller
        if (status != EM_OK && count() != 0) {
            em_free(notif_.event);
        }
    }

  private:
    em_notif_t notif_;
};

void send_or_free(em_queue_t to) {
    if (const em_event_t e = make_event(); e != EM_EVENT_UNDEF && em_send(e, to) != EM_OK) {
        em_free(e);
    }
}

// What a program does with its only core.
void live_as_a_core() {
    const em_core_mask_t mask = mask_of(1);
    const em_queue_group_t group = em_queue_group_create_sync("group", &mask);
    const em_atomic_group_t atomics = em_atomic_group_create("atomics", group);
    const em_eo_t listener =
        em_eo_create("listener", start_nothing, nullptr, stop_nothing, nullptr, receive_with_tasks, nullptr);
    const em_queue_t to = make_queue(EM_QUEUE_TYPE_PARALLEL);
    static_cast<void>(em_eo_add_queue_sync(listener, to));
    static_cast<void>(em_eo_start_sync(listener, nullptr, nullptr));
    const em_eo_t eo =
        em_eo_create("all", start_and_send, nothing_here, stop_nothing, nothing_here, receive_with_tasks, nullptr);
    const std::array<em_queue_t, 5> queues = {
        make_queue(EM_QUEUE_TYPE_ATOMIC, group), make_queue(EM_QUEUE_TYPE_PARALLEL, group),
        make_queue(EM_QUEUE_TYPE_PARALLEL_ORDERED), make_queue(EM_QUEUE_TYPE_LOCAL),
        em_queue_create_ag("queue", EM_QUEUE_PRIO_LOW, atomics, nullptr)};
    for (const em_queue_t q : queues) {
        const told t(to);
        t.expect(em_eo_add_queue(eo, q, t.count(), t.table()));
    }
    own_queue = queues[0];
    {
        const told t(to);
        t.expect(em_eo_start(eo, nullptr, nullptr, t.count(), t.table()));
    }
    static_cast<void>(em_dispatch_rounds(20, nullptr, nullptr));

    int copied = 0;
    const em_queue_t out = make_output(take_all_of_them, &copied, sizeof copied);
    const em_queue_t unscheduled = make_queue(EM_QUEUE_TYPE_UNSCHEDULED);
    for (const em_queue_t q : queues) {
        send_or_free(q);
    }
    send_or_free(out);
    send_or_free(unscheduled);
    if (const em_event_group_t counted = em_event_group_create(); counted != EM_EVENT_GROUP_UNDEF) {
        const told t(to);
        t.expect(em_event_group_apply(counted, 1, t.count(), t.table()));
        if (const em_event_t e = make_event(); e != EM_EVENT_UNDEF && em_send_group(e, queues[1], counted) != EM_OK) {
            em_free(e);
        }
    }
    {
        const told t(to);
        t.expect(em_queue_group_modify(group, &mask, t.count(), t.table()));
    }
    const em_timer_t timer = make_timer();
    if (const em_tmo_t tmo = em_tmo_create(timer, EM_TMO_FLAG_ONESHOT, to); tmo != EM_TMO_UNDEF) {
        if (const em_event_t e = make_event(); e != EM_EVENT_UNDEF && em_tmo_set_rel(tmo, hour, e) != EM_OK) {
            em_free(e);
        }
    }
    const em_pool_cfg_t config = pool_config(64, 8);
    if (const em_pool_t pool = make_pool(config); pool != EM_POOL_UNDEF) {
        EXPECT_EQ(em_pool_delete(pool), EM_OK);
    }
    static_cast<void>(em_dispatch_rounds(20, nullptr, nullptr));

    {
        const told t(to);
        t.expect(em_eo_remove_queue(eo, queues[2], t.count(), t.table()));
    }
    {
        const told t(to);
        t.expect(em_eo_stop(eo, t.count(), t.table()));
    }
    static_cast<void>(em_dispatch_rounds(20, nullptr, nullptr));
    {
        const told t(to);
        t.expect(em_eo_remove_queue_all(eo, EM_TRUE, t.count(), t.table()));
    }
    static_cast<void>(em_dispatch_rounds(20, nullptr, nullptr));
}

// The allocation with that number fails. Returns whether there was one.
bool live_while_one_fails(long number) {
    EXPECT_EQ(em_register_error_handler(count_failure), EM_OK);
    em_conf_t conf = configuration(1, 64);
    conf.event_timer = 1;
    failures = 0;
    fail_after = number;
    if (em_init(&conf) == EM_OK) {
        if (em_init_core() == EM_OK) {
            live_as_a_core();
            EXPECT_EQ(em_term_core(), EM_OK);
        }
        fail_after = never;
        EXPECT_EQ(em_term(nullptr), EM_OK);
    }
    fail_after = never;
    EXPECT_EQ(em_unregister_error_handler(), EM_OK);
    return failures != 0;
}

// The runtime does not end between two machines, and keeps as many blocks as were in use at one moment: that grows some
// times, and a leak each time.
template <class F>
void expect_no_leak(F&& f, const std::string& what) {
    int growths = 0;
    for (long before = live; growths < 20; ++growths, before = live) {
        f();
        if (live <= before) {
            return;
        }
    }
    ADD_FAILURE() << "leak " << what;
}

TEST(event_memory, each_allocation_may_fail) {
    other_errors = 0;
    ASSERT_FALSE(live_while_one_fails(never));
    long number = 0;
    for (bool failed = true; failed; ++number) {
        expect_no_leak([&] { failed = live_while_one_fails(number); },
                       "when allocation " + std::to_string(number) + " fails");
    }
    std::printf("%ld allocations\n", number - 1);
    EXPECT_GE(number, 30);
    EXPECT_EQ(other_errors, 0);
}

// --- the end --------------------------------------------------------------------------------------------------------

// So many times as its number says, each time to another queue.
void go_on(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    const std::vector<em_queue_t>& queues = *static_cast<const std::vector<em_queue_t>*>(context);
    em_preschedule();
    const int left = --*static_cast<int*>(em_event_pointer(event));
    if (left <= 0 || em_send(event, queues[static_cast<unsigned>(left) % queues.size()]) != EM_OK) {
        em_free(event);
    }
}

// Cores leave while events lie everywhere.
void end_in_flight() {
    std::vector<em_queue_t> queues;
    static_cast<void>(take_errors());
    const bare_machine machine(2, 256, with_timers);
    std::atomic<bool> over{false};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&over] {
            const core_scope is_a_core;
            while (!over) {
                static_cast<void>(em_dispatch_rounds(3, nullptr, nullptr));
            }
        });
    }
    const em_core_mask_t no_core = mask_of(0);
    const em_queue_group_t held = em_queue_group_create_sync("held", &no_core);
    const em_eo_t eo = em_eo_create("all", start_nothing, nullptr, stop_nothing, nullptr, go_on, &queues);
    for (const em_queue_group_t g : {held, em_queue_group_t{EM_QUEUE_GROUP_DEFAULT}}) {
        for (const em_queue_type_t type :
             {EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_TYPE_PARALLEL_ORDERED}) {
            queues.push_back(add_queue(eo, make_queue(type, g)));
        }
    }
    queues.push_back(add_queue(eo, make_queue(EM_QUEUE_TYPE_LOCAL)));
    queues.push_back(make_queue(EM_QUEUE_TYPE_UNSCHEDULED));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    const em_timer_t timer = make_timer();
    for (int i = 0; i < 10; ++i) {
        const em_tmo_t tmo = em_tmo_create(timer, EM_TMO_FLAG_ONESHOT, queues[0]);
        ASSERT_EQ(em_tmo_set_rel(tmo, i < 5 ? hour : ms, make_event()), EM_OK);
    }
    for (int i = 0; i < 200; ++i) {
        send_value(i, queues[static_cast<unsigned>(i) % 6]);
    }
    over = true;
}

TEST(event_memory, em_term_in_flight_leaks_nothing) {
    for (const int asynchronous : {0, 1}) {
        const with_options o([&](skerry_em_options_t& options) { options.asynchronous = asynchronous; });
        for (int round = 0; round < 5; ++round) {
            expect_no_leak(end_in_flight, "of em_term() in flight");
        }
    }
}

} // namespace
} // namespace skerry::test
