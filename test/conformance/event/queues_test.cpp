// SPDX-License-Identifier: Apache-2.0

// Rules 1 to 5, 11, 12 and 25: what each type of queue promises.

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <skerry/skerry.hpp>

#include "ways.hpp"

namespace skerry::test {
namespace {

// Its mask changes, and a receive function waits for tasks of its own.
TEST_P(event_rules, r01_an_atomic_queue_is_received_by_one_core_at_a_time) {
    constexpr int rounds = 12;
    constexpr int each = 4;
    std::array<one_at_a_time, 3> inside;
    std::atomic<int> received{0};
    receive_by work = [&](em_event_t e, em_queue_t q) {
        one_at_a_time& mine = *static_cast<one_at_a_time*>(em_queue_get_context(q));
        mine.enter();
        const int value = free_value(e);
        em_preschedule();
        if (value % 2 == 0) {
            skerry::parallel_invoke([&] { dawdle(value); }, [&] { dawdle(value + 1); });
        } else {
            dawdle(value);
        }
        mine.leave();
        ++received;
    };
    cores machine(core_count());
    const em_queue_group_t g = make_group(all_cores());
    const em_eo_t eo = make_object(work);
    std::vector<em_queue_t> queues;
    for (one_at_a_time& of : inside) {
        queues.push_back(add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC, g)));
        ASSERT_EQ(em_queue_set_context(queues.back(), &of), EM_OK);
    }
    start_object(eo);
    for (int round = 0; round < rounds; ++round) {
        for (const em_queue_t q : queues) {
            for (int i = 0; i < each; ++i) {
                send_value(round + i, q);
            }
        }
        set_mask(g, static_cast<std::uint64_t>(round) * 5 & all_cores());
    }
    set_mask(g, all_cores());
    cores::until([&] { return received == 3 * rounds * each; });
    for (const one_at_a_time& of : inside) {
        EXPECT_EQ(of.overlaps(), 0);
    }
}

TEST_P(event_rules_of_several_cores, r02_behind_atomic_processing_end_another_core_receives_the_next_event) {
    std::atomic<bool> second{false};
    std::atomic<int> received{0};
    receive_by meet = [&](em_event_t e, em_queue_t) {
        if (free_value(e) == 0) {
            em_atomic_processing_end();
            wait_for(second);
        } else {
            second = true;
        }
        ++received;
    };
    cores machine(core_count());
    const receiver r = make_receiver(meet, EM_QUEUE_TYPE_ATOMIC);
    send_value(0, r.queue);
    send_value(1, r.queue);
    cores::until([&] { return received == 2; });
}

struct meeting {
    std::atomic<int> inside{0};
    std::atomic<bool> met{false};
    std::atomic<int> received{0};
};
void meet_in_a_burst(void* context, em_event_t events[], int num, em_queue_t /*queue*/, void* /*ctx*/) {
    meeting& m = *static_cast<meeting*>(context);
    em_free(events[0]);
    em_atomic_processing_end();
    m.met = ++m.inside == 2 || m.met;
    wait_for(m.met);
    em_free_multi(events + 1, num - 1);
    m.received += num;
}

TEST_P(event_rules_of_several_cores, r02_so_it_does_inside_of_a_burst) {
    meeting m;
    cores machine(core_count());
    const em_queue_group_t g = make_group(0);
    const em_eo_t eo = make_burst_object(meet_in_a_burst, &m, 3);
    const em_queue_t q = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC, g));
    start_object(eo);
    for (int i = 0; i < 6; ++i) {
        send_value(i, q);
    }
    set_mask(g, all_cores());
    cores::until([&] { return m.received == 6; });
}

