// SPDX-License-Identifier: Apache-2.0

// Each function that the headers declare (functions.py), called with nothing and called right.

#include <set>
#include <string_view>
#include <vector>

#include "functions.hpp"

namespace skerry::test {

namespace {

using names = std::set<std::string_view>;

// Functions for which nothing is as good as anything, also without a machine: what is current, what comes next, and
// what has no need of a machine.
const names need_no_machine = {"em_atomic_group_get_next",
                               "em_atomic_group_queue_get_next",
                               "em_core_id",
                               "em_eo_current",
                               "em_eo_get_next",
                               "em_eo_queue_get_next",
                               "em_free_multi",
                               "em_event_get_type_multi",
                               "em_event_same_type_multi",
                               "em_event_mark_free_multi",
                               "em_event_unmark_free_multi",
                               "em_event_to_u64",
                               "em_event_group_current",
                               "em_event_group_processing_end",
                               "em_event_group_get_next",
                               "em_queue_current",
                               "em_queue_get_next",
                               "em_queue_get_num_prio",
                               "em_queue_group_get_next",
                               "em_queue_group_queue_get_next",
                               "em_atomic_processing_end",
                               "em_ordered_processing_end",
                               "em_preschedule",
                               "em_sched_context_type_current",
                               "em_timer_attr_init",
                               "em_timer_to_u64",
                               "em_tmo_to_u64",
                               "em_tmo_get_userptr",
                               "em_version_api_str",
                               "em_version_api_num",
                               "em_version_str",
                               "em_version_num",
                               "em_version_print",
                               "em_debug_timestamp",
                               "em_core_id_get_physical",
                               "em_core_mask_set_str",
                               "em_core_mask_tostr",
                               "em_device_id",
                               "em_pool_to_u64",
                               "em_unregister_error_handler"};
// And with one.
const names accept_nothing = {"em_atomic_group_find",
                              "em_atomic_group_get_first",
                              "em_core_count",
                              "em_eo_find",
                              "em_eo_get_first",
                              "em_event_group_create",
                              "em_event_group_get_first",
                              "em_queue_find",
                              "em_queue_get_first",
                              "em_queue_group_find",
                              "em_queue_group_get_first",
                              "em_timer_get_all",
                              "em_info_print",
                              "em_pool_find",
                              "em_pool_get_first",
                              "em_pool_get_next",
                              "em_pool_info_print_all"};
// The handler hears nothing of what they refuse.
const names refuse_quietly = {"em_timer_capability", "em_timer_res_capability", "em_timer_ring_capability",
                              "em_timer_ring_attr_init"};
// The calls that are right only where there is no machine, or that end it, or with co-operative dispatch.
const names with_tests_of_their_own = {"skerry_em_configure", "em_init", "em_init_core",
                                       "em_term_core",        "em_term", "skerry_em_suspend",
                                       "skerry_em_resume"};

void expect_refusal(const function& f) {
    const answer a = f.call_with_nothing();
    const std::vector<error_seen> seen = take_errors();
    if (a.is_status) {
        EXPECT_NE(a.status, EM_OK) << f.name;
    }
    if (refuse_quietly.contains(f.name)) {
        EXPECT_TRUE(seen.empty()) << f.name;
        return;
    }
    ASSERT_EQ(seen.size(), 1U) << f.name;
    EXPECT_TRUE(seen[0].text.starts_with(f.name)) << f.name << ": " << seen[0].text;
    EXPECT_NE(seen[0].error, EM_OK) << f.name;
    if (a.is_status) {
        EXPECT_EQ(seen[0].error, a.status) << f.name;
    }
}
void expect_answer(const function& f) {
    const answer a = f.call_with_nothing();
    EXPECT_EQ(a.status, EM_OK) << f.name;
    EXPECT_TRUE(take_errors().empty()) << f.name;
}

// `right`: those that answer; the others refuse. em_error() is not called: what it is given is the program's.
void call_all(const names& right, names not_called) {
    not_called.insert("em_error");
    testing::internal::CaptureStdout();
    for (const function& f : functions()) {
        if (right.contains(f.name)) {
            expect_answer(f);
            EXPECT_EQ(em_register_error_handler(keep_error), EM_OK); // if that has taken it away
        } else if (!not_called.contains(f.name)) {
            expect_refusal(f);
        }
    }
    static_cast<void>(testing::internal::GetCapturedStdout());
}

TEST(functions, without_a_machine_each_says_so) {
    ASSERT_EQ(em_register_error_handler(keep_error), EM_OK);
    call_all(need_no_machine, {});
    ASSERT_EQ(em_unregister_error_handler(), EM_OK);
}

TEST(functions, each_refuses_nothing) {
    full_core core;
    names right = need_no_machine;
    right.insert(accept_nothing.begin(), accept_nothing.end());
    call_all(right, {"em_dispatch", "em_term_core"}); // for ever, and at its time
}

TEST(functions, a_machine_begins_and_ends) {
    skerry_em_options_t options;
    skerry_em_options_init(&options);
    ASSERT_EQ(skerry_em_configure(&options), EM_OK);
    const em_conf_t conf = configuration(1);
    ASSERT_EQ(em_init(&conf), EM_OK);
    EXPECT_EQ(em_core_id(), -1);
    ASSERT_EQ(em_init_core(), EM_OK);
    EXPECT_EQ(em_core_id(), 0);
    ASSERT_EQ(em_term_core(), EM_OK);
    ASSERT_EQ(em_term(&conf), EM_OK);
}

TEST(functions, a_receive_function_is_suspended_and_goes_on) {
    const with_options on([](skerry_em_options_t& o) { o.cooperative = 1; });
    full_core core;
    bool over = false;
    core.receive([&](em_event_t e, em_queue_t) {
        EXPECT_EQ(skerry_em_resume(e), EM_OK); // comes first
        EXPECT_EQ(skerry_em_suspend(), EM_OK);
        em_free(e);
        over = true;
    });
    EXPECT_TRUE(over);
}

TEST(functions, each_does_what_it_is_for) {
    right_calls left = calls_of_events();
    for (const right_calls* more : {&calls_of_queues(), &calls_of_objects(), &calls_of_cores()}) {
        left.insert(more->begin(), more->end());
    }
    for (const function& f : functions()) {
        if (with_tests_of_their_own.contains(f.name)) {
            continue;
        }
        const auto right = left.extract(f.name);
        if (right.empty()) {
            ADD_FAILURE() << f.name << " has no call in right_calls_*.cpp";
            continue;
        }
        full_core core;
        EXPECT_TRUE(right.mapped()(core)) << f.name;
        for (const error_seen& e : take_errors()) {
            EXPECT_EQ(e.error, status_of(EM_ERR_NOT_IMPLEMENTED)) << f.name << ": " << e.text;
        }
    }
    EXPECT_TRUE(left.empty()) << left.begin()->first << " is declared by no header";
}

} // namespace

} // namespace skerry::test
