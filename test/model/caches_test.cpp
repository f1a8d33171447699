// SPDX-License-Identifier: Apache-2.0

// The caches that software keeps and the interrupts are what caches.cpp and interrupts.cpp say: small programs with all
// their outcomes, and random ones against an interpreter that fetches and evicts whenever it likes.

#include <string>

#include <gtest/gtest.h>

#include "explorer.hpp"
#include "manycore.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

using enum memory_order;
using detail::coherence_step;
using words = std::set<std::string>;

constexpr coherence_step any_step = coherence_step::task_ended;

template <class... Values>
void record(const Values&... values) {
    std::string text;
    ((text += (text.empty() ? "" : " ") + std::to_string(values)), ...);
    outcome(text);
}

template <class World, auto... Threads>
result with_caches() {
    return explore<World, Threads...>({.memory = memory_order_of::caches});
}
template <class World, auto... Threads>
words outcomes_of() {
    const result r = with_caches<World, Threads...>();
    EXPECT_TRUE(r.ok) << r.report;
    return r.outcomes;
}

// --- caches ---------------------------------------------------------------------------------------------------------

// MP, with each half of what it needs.
template <bool Publish, bool Discard, memory_order Flag = release>
struct message_passing {
    machine::atomic<int> data{0}, flag{0};
    int seen = -1, value = -1;
    void writer() {
        data.store(1, relaxed);
        if constexpr (Publish) {
            manycore::publish_all(any_step);
        }
        flag.store(1, Flag);
    }
    void reader() {
        seen = flag.load(acquire);
        if constexpr (Discard) {
            manycore::discard_all(any_step);
        }
        value = data.load(relaxed);
    }
    void finally() { record(seen, value); }
};
template <class World>
words passed() {
    return outcomes_of<World, &World::writer, &World::reader>();
}

const words all_four = {"0 0", "0 1", "1 0", "1 1"};
const words in_order = {"0 0", "0 1", "1 1"};

TEST(caches, publish_and_discard_pass_a_message) { EXPECT_EQ((passed<message_passing<true, true>>()), in_order); }
TEST(caches, a_message_needs_publish) { EXPECT_EQ((passed<message_passing<false, true>>()), all_four); }
TEST(caches, a_message_needs_discard) { EXPECT_EQ((passed<message_passing<true, false>>()), all_four); }
TEST(caches, a_message_needs_both) { EXPECT_EQ((passed<message_passing<false, false>>()), all_four); }
TEST(caches, a_plain_flag_is_seen_when_it_is_evicted) {
    EXPECT_EQ((passed<message_passing<true, true, relaxed>>()), in_order);
}

// Full fences order nothing here: there is no buffer, and a cache is not one.
struct fenced {
    machine::atomic<int> x{0}, y{0};
    int a = -1, b = -1;
    void left() {
        x.store(1, relaxed);
        machine::full_fence();
        a = y.load(relaxed);
    }
    void right() {
        y.store(1, relaxed);
        machine::full_fence();
        b = x.load(relaxed);
    }
    void finally() { record(a, b); }
};
TEST(caches, a_fence_moves_nothing) { EXPECT_EQ((outcomes_of<fenced, &fenced::left, &fenced::right>()), all_four); }

// Two words of which one is published.
struct ranged {
    machine::atomic<int> x{0}, y{0};
    int a = -1, b = -1;
    void writer() {
        x.store(1, relaxed);
        y.store(1, relaxed);
        manycore::publish(&x, sizeof x, any_step);
        x.store(2, relaxed);
        manycore::publish(&x, sizeof x, any_step);
    }
    void reader() {
        a = x.load(relaxed);
        manycore::discard(&y, sizeof y, any_step);
        b = x.load(relaxed);
        manycore::discard(&x, sizeof x, any_step);
    }
    void other() {
        if (x.load(acquire) == 2) {
            b = y.load(acquire);
        }
    }
    void finally() { record(a, b); }
};
TEST(caches, a_word_that_is_published_leaves_its_neighbour) {
    EXPECT_EQ((outcomes_of<ranged, &ranged::writer, &ranged::other>()), (words{"-1 -1", "-1 0", "-1 1"}));
}
TEST(caches, a_core_never_reads_an_older_value_than_before) {
    EXPECT_EQ((outcomes_of<ranged, &ranged::writer, &ranged::reader>()),
              (words{"0 0", "0 1", "0 2", "1 1", "1 2", "2 2"}));
}

