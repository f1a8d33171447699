// SPDX-License-Identifier: Apache-2.0

// Masks of cores, versions, what is printed, and timestamps.

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <event_machine/helper/event_machine_debug.h>
#include <event_machine/helper/event_machine_helper.h>

#include "cores.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

// --- masks ----------------------------------------------------------------------------------------------------------

em_core_mask_t mask_of(std::uint64_t bits) {
    em_core_mask_t mask;
    em_core_mask_zero(&mask);
    em_core_mask_set_bits(&bits, 1, &mask);
    return mask;
}
std::string text_of(const em_core_mask_t& mask) {
    std::array<char, EM_CORE_MASK_STRLEN> text{};
    em_core_mask_tostr(text.data(), EM_CORE_MASK_STRLEN, &mask);
    return text.data();
}

TEST(core_masks, of_bits_and_back) {
    em_core_mask_t mask = mask_of(0x5);
    const std::array<std::uint64_t, 2> two{0x10, ~std::uint64_t{0}};
    em_core_mask_set_bits(two.data(), 2, &mask); // what is beyond the mask is in none
    em_core_mask_set_bits(two.data(), 0, &mask);
    std::array<std::uint64_t, 2> back{7, 7};
    EXPECT_EQ(em_core_mask_get_bits(back.data(), 0, &mask), 0);
    EXPECT_EQ(em_core_mask_get_bits(back.data(), 2, &mask), 1);
    EXPECT_THAT(back, testing::ElementsAre(0x15, 7));
    EXPECT_EQ(em_core_mask_count(&mask), 3);
}

TEST(core_masks, of_text_and_back) {
    em_core_mask_t mask = mask_of(0);
    EXPECT_EQ(text_of(mask), "0x0");
    EXPECT_EQ(em_core_mask_set_str("0xF0", &mask), 0);
    EXPECT_EQ(em_core_mask_set_str("3", &mask), 0);
    EXPECT_EQ(text_of(mask), "0xf3");
    for (const char* const wrong : {"", "0x", "0xg", "-1", "1 ", "0x10000000000000000"}) {
        EXPECT_NE(em_core_mask_set_str(wrong, &mask), 0) << wrong;
    }
    EXPECT_NE(em_core_mask_set_str(nullptr, &mask), 0);
    EXPECT_EQ(text_of(mask), "0xf3");
    EXPECT_EQ(text_of(mask_of(~std::uint64_t{0})), "0xffffffffffffffff");
    std::array<char, 5> small{};
    em_core_mask_tostr(small.data(), 5, &mask);
    EXPECT_STREQ(small.data(), "0xf3");
    em_core_mask_tostr(small.data(), 4, &mask);
    EXPECT_STREQ(small.data(), "");
    em_core_mask_tostr(nullptr, 0, &mask);
}

TEST(core_masks, their_operations) {
    const em_core_mask_t a = mask_of(0b1100);
    const em_core_mask_t b = mask_of(0b1010);
    em_core_mask_t r;
    em_core_mask_and(&r, &a, &b);
    EXPECT_EQ(text_of(r), "0x8");
    em_core_mask_or(&r, &a, &b);
    EXPECT_EQ(text_of(r), "0xe");
    em_core_mask_xor(&r, &a, &b);
    EXPECT_EQ(text_of(r), "0x6");
    EXPECT_EQ(em_core_mask_idx(1, &r), 1);
    EXPECT_EQ(em_core_mask_idx(2, &r), 2);
    EXPECT_EQ(em_core_mask_idx(3, &r), -1);
    EXPECT_EQ(em_core_mask_idx(0, &r), -1);
    EXPECT_EQ(em_core_mask_idx(-1, &r), -1);
    em_core_mask_copy(&r, &a);
    EXPECT_NE(em_core_mask_equal(&r, &a), 0);
    em_core_mask_clr(3, &r);
    EXPECT_EQ(em_core_mask_equal(&r, &a), 0);
    EXPECT_NE(em_core_mask_isset(2, &r), 0);
    EXPECT_EQ(em_core_mask_iszero(&r), 0);
    em_core_mask_set(64, &r); // no core
    em_core_mask_set(-1, &r);
    EXPECT_EQ(em_core_mask_count(&r), 1);
}