TEST_P(event_rules, r03_elsewhere_atomic_processing_end_does_nothing) {
    constexpr int inputs = 40;
    log seen;
    std::atomic<int> received{0};
    std::atomic<int> wrong{0};
    em_queue_t target = EM_QUEUE_UNDEF;
    receive_by in_order = [&](em_event_t e, em_queue_t) {
        dawdle(value_of(e));
        em_atomic_processing_end();
        wrong += em_sched_context_type_current(nullptr) != EM_SCHED_CONTEXT_TYPE_ORDERED ? 1 : 0;
        EXPECT_EQ(em_send(e, target), EM_OK);
    };
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    receive_by side_by_side = [&](em_event_t e, em_queue_t) {
        em_free(e);
        em_atomic_processing_end();
        wrong += em_sched_context_type_current(nullptr) != EM_SCHED_CONTEXT_TYPE_NONE ? 1 : 0;
        ++received;
    };
    cores machine(core_count());
    const receiver ordered = make_receiver(in_order, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    const receiver parallel = make_receiver(side_by_side, EM_QUEUE_TYPE_PARALLEL);
    target = make_receiver(note, EM_QUEUE_TYPE_ATOMIC).queue;
    em_atomic_processing_end(); // no core
    for (int i = 0; i < inputs; ++i) {
        send_value(i, ordered.queue);
        send_value(i, parallel.queue);
    }
    cores::until([&] { return received == inputs && seen.size() == inputs; });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(seen.all(), numbers_to(inputs));
}

// The first event ends its context twice, the second is inside then, and the third waits for that.
TEST_P(event_rules_of_several_cores, r03_nor_does_a_second_one) {
    one_at_a_time inside;
    std::atomic<bool> second{false};
    std::atomic<bool> passed{false};
    std::atomic<int> received{0};
    em_queue_t low = EM_QUEUE_UNDEF;
    receive_by f = [&](em_event_t e, em_queue_t) {
        const int value = free_value(e);
        if (value == 0) {
            em_atomic_processing_end();
            wait_for(second);
            em_atomic_processing_end();
            send_value(0, low); // of lower priority than the third one, which a core would choose first
        } else {
            inside.enter();
            if (value == 1) {
                second = true;
                wait_for(passed);
            }
            inside.leave();
        }
        ++received;
    };
    receive_by pass = [&](em_event_t e, em_queue_t) {
        em_free(e);
        passed = true;
    };
    cores machine(core_count());
    low = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_LOW).queue;
    const receiver r = make_receiver(f, EM_QUEUE_TYPE_ATOMIC);
    for (int i = 0; i < 3; ++i) {
        send_value(i, r.queue);
    }
    cores::until([&] { return received == 3; });
    EXPECT_EQ(inside.overlaps(), 0);
}

TEST_P(event_rules, r04_from_atomic_queue_to_atomic_queue_each_senders_events_keep_their_order) {
    constexpr int each = 40;
    std::array<int, 2> next{}; // guarded by the last queue
    std::atomic<int> disorder{0};
    std::atomic<int> received{0};
    std::array<em_queue_t, 3> chain{};
    receive_by pass_on = [&](em_event_t e, em_queue_t q) {
        em_preschedule();
        dawdle(value_of(e));
        EXPECT_EQ(em_send(e, q == chain[0] ? chain[1] : chain[2]), EM_OK);
    };
    receive_by check = [&](em_event_t e, em_queue_t) {
        const int value = free_value(e);
        disorder += next[static_cast<unsigned>(value) % 2]++ != value / 2 ? 1 : 0;
        ++received;
    };
    cores machine(core_count());
    chain[0] = make_receiver(pass_on, EM_QUEUE_TYPE_ATOMIC).queue;
    chain[1] = make_receiver(pass_on, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_HIGH).queue;
    chain[2] = make_receiver(check, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_LOW).queue;
    std::thread other([&] {
        for (int i = 0; i < each; ++i) {
            send_value(2 * i + 1, chain[0]);
        }
    });
    for (int i = 0; i < each; ++i) {
        send_value(2 * i, chain[0]);
    }
    other.join();
    cores::until([&] { return received == 2 * each; });
    EXPECT_EQ(disorder, 0);
}

std::vector<em_event_t> make_events(int end) {
    std::vector<em_event_t> all;
    for (int i = 0; i < end; ++i) {
        all.push_back(make_event(i));
    }
    return all;
}

TEST_P(event_rules, r05_send_multi_keeps_the_order_of_the_table_and_the_tail_is_still_the_senders) {
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    cores machine(core_count());
    const em_queue_group_t held = make_group(0);
    const em_eo_t eo = make_object(note);
    const em_queue_t bounded = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC, held, EM_QUEUE_PRIO_NORMAL, 4));
    const em_queue_t any_number = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC, held, EM_QUEUE_PRIO_LOW));
    start_object(eo);
    const std::vector<em_event_t> some = make_events(7);
    ASSERT_EQ(em_send_multi(some.data(), 7, bounded), 4);
    expect_error(EM_ERR_OPERATION_FAILED, "em_send_multi: queue");
    EXPECT_EQ(em_send_multi(&some[4], 3, any_number), 3);
    std::vector<em_event_t> many = make_events(100);
    EXPECT_EQ(em_send_multi(&many[7], 93, any_number), 93);
    em_free_multi(many.data(), 7);
    set_mask(held, 1); // one core, so one after the other
    cores::until([&] { return seen.size() == 100; });
    EXPECT_EQ(seen.all(), numbers_to(100));
}