// An access to memory takes the own copy along, and no other.
struct past_the_cache {
    machine::atomic<int> x{0}, y{0};
    int a = -1, b = -1;
    void writer() {
        x.store(1, release);
        y.store(1, release);
    }
    void reader() {
        a = y.load(acquire);
        static_cast<void>(x.load(acquire));
        b = x.load(relaxed);
    }
    void exchanger() {
        x.store(5, relaxed);
        y.store(6, relaxed);
        a = x.fetch_add(1);
    }
    void looker() {
        if (x.load(acquire) == 6) {
            b = y.load(acquire);
        }
    }
    void finally() { record(a, b); }
};
TEST(caches, an_acquire_drops_the_own_copy) {
    EXPECT_EQ((outcomes_of<past_the_cache, &past_the_cache::writer, &past_the_cache::reader>()), in_order);
}
TEST(caches, an_exchange_sees_the_own_store_and_publishes_no_other) {
    EXPECT_EQ((outcomes_of<past_the_cache, &past_the_cache::exchanger, &past_the_cache::looker>()),
              (words{"5 -1", "5 0", "5 6"}));
}

// What cannot be relied on: that a dirty word is ever evicted, that a copy is ever fetched anew.
template <memory_order Store, memory_order Load>
struct spinning {
    machine::atomic<int> x{0};
    void writer() { x.store(1, Store); }
    void reader() {
        while (x.load(Load) == 0) {
            machine::pause();
        }
    }
};
template <memory_order Store, memory_order Load>
std::string end_of_spinning() {
    using world = spinning<Store, Load>;
    return with_caches<world, &world::writer, &world::reader>().kind;
}
TEST(caches, nothing_is_evicted_for_the_sake_of_a_spinner) {
    EXPECT_EQ((end_of_spinning<release, acquire>()), "");
    EXPECT_EQ((end_of_spinning<relaxed, acquire>()), "no end");
    EXPECT_EQ((end_of_spinning<release, relaxed>()), "no end");
}

// A plain<T>: whoever may read an old copy, or reads what another core holds back, has failed.
template <bool Publish, bool Discard>
struct plain_message {
    plain<int> data{0};
    machine::atomic<int> flag{0};
    void writer() {
        data.set(1);
        if constexpr (Publish) {
            manycore::publish_all(any_step);
        }
        flag.store(1, release);
    }
    void reader() {
        if (flag.load(acquire) == 1) {
            if constexpr (Discard) {
                manycore::discard_all(any_step);
            }
            require(data.get() == 1, "an old value");
        }
    }
};
template <bool Publish, bool Discard>
std::string end_of_message() {
    using world = plain_message<Publish, Discard>;
    return with_caches<world, &world::writer, &world::reader>().kind;
}
TEST(caches, an_unpublished_or_an_old_value_of_a_plain_cell_is_a_failure) {
    EXPECT_EQ((end_of_message<true, true>()), "");
    EXPECT_EQ((end_of_message<false, true>()), "race");
    EXPECT_EQ((end_of_message<true, false>()), "stale");
}

// Who has not published what it wrote writes it back into whatever lies there by then.
struct late_write_back {
    machine::atomic<machine::atomic<int>*> place{nullptr};
    machine::atomic<int> done{0};
    void owner() {
        machine::atomic<int> local{0};
        static_cast<void>(local.load(acquire));
        place.store(&local, release);
        while (done.load(acquire) == 0) {
            machine::pause();
        }
        local.store(2, release);
    }
    void writer() {
        machine::atomic<int>* const there = place.load(acquire);
        if (there != nullptr) {
            there->store(1, relaxed);
        }
        done.store(1, release);
    }
};
TEST(caches, a_late_write_back_is_found) {
    EXPECT_EQ((with_caches<late_write_back, &late_write_back::owner, &late_write_back::writer>().kind), "dead stack");
}

// --- interrupts -----------------------------------------------------------------------------------------------------

// The handler looks at a word that its core goes on to write, and at one that it writes itself.
struct interrupted {
    interrupted() { current = this; }
    static inline interrupted* current = nullptr;

    machine::atomic<int> own{0}, handled{0}, asleep{0}, up{0};
    machine::atomic<std::uint32_t> bed{0};
    int seen = -1, first = -1, second = -1;
    bool accepted = false;