TEST(core_masks, physical_cores_are_those_of_the_configuration) {
    this_core core(1, [](em_conf_t& conf) { conf.phys_mask = mask_of(0x20); });
    EXPECT_EQ(em_core_id_get_physical(0), 5);
    EXPECT_EQ(em_core_id_get_physical(1), -1);
    EXPECT_EQ(em_core_id_get_physical(-1), -1);
    const em_core_mask_t logic = mask_of(0x3);
    em_core_mask_t physical;
    em_core_mask_get_physical(&physical, &logic);
    EXPECT_EQ(text_of(physical), "0x20");
    em_core_mask_get_physical(nullptr, &logic);
    expect_error(EM_ERR_BAD_POINTER, "em_core_mask_get_physical: a null pointer");
    EXPECT_EQ(em_core_mask_set_str("0x1", nullptr), -1);
    EXPECT_EQ(em_core_id(), 0);
    EXPECT_EQ(em_core_count(), 1);
    EXPECT_EQ(em_device_id(), 0);
    EXPECT_EQ(em_event_type_major(EM_EVENT_TYPE_PACKET | 5), static_cast<em_event_type_t>(EM_EVENT_TYPE_PACKET));
    EXPECT_EQ(em_event_type_minor(EM_EVENT_TYPE_PACKET | 5), 5U);
    EXPECT_EQ(em_get_type_minor(EM_EVENT_TYPE_PACKET | 6), 6U);
}

// --- versions and printing ------------------------------------------------------------------------------------------

TEST(versions, are_em_odps_3_8) {
    EXPECT_STREQ(em_version_api_str(), "3.8");
    EXPECT_STREQ(em_version_str(), "3.8.0");
    EXPECT_EQ(em_version_api_num(), EM_VERSION_API_NUM(3, 8));
    EXPECT_EQ(em_version_num(), EM_VERSION_NUM(3, 8, 0, 0));
    EXPECT_EQ(EM_VERSION_NUM(3, 8, 1, 2), 0x03080102U);
    EXPECT_GT(em_version_api_num(), EM_VERSION_API_NUM(3, 7));
    EXPECT_EQ(EM_API_VERSION_MAJOR, 3);
    EXPECT_EQ(EM_API_VERSION_MINOR, 8);
}

std::vector<std::string> logged;
int log(em_log_level_t level, const char* format, ...) __attribute__((format(printf, 2, 3)));
int log(em_log_level_t level, const char* format, ...) {
    std::array<char, 500> text{};
    va_list args;
    va_start(args, format);
    const int length = std::vsnprintf(text.data(), text.size(), format, args);
    va_end(args);
    logged.push_back(std::to_string(level) + text.data());
    return length;
}
int vlog(em_log_level_t /*level*/, const char* /*format*/, va_list /*args*/) { return 0; }

TEST(printing, goes_to_the_programs_log_function) {
    {
        this_core core(1, [](em_conf_t& conf) {
            conf.log.log_fn = log;
            conf.log.vlog_fn = vlog;
        });
        em_version_print();
        em_info_print();
        static_cast<void>(em_unregister_error_handler());
        em_free(EM_EVENT_UNDEF);
    }
    EXPECT_THAT(std::exchange(logged, {}),
                testing::ElementsAre("1event machine: API 3.8, version 3.8.0, by Skerry\n",
                                     "1event machine: API 3.8, version 3.8.0, by Skerry\n",
                                     "1event machine: 1 of 1 cores inside, phys_mask 0x1, 0 event groups\n",
                                     "2skerry: em_free: no event (error 1)\n"));
    testing::internal::CaptureStdout();
    em_version_print(); // to no function of a machine that has ended
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "event machine: API 3.8, version 3.8.0, by Skerry\n");
    EXPECT_TRUE(logged.empty());
    static_cast<void>(take_errors());
    ASSERT_EQ(em_register_error_handler(keep_error), EM_OK);
    em_info_print();
    expect_error(EM_ERR_NOT_INITIALIZED, "em_info_print: em_init() was not called");
    static_cast<void>(em_unregister_error_handler());
}

