// SPDX-License-Identifier: Apache-2.0

// Rules 13 to 17: which core receives, and what next.

#include <algorithm>
#include <atomic>
#include <vector>

#include "ways.hpp"

namespace skerry::test {
namespace {

constexpr int burst = 4;

struct low_and_high {
    log seen;
    em_queue_t high = EM_QUEUE_UNDEF;
};
void receive_low(void* context, em_event_t events[], int num, em_queue_t /*queue*/, void* /*ctx*/) {
    low_and_high& all = *static_cast<low_and_high*>(context);
    em_preschedule();
    for (int i = 0; i < num; ++i) {
        const int value = free_value(events[i]);
        all.seen.add(value);
        if (value == 10) {
            send_value(1000, all.high);
        }
    }
}

// One core may receive, so that its choices are seen one after the other.
TEST_P(event_rules, r13_a_high_priority_waits_for_one_burst_at_most) {
    low_and_high all;
    receive_by note = [&](em_event_t e, em_queue_t) { all.seen.add(free_value(e)); };
    cores machine(core_count());
    const em_queue_group_t g = make_group(0);
    all.high = make_receiver(note, EM_QUEUE_TYPE_ATOMIC, g, EM_QUEUE_PRIO_HIGHEST).queue;
    const em_eo_t eo = make_burst_object(receive_low, &all, burst);
    const em_queue_t low = add_queue(eo, make_queue(EM_QUEUE_TYPE_PARALLEL, g, EM_QUEUE_PRIO_LOW));
    start_object(eo);
    for (int i = 0; i < 40; ++i) {
        send_value(i, low);
    }
    set_mask(g, 1);
    cores::until([&] { return all.seen.size() == 41; });
    const std::vector<int> seen = all.seen.all();
    const auto sent = std::find(seen.begin(), seen.end(), 10);
    const auto received = std::find(seen.begin(), seen.end(), 1000);
    EXPECT_GT(received, sent);
    EXPECT_LE(received - sent, burst + 1);
}

TEST_P(event_rules, r14_a_low_priority_goes_on_within_the_limit_of_starvation) {
    constexpr unsigned limit = 8;
    constexpr int high_ones = 3; // that never end until then
    const with_options limited([](skerry_em_options_t& o) {
        GetParam().set(o);
        o.starvation = limit;
    });
    unsigned higher = 0; // of one core, as what follows
    unsigned higher_before = 0;
    std::atomic<int> ended{0};
    receive_by again = [&](em_event_t e, em_queue_t q) {
        em_preschedule();
        if (++higher >= 10 * limit || higher_before != 0) {
            em_free(e);
            ++ended;
        } else {
            EXPECT_EQ(em_send(e, q), EM_OK);
        }
    };
    receive_by note = [&](em_event_t e, em_queue_t) {
        em_free(e);
        higher_before = higher;
    };
    cores machine(core_count());
    const em_queue_group_t g = make_group(0);
    const receiver high = make_receiver(again, EM_QUEUE_TYPE_PARALLEL, g, EM_QUEUE_PRIO_HIGH);
    const receiver low = make_receiver(note, EM_QUEUE_TYPE_ATOMIC, g, EM_QUEUE_PRIO_LOWEST);
    send_value(0, low.queue);
    for (int i = 0; i < high_ones; ++i) {
        send_value(0, high.queue);
    }
    set_mask(g, 1);
    cores::until([&] { return ended == high_ones; });
    ASSERT_EQ(em_eo_stop_sync(high.eo), EM_OK);
    EXPECT_GE(higher_before, 1U);
    EXPECT_LE(higher_before, limit + 1);
}

TEST_P(event_rules, r15_behind_the_notification_of_a_mask_no_core_beyond_it_receives) {
    constexpr int rounds = 15;
    std::atomic<std::uint64_t> allowed{all_cores()};
    std::atomic<int> wrong{0};
    std::atomic<int> received{0};
    std::atomic<int> told{0};
    receive_by check = [&](em_event_t e, em_queue_t) {
        const std::uint64_t mine = std::uint64_t{1} << em_core_id();
        wrong += (allowed & mine) == 0 ? 1 : 0;
        const int value = free_value(e);
        em_preschedule();
        dawdle(value);
        em_atomic_processing_end();
        dawdle(value);
        wrong += (allowed & mine) == 0 ? 1 : 0;
        ++received;
    };
    receive_by tell = [&](em_event_t e, em_queue_t) {
        allowed = static_cast<std::uint64_t>(free_value(e));
        ++told;
    };
    cores machine(core_count());
    const em_queue_group_t g = make_group(all_cores());
    const em_eo_t eo = make_object(check);
    std::vector<em_queue_t> queues;
    for (const em_queue_type_t type : {EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_TYPE_PARALLEL_ORDERED}) {
        queues.push_back(add_queue(eo, make_queue(type, g)));
    }
    start_object(eo);
    const receiver listener = make_receiver(tell, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_HIGHEST);
    int sent = 0;
    const auto change_to = [&](std::uint64_t next) {
        const int before = told;
        allowed |= next;
        const em_core_mask_t mask = mask_of(next);
        const em_notif_t then{make_event(static_cast<int>(next)), listener.queue, EM_EVENT_GROUP_UNDEF};
        ASSERT_EQ(em_queue_group_modify(g, &mask, 1, &then), EM_OK);
        cores::until([&] { return told == before + 1; });
    };
    for (int round = 0; round < rounds; ++round) {
        for (const em_queue_t q : queues) {
            for (int i = 0; i < 3; ++i, ++sent) {
                send_value(sent, q);
            }
        }
        change_to(static_cast<std::uint64_t>(round) * 3 & all_cores());
    }
    change_to(all_cores());
    cores::until([&] { return received == sent; });
    EXPECT_EQ(wrong, 0);
}

TEST_P(event_rules, r16_an_empty_mask_holds_events_and_a_refill_delivers_each_once) {
    constexpr int rounds = 6;
    constexpr int each = 5;
    log seen;
    std::atomic<int> passed{0};
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    receive_by pass = [&](em_event_t e, em_queue_t) {
        em_free(e);
        em_preschedule();
        ++passed;
    };
    cores machine(core_count());
    const em_queue_group_t g = make_group(0);
    const receiver held = make_receiver(note, EM_QUEUE_TYPE_ATOMIC, g);
    const receiver other = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL);
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < each; ++i) {
            send_value(each * round + i, held.queue);
            send_value(0, other.queue);
        }
        cores::until([&] { return passed == each * (round + 1); }); // so cores have looked
        const int before = each * round;
        const int behind = before + each;
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(before));
        set_mask(g, std::uint64_t{1} << (round % core_count()));
        cores::until([&] { return seen.size() == static_cast<std::size_t>(behind); });
        set_mask(g, 0);
    }
    EXPECT_EQ(seen.all(), numbers_to(rounds * each));
}

TEST_P(event_rules, r17_events_of_local_queues_are_received_before_the_next_scheduled_one) {
    log seen;
    em_queue_t local = EM_QUEUE_UNDEF;
    receive_by later = [&](em_event_t e, em_queue_t) {
        const int value = free_value(e);
        seen.add(value);
        if (value % 4 == 1) { // also what is sent from there
            send_value(value + 2, local);
        }
    };
    receive_by first = [&](em_event_t e, em_queue_t) {
        const int value = free_value(e);
        em_preschedule();
        send_value(value + 1, local);
        send_value(value + 2, local);
        seen.add(value);
    };
    cores machine(core_count());
    const em_queue_group_t g = make_group(0);
    local = make_receiver(later, EM_QUEUE_TYPE_LOCAL).queue;
    const receiver scheduled = make_receiver(first, EM_QUEUE_TYPE_PARALLEL, g, EM_QUEUE_PRIO_HIGHEST);
    for (int i = 0; i < 5; ++i) {
        send_value(4 * i, scheduled.queue);
    }
    set_mask(g, 1);
    cores::until([&] { return seen.size() == 20; });
    EXPECT_EQ(seen.all(), numbers_to(20));
}

} // namespace
} // namespace skerry::test