    static void look(unsigned sender) {
        require(sender == 1, "another sender");
        current->seen = current->own.load(relaxed);
        current->handled.store(1, relaxed);
        current->handled.store(2, relaxed);
    }
    void open() {
        manycore::on_interrupt(&look);
        own.store(1, relaxed);
        own.store(2, relaxed);
    }
    void masked() {
        manycore::on_interrupt(&look);
        manycore::mask_interrupts();
        own.store(1, relaxed);
        manycore::mask_interrupts();
        own.store(2, relaxed);
        manycore::unmask_interrupts();
        own.store(3, relaxed);
        manycore::unmask_interrupts();
    }
    void reading() {
        manycore::on_interrupt(&look);
        first = handled.load(relaxed);
        second = handled.load(relaxed);
    }
    void sleeping() {
        manycore::on_interrupt(&look);
        manycore::futex_wait(bed, 0);
        require(bed.load(acquire) == 1, "woken by an interrupt");
    }
    void sender() {
        accepted = manycore::interrupt(0);
        if (!accepted) {
            require(seen == -1, "refused, and handled");
        }
    }
    void waker() {
        sender();
        bed.store(1, release);
        manycore::futex_wake(bed, 1);
    }
    void finally() {
        require(accepted == (seen != -1), "accepted, and not handled");
        record(seen, first, second);
    }
};

template <auto Receiver, auto Sender = &interrupted::sender>
result interrupt(fault_hook fault = nullptr, memory_order_of memory = memory_order_of::caches) {
    return explore<interrupted, Receiver, Sender>(
        {.memory = memory, .spurious_wakes = false, .interrupts = true, .fault = fault});
}
template <auto Receiver, auto Sender = &interrupted::sender>
void expect_seen(const words& wanted) {
    for (const memory_order_of memory : {memory_order_of::caches, memory_order_of::sequential}) {
        const result r = interrupt<Receiver, Sender>(nullptr, memory);
        EXPECT_TRUE(r.ok) << r.report;
        EXPECT_EQ(r.outcomes, wanted);
    }
}

TEST(interrupts, come_between_any_two_steps) {
    expect_seen<&interrupted::open>({"-1 -1 -1", "0 -1 -1", "1 -1 -1", "2 -1 -1"});
}
TEST(interrupts, do_not_come_into_a_masked_section) {
    expect_seen<&interrupted::masked>({"-1 -1 -1", "0 -1 -1", "3 -1 -1"});
}
TEST(interrupts, run_to_their_end) { expect_seen<&interrupted::reading>({"-1 0 0", "0 0 0", "0 0 2", "0 2 2"}); }
TEST(interrupts, reach_a_sleeper_who_sleeps_on) {
    expect_seen<&interrupted::sleeping, &interrupted::waker>({"-1 -1 -1", "0 -1 -1"});
}

// Each asks the other: one is refused, and nobody waits for ever.
struct mutual {
    machine::atomic<int> handled{0};
    static inline mutual* current = nullptr;
    mutual() { current = this; }
    static void handle(unsigned) { current->handled.fetch_add(1, relaxed); }
    int taken[2] = {};
    void ask(unsigned other) {
        manycore::on_interrupt(&handle);
        taken[1 - other] = manycore::interrupt(other) ? 1 : 0;
    }
    void left() { ask(1); }
    void right() { ask(0); }
    void finally() { record(taken[0], taken[1], handled.load(relaxed)); }
};
TEST(interrupts, that_meet_are_refused) {
    const result r =
        explore<mutual, &mutual::left, &mutual::right>({.memory = memory_order_of::caches, .interrupts = true});
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_EQ(r.outcomes, (words{"0 0 0", "0 1 1", "1 0 1", "1 1 2"}));
}

// An interrupt that is said to have been taken and never arrives.
struct lost_interrupt {
    static inline lost_interrupt* current = nullptr;
    lost_interrupt() { current = this; }
    machine::atomic<std::uint32_t> answered{0};
    machine::atomic<int> over{0};
    static void answer(unsigned) { current->answered.store(1, release); }
    void receiver() {
        manycore::on_interrupt(&answer);
        while (over.load(acquire) == 0) {
            machine::pause();
        }
    }
    void sender() {
        if (manycore::interrupt(0)) {
            manycore::futex_wait(answered, 0);
        }
        over.store(1, release);
    }
};
TEST(interrupts, that_are_lost_are_found) {
    constexpr auto run = [](fault_hook fault) {
        return explore<lost_interrupt, &lost_interrupt::receiver, &lost_interrupt::sender>(
            {.memory = memory_order_of::caches, .interrupts = true, .fault = fault});
    };
    EXPECT_TRUE(run(nullptr).ok);
    EXPECT_EQ(run([](request& r, reply&) { return r.what == action::interrupt; }).kind, "no end");
}

} // namespace

} // namespace skerry::model