TEST(printing, needs_both_functions) {
    static_cast<void>(take_errors());
    ASSERT_EQ(em_register_error_handler(keep_error), EM_OK);
    em_conf_t conf = configuration(1);
    conf.log.log_fn = log;
    EXPECT_EQ(em_init(&conf), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_init: of log_fn and vlog_fn one is null");
    static_cast<void>(em_unregister_error_handler());
}

std::vector<std::string> formatted;
em_status_t format_error(em_eo_t eo, em_status_t error, em_escope_t scope, va_list args) {
    std::array<char, 200> text{};
    const int length = em_error_format_string(text.data(), text.size(), eo, error, scope, args);
    EXPECT_EQ(static_cast<std::size_t>(length), std::strlen(text.data()));
    formatted.emplace_back(text.data());
    return error;
}
em_status_t format_little(em_eo_t eo, em_status_t error, em_escope_t scope, va_list args) {
    std::array<char, 9> text{};
    EXPECT_EQ(em_error_format_string(text.data(), text.size(), eo, error, scope, args), 8);
    formatted.emplace_back(text.data());
    EXPECT_EQ(em_error_format_string(nullptr, 5, eo, error, scope, args), 0);
    EXPECT_EQ(em_error_format_string(text.data(), 0, eo, error, scope, args), 0);
    return error;
}

TEST(printing, an_error_as_text) {
    this_core core;
    ASSERT_EQ(em_register_error_handler(format_error), EM_OK);
    const receiver r = make_receiver(
        [](void*, em_event_t event, em_event_type_t, em_queue_t, void*) {
            em_free(event);
            em_free(EM_EVENT_UNDEF);
        },
        nullptr, EM_QUEUE_TYPE_ATOMIC);
    ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    this_core::dispatch(1);
    em_error(77, 5, 1, 2);
    ASSERT_EQ(em_register_error_handler(format_little), EM_OK);
    em_free(EM_EVENT_UNDEF);
    EXPECT_THAT(std::exchange(formatted, {}),
                testing::ElementsAre("em_free: no event (error 1, execution object 'receiver')",
                                     "em_error: scope 0x5 (error 77)", "em_free:"));
}

TEST(timestamps, begin_when_somebody_asks) {
    this_core core;
    std::array<std::uint64_t, 3> seen{1, 1, 1};
    const receiver asks = make_receiver(
        [](void* context, em_event_t event, em_event_type_t, em_queue_t, void*) {
            em_free(event);
            *static_cast<std::array<std::uint64_t, 3>*>(context) = {em_debug_timestamp(EM_DEBUG_TSP_SCHED_ENTRY),
                                                                    em_debug_timestamp(EM_DEBUG_TSP_SCHED_RETURN),
                                                                    em_debug_timestamp(EM_DEBUG_TSP_LAST)};
        },
        &seen, EM_QUEUE_TYPE_ATOMIC);
    ASSERT_EQ(em_send(make_event(), asks.queue), EM_OK);
    this_core::dispatch(1);
    EXPECT_THAT(seen, testing::ElementsAre(0, 0, 0));
    ASSERT_EQ(em_send(make_event(), asks.queue), EM_OK);
    this_core::dispatch(1);
    EXPECT_GT(seen[0], 0U);
    EXPECT_GE(seen[1], seen[0]);
    EXPECT_EQ(seen[2], 0U);
}

} // namespace
} // namespace skerry::test
