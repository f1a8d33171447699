// SPDX-License-Identifier: Apache-2.0

// Verification of events: whoever uses an event that is not his is told, and nothing happens.

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "bare_machine.hpp"

namespace skerry::test {
namespace {

constexpr auto wrong_state = status_of(EM_ERR_EVENT_STATE);

struct with_verification {
    with_verification() { setenv("SKERRY_EM_ESV", "1", 1); }
    with_verification(const with_verification&) = delete;
    with_verification& operator=(const with_verification&) = delete;
    ~with_verification() { unsetenv("SKERRY_EM_ESV"); }
};

class verification : public testing::Test {
  protected:
    static em_queue_t make_queue() {
        return em_queue_create("q", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
    }
    static void expect_misuse(const std::string& call, const std::string& last) {
        const std::vector<error_seen> seen = take_errors();
        ASSERT_EQ(seen.size(), 1U) << call;
        EXPECT_EQ(seen[0].error, wrong_state);
        EXPECT_THAT(seen[0].text, testing::StartsWith(call + ": event 0x"));
        EXPECT_THAT(seen[0].text,
                    testing::HasSubstr("is not the caller's: it was sent or freed; the last call for it was " + last));
    }

    const with_verification on_;
};

// --- what is found ---------------------------------------------------------------------------------------------------

TEST_F(verification, a_double_free_is_found) {
    const bare_machine machine;
    const em_event_t e = make_event();
    em_free(e);
    em_free(e);
    expect_misuse("em_free", "em_free on core -1, in execution object (nil), queue (nil)");
    em_event_t both[] = {make_event(), EM_EVENT_UNDEF};
    both[1] = both[0];
    em_free_multi(both, 2);
    expect_misuse("em_free_multi", "em_free_multi on core -1");
    ASSERT_EQ(em_pool_delete(EM_POOL_DEFAULT), EM_OK) << "each was freed once";
}

TEST_F(verification, a_use_after_free_is_found) {
    const bare_machine machine;
    const em_queue_t queue = make_queue();
    const em_event_t e = make_event();
    em_free(e);
    const em_event_t again = make_event(); // perhaps the same memory
    EXPECT_EQ(em_event_pointer(e), nullptr);
    expect_misuse("em_event_pointer", "em_");
    EXPECT_EQ(em_event_get_size(e), 0U);
    expect_misuse("em_event_get_size", "em_");
    EXPECT_EQ(em_event_get_type(e), static_cast<em_event_type_t>(EM_EVENT_TYPE_UNDEF));
    expect_misuse("em_event_get_type", "em_");
    EXPECT_EQ(em_send(e, queue), wrong_state);
    expect_misuse("em_send", "em_");
    EXPECT_EQ(em_event_clone(e, EM_POOL_UNDEF), EM_EVENT_UNDEF);
    expect_misuse("em_event_clone", "em_");
    EXPECT_EQ(em_event_uarea_id_set(e, 1), wrong_state);
    expect_misuse("em_event_uarea_id_set", "em_");
    EXPECT_EQ(em_packet_pointer(e), nullptr);
    expect_misuse("em_packet_pointer", "em_");
    EXPECT_EQ(em_event_mark_send(e, queue), wrong_state);
    expect_misuse("em_event_mark_send", "em_");
    EXPECT_NE(em_event_pointer(again), nullptr);
    em_free(again);
}

TEST_F(verification, a_new_event_in_the_same_memory_has_another_handle) {
    const bare_machine machine(1, 1);
    const em_event_t e = make_event();
    void* const memory = em_event_pointer(e);
    em_free(e);
    const em_event_t again = make_event();
    EXPECT_EQ(em_event_pointer(again), memory);
    EXPECT_NE(again, e);
    em_free(e);
    expect_misuse("em_free", "em_alloc on core -1");
    em_free(again);
}

struct visits {
    std::atomic<int> inside{0};
    std::atomic<bool> go{true};
    std::atomic<int> freed{0};
};

void hold_and_free(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    visits& v = *static_cast<visits*>(context);
    ++v.inside;
    wait_for(v.go);
    EXPECT_EQ(std::memcmp(em_event_pointer(event), "payload", 8), 0);
    em_free(event);
    ++v.freed;
}

TEST_F(verification, a_double_send_and_a_use_after_send_are_found) {
    cores machine(1);
    visits v;
    v.go = false;
    const receiver r = make_receiver(hold_and_free, &v, EM_QUEUE_TYPE_ATOMIC);
    const em_event_t e = make_event();
    std::memcpy(em_event_pointer(e), "payload", 8);
    ASSERT_EQ(em_send(e, r.queue), EM_OK);
    cores::until([&] { return v.inside == 1; });
    const std::string received = "em_dispatch on core 0, in execution object 0x1, queue 0x100";
    EXPECT_EQ(em_send(e, r.queue), wrong_state);
    expect_misuse("em_send", received);
    EXPECT_EQ(em_send_multi(&e, 1, r.queue), 0);
    expect_misuse("em_send_multi", received);
    EXPECT_EQ(em_event_pointer(e), nullptr);
    expect_misuse("em_event_pointer", received);
    em_free(e);
    expect_misuse("em_free", received);
    v.go = true;
    cores::until([&] { return v.freed == 1; });
    em_free(e);
    expect_misuse("em_free", "em_free on core 0, in execution object 0x1, queue 0x100");
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
}

TEST_F(verification, an_event_in_a_queue_is_not_the_senders) {
    cores machine(1);
    visits v;
    v.go = false;
    const receiver r = make_receiver(hold_and_free, &v, EM_QUEUE_TYPE_ATOMIC);
    em_event_t two[] = {make_event(), make_event()};
    for (const em_event_t e : two) {
        std::memcpy(em_event_pointer(e), "payload", 8);
    }
    ASSERT_EQ(em_send_multi(two, 2, r.queue), 2);
    cores::until([&] { return v.inside == 1; });
    em_free(two[1]);
    expect_misuse("em_free", "em_send_multi on core -1");
    v.go = true;
    cores::until([&] { return v.freed == 2; });
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
    ASSERT_EQ(em_pool_delete(EM_POOL_DEFAULT), EM_OK);
}

TEST_F(verification, of_two_threads_that_free_an_event_one_is_told) {
    const bare_machine machine;
    for (int i = 0; i < 200; ++i) {
        const em_event_t e = make_event();
        std::thread other([e] { em_free(e); });
        em_free(e);
        other.join();
        expect_misuse("em_free", "em_free on core -1");
    }
    ASSERT_EQ(em_pool_delete(EM_POOL_DEFAULT), EM_OK);
}

TEST_F(verification, an_event_of_a_timer_is_not_the_callers) {
    constexpr std::uint64_t hour = 3'600'000'000'000;
    const bare_machine machine(1, 64, [](em_conf_t& conf) { conf.event_timer = 1; });
    em_timer_attr_t attr;
    em_timer_attr_init(&attr);
    const em_timer_t timer = em_timer_create(&attr);
    const em_tmo_t timeout = em_tmo_create(timer, EM_TMO_FLAG_ONESHOT, make_queue());
    em_event_t e = make_event();
    ASSERT_EQ(em_tmo_set_rel(timeout, hour, e), EM_OK);
    em_free(e);
    expect_misuse("em_free", "em_tmo_set_rel on core -1");
    EXPECT_EQ(em_tmo_ack(timeout, e), wrong_state);
    expect_misuse("em_tmo_ack", "em_tmo_set_rel on core -1");
    ASSERT_EQ(em_tmo_cancel(timeout, &e), EM_OK);
    ASSERT_EQ(em_tmo_set_abs(timeout, em_timer_current_tick(timer) + hour, e), EM_OK);
    em_free(e);
    expect_misuse("em_free", "em_tmo_set_abs on core -1");
}

// --- what is right ---------------------------------------------------------------------------------------------------

TEST_F(verification, an_event_that_was_not_sent_is_still_the_callers) {
    const bare_machine machine;
    const em_queue_t queue = make_queue(); // nobody receives from it
    const em_event_t e = make_event();
    EXPECT_EQ(em_send(e, queue), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_send: no execution object receives");
    EXPECT_EQ(em_send_multi(&e, 1, queue), 0);
    expect_error(EM_ERR_BAD_STATE, "em_send_multi: no execution object receives");
    EXPECT_NE(em_event_pointer(e), nullptr);
    em_free(e);
    em_free(e);
    expect_misuse("em_free", "em_free");
}

struct sender {
    em_queue_t to = EM_QUEUE_UNDEF;
    em_event_t sent = EM_EVENT_UNDEF;
    std::atomic<int> received{0};
};

em_status_t start_and_send(void* context, em_eo_t /*eo*/, const em_eo_conf_t* /*conf*/) {
    sender& s = *static_cast<sender*>(context);
    s.sent = make_event();
    EXPECT_EQ(em_send(s.sent, s.to), EM_OK);
    EXPECT_EQ(em_send(s.sent, s.to), wrong_state);
    return EM_OK;
}

TEST_F(verification, what_a_start_function_has_sent_is_not_its_own) {
    cores machine(1);
    sender s;
    const em_eo_t eo = em_eo_create(
        "e", start_and_send, nullptr, stop_nothing, nullptr,
        [](void* context, em_event_t event, em_event_type_t, em_queue_t, void*) {
            em_free(event);
            ++static_cast<sender*>(context)->received;
        },
        &s);
    s.to = make_queue();
    ASSERT_EQ(em_eo_add_queue_sync(eo, s.to), EM_OK);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    cores::until([&] { return s.received == 1; });
    expect_misuse("em_send", "em_send on core -1, in execution object 0x1, queue (nil)");
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

TEST_F(verification, generations_go_round) {
    const bare_machine machine(1, 1);
    em_event_t first = make_event();
    const em_event_t kept = first;
    for (int i = 0; i < 1 << 16; ++i) {
        em_free(first);
        first = make_event();
        ASSERT_EQ(first == kept, i == (1 << 16) - 1);
    }
    em_free(first);
}

// --- marks -----------------------------------------------------------------------------------------------------------

TEST_F(verification, a_send_to_a_queue_that_cores_do_not_receive_from_is_not_marked) {
    const bare_machine machine;
    const em_queue_t queue =
        em_queue_create("u", EM_QUEUE_TYPE_UNSCHEDULED, EM_QUEUE_PRIO_UNDEF, EM_QUEUE_GROUP_UNDEF, nullptr);
    const em_event_t e = make_event();
    EXPECT_EQ(em_event_mark_send(e, queue), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_event_mark_send: cores do not receive from queue 0x100");
    em_free(e);
}

TEST_F(verification, a_marked_event_is_the_callers_again_when_it_is_unmarked) {
    const bare_machine machine;
    const em_queue_t queue = make_queue();
    em_event_t e[] = {make_event(), make_event()};
    ASSERT_EQ(em_event_mark_send(e[0], queue), EM_OK);
    EXPECT_EQ(em_event_pointer(e[0]), nullptr);
    {
        const std::vector<error_seen> seen = take_errors();
        ASSERT_EQ(seen.size(), 1U);
        EXPECT_THAT(seen[0].text, testing::HasSubstr("is not the caller's: it is marked as sent; the last call for it "
                                                     "was em_event_mark_send on core -1"));
    }
    EXPECT_EQ(em_send(e[0], queue), wrong_state);
    EXPECT_EQ(take_errors().size(), 1U);
    ASSERT_EQ(em_event_unmark_send(e[0]), EM_OK);
    EXPECT_NE(em_event_pointer(e[0]), nullptr);
    em_event_mark_free(e[0]);
    em_free(e[0]);
    {
        const std::vector<error_seen> seen = take_errors();
        ASSERT_EQ(seen.size(), 1U);
        EXPECT_THAT(seen[0].text, testing::HasSubstr("is not the caller's: it is marked as free; the last call for it "
                                                     "was em_event_mark_free on core -1"));
    }
    em_event_unmark_free(e[0]);
    em_event_mark_free_multi(e, 2);
    em_event_unmark_free_multi(e, 2);
    em_free_multi(e, 2);
    EXPECT_TRUE(take_errors().empty());
    ASSERT_EQ(em_pool_delete(EM_POOL_DEFAULT), EM_OK);
}

TEST_F(verification, a_wrong_unmark_is_found) {
    const bare_machine machine;
    const em_queue_t queue = make_queue();
    const em_event_t e = make_event();
    const auto expect_unmarked = [](const std::string& call, const std::string& last) {
        const std::vector<error_seen> seen = take_errors();
        ASSERT_EQ(seen.size(), 1U) << call;
        EXPECT_EQ(seen[0].error, wrong_state);
        EXPECT_THAT(seen[0].text, testing::StartsWith(call + ": event 0x"));
        EXPECT_THAT(seen[0].text, testing::HasSubstr("is not marked so by the caller; the last call for it was " +
                                                     last + " on core -1, in execution object (nil), queue (nil)"));
    };
    EXPECT_EQ(em_event_unmark_send(e), wrong_state);
    expect_unmarked("em_event_unmark_send", "em_alloc");
    em_event_unmark_free(e);
    expect_unmarked("em_event_unmark_free", "em_alloc");
    em_event_unmark_free_multi(&e, 1);
    expect_unmarked("em_event_unmark_free_multi", "em_alloc");
    ASSERT_EQ(em_event_mark_send(e, queue), EM_OK);
    em_event_unmark_free(e);
    expect_unmarked("em_event_unmark_free", "em_event_mark_send");
    ASSERT_EQ(em_event_unmark_send(e), EM_OK);
    EXPECT_EQ(em_event_unmark_send(e), wrong_state);
    expect_unmarked("em_event_unmark_send", "em_event_unmark_send");
    em_free(e);
    EXPECT_EQ(em_event_unmark_send(e), wrong_state);
    expect_unmarked("em_event_unmark_send", "em_free");
    EXPECT_EQ(em_event_unmark_send(EM_EVENT_UNDEF), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_event_unmark_send: no event");
}

TEST(marks, without_verification_they_look_at_their_arguments) {
    const bare_machine machine;
    const em_queue_t queue =
        em_queue_create("q", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
    em_event_t e = make_event();
    EXPECT_EQ(em_event_mark_send(e, queue), EM_OK);
    EXPECT_EQ(em_event_unmark_send(e), EM_OK);
    em_event_mark_free(e);
    em_event_unmark_free(e);
    em_event_mark_free_multi(&e, 1);
    em_event_unmark_free_multi(&e, 1);
    EXPECT_TRUE(take_errors().empty());
    EXPECT_EQ(em_event_mark_send(e, EM_QUEUE_UNDEF), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_event_mark_send: there is no queue");
    EXPECT_EQ(em_event_mark_send(EM_EVENT_UNDEF, queue), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_event_mark_send: no event");
    em_event_mark_free(EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_event_mark_free: no event");
    em_event_unmark_free(EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_event_unmark_free: no event");
    em_event_mark_free_multi(nullptr, 1);
    expect_error(EM_ERR_BAD_ARG, "em_event_mark_free_multi: 1 events without a table");
    em_event_unmark_free_multi(&e, -1);
    expect_error(EM_ERR_BAD_ARG, "em_event_unmark_free_multi: -1 events without a table");
    em_free(e);
}

} // namespace
} // namespace skerry::test
