// SPDX-License-Identifier: Apache-2.0

// Packets: payloads that grow and shrink at both ends.

#include <cstdint>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "bare_machine.hpp"

namespace skerry::test {
namespace {

// A packet of 40 bytes, of at most 100, behind 128 bytes of headroom.
class packets : public testing::Test {
  protected:
    void SetUp() override {
        em_pool_cfg_t c = pool_config(100, 1, EM_EVENT_TYPE_PACKET);
        pool_ = em_pool_create("packets", EM_POOL_UNDEF, &c);
        packet_ = em_alloc(40, EM_EVENT_TYPE_PACKET, pool_);
        ASSERT_NE(packet_, EM_EVENT_UNDEF);
    }
    void TearDown() override { em_free(packet_); }

    [[nodiscard]] char* head() const { return static_cast<char*>(em_packet_pointer(packet_)); }
    void expect(std::uint32_t headroom, std::uint32_t size, std::uint32_t tailroom) const {
        EXPECT_EQ(em_packet_headroom(packet_), headroom);
        EXPECT_EQ(em_packet_size(packet_), size);
        EXPECT_EQ(em_packet_tailroom(packet_), tailroom);
        std::uint32_t same = 0;
        EXPECT_EQ(em_packet_pointer_and_size(packet_, &same), head());
        EXPECT_EQ(same, size);
        EXPECT_EQ(em_event_pointer(packet_), head());
        EXPECT_EQ(em_event_get_size(packet_), size);
    }