TEST_P(event_rules, r11_a_full_target_drops_nothing) {
    constexpr std::uint32_t events = 64;
    constexpr int inputs = 12;
    for (const em_queue_type_t type : {EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_TYPE_PARALLEL_ORDERED}) {
        for (const em_queue_type_t to : {EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_TYPE_UNSCHEDULED}) {
            log refused;
            log seen;
            std::atomic<int> received{0};
            em_queue_t target = EM_QUEUE_UNDEF;
            receive_by pass = [&](em_event_t e, em_queue_t) {
                em_preschedule();
                if (em_send(e, target) != EM_OK) {
                    refused.add(free_value(e)); // it is this function's still
                }
                ++received;
            };
            receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
            cores machine(core_count(), events);
            const em_queue_group_t held = make_group(0);
            target = make_queue(to, held, EM_QUEUE_PRIO_NORMAL, 5);
            if (to == EM_QUEUE_TYPE_ATOMIC) {
                const em_eo_t eo = make_object(note);
                add_queue(eo, target);
                start_object(eo);
            }
            const receiver in = make_receiver(pass, type);
            for (int i = 0; i < inputs; ++i) {
                send_value(i, in.queue);
            }
            cores::until([&] { return received == inputs; });
            ASSERT_EQ(em_eo_stop_sync(in.eo), EM_OK); // what waited for its turn has arrived
            EXPECT_EQ(refused.size(), inputs - 5U);
            EXPECT_EQ(take_errors().size(), inputs - 5U);
            std::vector<int> arrived;
            if (to == EM_QUEUE_TYPE_ATOMIC) {
                set_mask(held, all_cores());
                cores::until([&] { return seen.size() == 5; });
                arrived = seen.all();
            } else {
                arrived = take_all(target);
            }
            if (type != EM_QUEUE_TYPE_PARALLEL) {
                EXPECT_TRUE(std::is_sorted(arrived.begin(), arrived.end()));
            }
            const std::vector<int> others = refused.all();
            arrived.insert(arrived.end(), others.begin(), others.end());
            std::sort(arrived.begin(), arrived.end());
            EXPECT_EQ(arrived, numbers_to(inputs));
            EXPECT_EQ(free_events(events), events);
        }
    }
}

TEST_P(event_rules, r12_a_parallel_queue_reaches_all_its_cores) {
    std::atomic<int> inside{0};
    std::atomic<bool> all{false};
    std::atomic<int> received{0};
    receive_by meet = [&](em_event_t e, em_queue_t) { // each is received while all others are
        em_free(e);
        if (++inside == core_count()) {
            all = true;
        }
        wait_for(all);
        ++received;
    };
    cores machine(core_count());
    const receiver r = make_receiver(meet, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < core_count(); ++i) {
        send_value(i, r.queue);
    }
    cores::until([&] { return received == core_count(); });
}

TEST_P(event_rules, r25_queues_of_an_atomic_group_never_overlap) {
    constexpr int each = 30;
    one_at_a_time inside;
    std::array<log, 3> seen;
    std::atomic<int> received{0};
    receive_by check = [&](em_event_t e, em_queue_t q) {
        inside.enter();
        const int value = free_value(e);
        em_preschedule();
        dawdle(value);
        static_cast<log*>(em_queue_get_context(q))->add(value);
        inside.leave();
        if (value % 3 == 0) {
            em_atomic_processing_end();
            dawdle(value);
        }
        ++received;
    };
    cores machine(core_count());
    const em_atomic_group_t joined = em_atomic_group_create("group", EM_QUEUE_GROUP_DEFAULT);
    const em_eo_t eo = make_object(check);
    std::vector<em_queue_t> queues;
    for (unsigned i = 0; i < seen.size(); ++i) {
        queues.push_back(add_queue(eo, em_queue_create_ag("queue", 2 * i + 1, joined, nullptr)));
        ASSERT_EQ(em_queue_set_context(queues[i], &seen[i]), EM_OK);
    }
    start_object(eo);
    for (int i = 0; i < each; ++i) {
        for (const em_queue_t q : queues) {
            send_value(i, q);
        }
    }
    cores::until([&] { return received == 3 * each; });
    EXPECT_EQ(inside.overlaps(), 0);
    for (const log& of : seen) {
        EXPECT_EQ(of.all(), numbers_to(each));
    }
}

} // namespace
} // namespace skerry::test
