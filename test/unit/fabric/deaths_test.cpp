// SPDX-License-Identifier: Apache-2.0

// The ends of peers as the launcher writes them into their stations, seen late: all at once.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/detail/sync/machine.hpp>

#include "fabric/own_segment.hpp"
#include "fabric/ring_endpoint.hpp"

namespace {

using namespace skerry::fabric;
using skerry::detail::machine;
using testing::ElementsAre;

constexpr unsigned peers = 4;

struct ends {
    own_segment<machine> words{peers};

    void put(unsigned who, presence how, std::int32_t number, std::uint32_t before) {
        words.view().station(who).number.store(number, skerry::detail::memory_order::seq_cst);
        words.view().station(who).before.store(before, skerry::detail::memory_order::seq_cst);
        words.view().station(who).state.store(how, skerry::detail::memory_order::seq_cst);
    }
};

// Peer 0 has polled so often before.
std::vector<unsigned> told(unsigned polls, std::size_t budget, void (*end)(ends&)) {
    ends all;
    ring_endpoint<machine> me(all.words.view(), {.name = "made", .self = 0, .peers = peers, .failure_detection = true});
    std::vector<unsigned> order;
    me.on_failure([&](const failure& f) { order.push_back(f.peer); });
    for (unsigned i = 0; i < polls; ++i) {
        me.poll(1);
    }
    end(all);
    while (me.wait(0, nullptr)) {
        me.poll(budget);
    }
    return order;
}

// Who sees late that a peer was killed, and that others have ended because of that, hears of the first one first.
TEST(deaths, are_told_in_their_order) {
    for (const std::size_t budget : {1U, 64U}) {
        for (unsigned polls = 0; polls < peers; ++polls) {
            const auto all = told(polls, budget, [](ends& e) {
                e.put(2, presence::killed, 9, 0);
                e.put(3, presence::exited, 75, 1);
                e.put(1, presence::exited, 75, 2);
            });
            EXPECT_THAT(all, ElementsAre(2, 3, 1)) << polls << " polls, " << budget << " at once";
        }
    }
}

TEST(deaths, who_has_left_holds_none_up) {
    for (unsigned polls = 0; polls < peers; ++polls) {
        const auto all = told(polls, 64, [](ends& e) {
            e.put(1, presence::left, 0, 0);
            e.put(2, presence::exited, 75, 1);
            e.put(3, presence::killed, 9, 0);
        });
        EXPECT_THAT(all, ElementsAre(3, 2)) << polls << " polls";
    }
}

} // namespace