    const bare_machine machine_;
    em_pool_t pool_ = EM_POOL_UNDEF;
    em_event_t packet_ = EM_EVENT_UNDEF;
};

TEST_F(packets, grow_and_shrink_at_both_ends) {
    expect(128, 40, 60);
    char* const begin = head();
    EXPECT_EQ(em_packet_pointer_and_size(packet_, nullptr), begin);
    EXPECT_EQ(em_packet_push_head(packet_, 14), begin - 14);
    expect(114, 54, 60);
    EXPECT_EQ(em_packet_pull_head(packet_, 20), begin + 6);
    expect(134, 34, 60);
    EXPECT_EQ(em_packet_push_tail(packet_, 60), begin + 40);
    expect(134, 94, 0);
    EXPECT_EQ(em_packet_pull_tail(packet_, 93), begin + 7);
    expect(134, 1, 93);
    EXPECT_EQ(em_packet_resize(packet_, 94), begin + 6);
    expect(134, 94, 0);
    EXPECT_EQ(em_packet_push_head(packet_, 134), begin - 128);
    expect(0, 228, 0);
    std::memset(head(), 7, 228); // all of it is the packet's
    for (const std::uint32_t nothing : {0U}) {
        EXPECT_EQ(em_packet_push_head(packet_, nothing), begin - 128);
        EXPECT_EQ(em_packet_pull_head(packet_, nothing), begin - 128);
        EXPECT_EQ(em_packet_push_tail(packet_, nothing), begin + 100);
        EXPECT_EQ(em_packet_pull_tail(packet_, nothing), begin + 100);
    }
}

TEST_F(packets, what_is_too_much_changes_nothing) {
    EXPECT_EQ(em_packet_push_head(packet_, 129), nullptr);
    expect_error(EM_ERR_BAD_ARG, "em_packet_push_head: 129 bytes, of at most 128");
    EXPECT_EQ(em_packet_pull_head(packet_, 40), nullptr);
    expect_error(EM_ERR_BAD_ARG, "em_packet_pull_head: 40 bytes, of at most 39");
    EXPECT_EQ(em_packet_push_tail(packet_, 61), nullptr);
    expect_error(EM_ERR_BAD_ARG, "em_packet_push_tail: 61 bytes, of at most 60");
    EXPECT_EQ(em_packet_pull_tail(packet_, UINT32_MAX), nullptr);
    expect_error(EM_ERR_BAD_ARG, "em_packet_pull_tail: 4294967295 bytes, of at most 39");
    EXPECT_EQ(em_packet_resize(packet_, 101), nullptr);
    expect_error(EM_ERR_BAD_ARG, "em_packet_resize: 101 bytes, not from 1 to 100");
    EXPECT_EQ(em_packet_resize(packet_, 0), nullptr);
    expect_error(EM_ERR_BAD_ARG, "em_packet_resize: 0 bytes, not from 1 to 100");
    EXPECT_EQ(em_packet_reset(packet_, 101), status_of(EM_ERR_TOO_LARGE));
    expect_error(EM_ERR_TOO_LARGE, "em_packet_reset: 101 bytes, in a subpool of 100");
    expect(128, 40, 60);
}

TEST_F(packets, a_reset_one_is_as_new) {
    char* const begin = head();
    ASSERT_EQ(em_event_set_type(packet_, EM_EVENT_TYPE_PACKET | 9), EM_OK);
    ASSERT_EQ(em_event_uarea_id_set(packet_, 4), EM_OK);
    EXPECT_NE(em_packet_pull_head(packet_, 30), nullptr);
    ASSERT_EQ(em_packet_reset(packet_, 70), EM_OK);
    expect(128, 70, 30);
    EXPECT_EQ(head(), begin);
    EXPECT_EQ(em_event_get_type(packet_), static_cast<em_event_type_t>(EM_EVENT_TYPE_PACKET | 9));
    bool set = true;
    ASSERT_EQ(em_event_uarea_id_get(packet_, &set, nullptr), EM_OK);
    EXPECT_FALSE(set);
}

TEST_F(packets, a_new_one_has_the_pools_headroom_again) {
    EXPECT_NE(em_packet_push_head(packet_, 100), nullptr);
    em_free(packet_);
    packet_ = em_alloc(10, EM_EVENT_TYPE_PACKET, pool_);
    expect(128, 10, 90);
}

TEST_F(packets, other_events_have_no_ends) {
    const em_event_t other = em_alloc(8, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
    for (const em_event_t e : {other, em_event_t{EM_EVENT_UNDEF}}) {
        const em_status_t error = e == other ? EM_ERR_BAD_TYPE : EM_ERR_BAD_ARG;
        const std::string text = e == other ? ": pool 'default' is not of packets" : ": no event";
        std::uint32_t size = 3;
        EXPECT_EQ(em_packet_pointer(e), nullptr);
        expect_error(error, "em_packet_pointer" + text);
        EXPECT_EQ(em_packet_size(e), 0U);
        expect_error(error, "em_packet_size" + text);
        EXPECT_EQ(em_packet_pointer_and_size(e, &size), nullptr);
        expect_error(error, "em_packet_pointer_and_size" + text);
        EXPECT_EQ(size, 3U);
        EXPECT_EQ(em_packet_resize(e, 1), nullptr);
        expect_error(error, "em_packet_resize" + text);
        EXPECT_EQ(em_packet_headroom(e), 0U);
        expect_error(error, "em_packet_headroom" + text);
        EXPECT_EQ(em_packet_tailroom(e), 0U);
        expect_error(error, "em_packet_tailroom" + text);
        EXPECT_EQ(em_packet_push_head(e, 0), nullptr);
        expect_error(error, "em_packet_push_head" + text);
        EXPECT_EQ(em_packet_pull_head(e, 0), nullptr);
        expect_error(error, "em_packet_pull_head" + text);
        EXPECT_EQ(em_packet_push_tail(e, 0), nullptr);
        expect_error(error, "em_packet_push_tail" + text);
        EXPECT_EQ(em_packet_pull_tail(e, 0), nullptr);
        expect_error(error, "em_packet_pull_tail" + text);
        EXPECT_EQ(em_packet_reset(e, 1), error);
        expect_error(error, "em_packet_reset" + text);
    }
    em_free(other);
}

// The major type is the program's to change; what counts is the pool.
TEST_F(packets, any_event_of_a_pool_of_packets_is_one) {
    ASSERT_EQ(em_event_set_type(packet_, EM_EVENT_TYPE_SW), EM_OK);
    expect(128, 40, 60);
}

} // namespace
} // namespace skerry::test
