// SPDX-License-Identifier: Apache-2.0

// Cores at home: what they send to each other, lend and take over.

#include <array>
#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "homes.hpp"

namespace skerry::test {
namespace {

// Events go round from queue to queue, and each is numbered by the queue before, which is the only one that sends
// there.
class ring {
  public:
    // `hops` of each event; `work`: turns of a loop in each receive function.
    ring(em_queue_type_t type, int hops, int work) : atomic_(type == EM_QUEUE_TYPE_ATOMIC), hops_(hops), work_(work) {
        eo = em_eo_create("ring", start_nothing, nullptr, stop_nothing, nullptr, receive, this);
        for (place& p : places_) {
            p.queue = add_queue(eo, make_queue(type));
            EXPECT_EQ(em_queue_set_context(p.queue, &p), EM_OK);
        }
        EXPECT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    }

    void begin(int events) {
        left = events;
        for (int i = 0; i < events; ++i) {
            const em_event_t e = em_alloc(sizeof(note), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
            ASSERT_NE(e, EM_EVENT_UNDEF);
            const std::size_t to = static_cast<std::size_t>(i) % size;
            note_of(e) = {to, unnumbered, hops_};
            ASSERT_EQ(em_send(e, places_[to].queue), EM_OK);
        }
    }

    em_eo_t eo;
    std::atomic<int> left{0};
    std::atomic<int> wrong{0};
    std::array<std::atomic<int>, 4> by_core{};

  private:
    static constexpr std::size_t size = 48;
    static constexpr int unnumbered = -1;
    struct place {
        em_queue_t queue = EM_QUEUE_UNDEF;
        std::atomic<int> inside{0};
        int sent = 0;     // in the context of the queue before
        int received = 0; // in its own
    };
    struct note {
        std::size_t place;
        int number;
        int left; // hops
    };
    static note& note_of(em_event_t e) { return *static_cast<note*>(em_event_pointer(e)); }

    static void receive(void* self, em_event_t e, em_event_type_t /*type*/, em_queue_t /*queue*/, void* at_place) {
        ring& all = *static_cast<ring*>(self);
        place& here = *static_cast<place*>(at_place);
        const auto at = static_cast<std::size_t>(&here - all.places_.data());
        ++all.by_core[static_cast<unsigned>(em_core_id())];
        note& n = note_of(e);
        bool right = n.place == at;
        if (all.atomic_) {
            right = right && here.inside.exchange(1) == 0 && (n.number == unnumbered || n.number == here.received++);
        }
        for (int i = 0; i < all.work_; ++i) {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        if (n.left-- == 0) {
            em_free(e);
            --all.left;
        } else {
            const std::size_t to = (at + 1) % size;
            n.place = to;
            n.number = all.atomic_ ? here.sent++ : unnumbered;
            if (em_send(e, all.places_[to].queue) != EM_OK) { // the object is being stopped
                em_free(e);
                right = false;
            }
        }
        here.inside = 0;
        all.wrong += right ? 0 : 1;
    }

    const bool atomic_;
    const int hops_;
    const int work_;
    std::array<place, size> places_;
};

TEST_F(homes, events_go_round_on_several_cores) {
    for (const em_queue_type_t type : {EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_TYPE_PARALLEL}) {
        for (const int count : {1, 2, 4}) {
            for (const int work : {0, 500}) {
                const cores machine(count);
                ring r(type, work == 0 ? 500 : 50, work);
                r.begin(256);
                cores::until([&] { return r.left == 0; });
                EXPECT_EQ(r.wrong, 0);
                ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
            }
        }
    }
}

// It is not stopped for that: it lends. Who stops an object has what is lent, too.
TEST_F(homes, a_core_without_events_gets_some_of_a_busy_one) {
    for (int turn = 0; turn < 20; ++turn) {
        const cores machine(2);
        ring r(turn % 2 == 0 ? EM_QUEUE_TYPE_ATOMIC : EM_QUEUE_TYPE_PARALLEL, std::numeric_limits<int>::max(), 500);
        r.begin(256);
        cores::until([&] { return r.by_core[0] > 1000 && r.by_core[1] > 1000; });
        EXPECT_EQ(r.wrong, 0);
        ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
        EXPECT_EQ(free_events(1024), 1024U);
        static_cast<void>(take_errors()); // of what was freed
    }
}

// While queues are lent, sent to and taken over.
TEST_F(homes, masks_change_meanwhile) {
    const cores machine(4);
    std::atomic<std::uint64_t> allowed{0xf};
    std::atomic<int> outside{0};
    std::atomic<int> left{40'000};
    std::vector<receiver> all;
    receive_by pass_on = [&](em_event_t e, em_queue_t) {
        outside += (allowed.load() >> em_core_id() & 1) != 0 ? 0 : 1;
        if (left-- > 0) {
            EXPECT_EQ(em_send(e, all[static_cast<std::size_t>(value_of(e)) % all.size()].queue), EM_OK);
        } else {
            em_free(e);
        }
        for (int i = 0; i < 500; ++i) {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        outside += (allowed.load() >> em_core_id() & 1) != 0 ? 0 : 1;
    };
    em_core_mask_t mask = mask_of(0xf);
    const em_queue_group_t group = em_queue_group_create_sync("some", &mask);
    for (int i = 0; i < 16; ++i) {
        all.push_back(make_receiver(pass_on, i % 2 == 0 ? EM_QUEUE_TYPE_ATOMIC : EM_QUEUE_TYPE_PARALLEL, group));
    }
    for (int i = 0; i < 64; ++i) {
        send_value(i, all[static_cast<std::size_t>(i) % all.size()].queue);
    }
    for (std::uint64_t turn = 0; left > 0; ++turn) {
        const std::uint64_t next = turn % 2 == 0 ? std::uint64_t{1} << turn / 2 % 4 : 0xf;
        allowed |= next; // before it is so
        mask = mask_of(next);
        ASSERT_EQ(em_queue_group_modify_sync(group, &mask), EM_OK);
        allowed = next;
        const int before = left;
        cores::until([&] { return left <= 0 || left < before - 100; });
    }
    cores::until([] { return free_events(1024) == 1024; });
    stop(all);
    EXPECT_EQ(outside, 0);
}

// Behind the end of the context others may hold it, which the end of the receive function leaves as it is.
TEST_F(homes, an_atomic_context_ends_early) {
    const cores machine(2);
    std::atomic<int> inside{0};
    std::atomic<int> wrong{0};
    std::atomic<int> left{20'000};
    em_queue_t self = EM_QUEUE_UNDEF;
    receive_by pass_on = [&](em_event_t e, em_queue_t) {
        wrong += inside.exchange(1) == 0 ? 0 : 1;
        if (left-- > 0) {
            EXPECT_EQ(em_send(e, self), EM_OK);
        } else {
            em_free(e);
        }
        for (int i = 0; i < 200; ++i) {
            std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        inside = 0;
        if (left % 4 == 0) {
            em_atomic_processing_end();
            std::this_thread::yield();
        }
    };
    const receiver all = make_receiver(pass_on, EM_QUEUE_TYPE_ATOMIC);
    self = all.queue;
    for (int i = 0; i < 32; ++i) {
        send_value(i, self);
    }
    cores::until([] { return free_events(1024) == 1024; });
    stop({all});
    EXPECT_EQ(wrong, 0);
}

// More than are on their way at once.
TEST_F(homes, what_goes_to_a_core_in_a_long_receive_function_waits_in_order) {
    constexpr int many = 900;
    cores machine(2);
    std::atomic<bool> inside{false};
    std::atomic<bool> go{false};
    log seen;
    const auto of_core = [](int core) {
        const em_core_mask_t mask = mask_of(std::uint64_t{1} << core);
        return em_queue_group_create_sync(core == 0 ? "zero" : "one", &mask);
    };
    receive_by note = [&](em_event_t e, em_queue_t) {
        const int value = free_value(e);
        if (value < 0) {
            inside = true;
            wait_for(go);
        } else {
            seen.add(value);
        }
    };
    const receiver target = make_receiver(note, EM_QUEUE_TYPE_ATOMIC, of_core(0));
    receive_by send_all = [&](em_event_t e, em_queue_t) {
        em_free(e);
        for (int i = 0; i < many; ++i) {
            send_value(i, target.queue);
        }
        go = true;
    };
    const receiver source = make_receiver(send_all, EM_QUEUE_TYPE_PARALLEL, of_core(1));
    send_value(-1, target.queue);
    cores::until([&] { return inside.load(); });
    send_value(0, source.queue);
    cores::until([&] { return seen.size() == many; });
    stop({source, target});
    std::vector<int> expected;
    for (int i = 0; i < many; ++i) {
        expected.push_back(i);
    }
    EXPECT_EQ(seen.all(), expected);
}

} // namespace
} // namespace skerry::test
