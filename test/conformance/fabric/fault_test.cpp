// SPDX-License-Identifier: Apache-2.0

// Rings that lose, double and reorder a message, and replies that take the credit of requests: the suite's own bodies
// run on them and must find each.

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/detail/sync/machine.hpp>

#include "../../unit/base/child.hpp"
#include "base/port/clock.hpp"
#include "fabric/own_segment.hpp"
#include "fabric/ring_endpoint.hpp"
#include "pipes.hpp"
#include "place.hpp"

namespace skerry::fabric_test {

namespace {

using detail::machine;
using fabric::kind;
using fabric::message_body;
using sound_writer = fabric::ring_writer<machine, message_body>;

constexpr unsigned which = 40; // the message that meets the fault

struct losing_writer : sound_writer {
    using sound_writer::sound_writer;
    bool push(std::uint32_t note, const message_body& body) {
        return ++count == which || sound_writer::push(note, body);
    }
    unsigned count = 0;
};

struct doubling_writer : sound_writer {
    using sound_writer::sound_writer;
    bool push(std::uint32_t note, const message_body& body) {
        return sound_writer::push(note, body) && (++count != which || sound_writer::push(note, body));
    }
    unsigned count = 0;
};

struct reordering_writer : sound_writer {
    using sound_writer::sound_writer;
    bool push(std::uint32_t note, const message_body& body) {
        if (++count == which) {
            held = {note, body};
            return true;
        }
        const bool done = sound_writer::push(note, body);
        if (done && held) {
            static_cast<void>(sound_writer::push(held->note, held->body));
            held.reset();
        }
        return done;
    }
    struct one {
        std::uint32_t note;
        message_body body;
    };
    std::optional<one> held;
    unsigned count = 0;
};

// There is room again between the two looks of a wait: the first sees none.
struct late_writer : sound_writer {
    using sound_writer::sound_writer;
    bool push(std::uint32_t /*note*/, const message_body& /*body*/) { return false; }
    bool has_room() { return ++looks == 2; }
    unsigned looks = 0;
};

template <class Writer>
struct rings_with : fabric::sound_rings<machine> {
    using writer = Writer;
};

struct one_ring_for_both : fabric::sound_rings<machine> {
    static constexpr kind lane(kind /*k*/) noexcept { return kind::request; }
};

fabric::capabilities alone() {
    fabric::capabilities about;
    about.name = "broken";
    about.bulk_copy = true;
    about.kick = true;
    return about;
}

template <class Rings>
std::string run_on(const char* name) {
    fabric::own_segment<machine> words(1);
    pipes beside;
    place p(std::make_unique<fabric::ring_endpoint<machine, Rings>>(words.view(), alone()), beside);
    for (const body& b : bodies()) {
        if (std::string_view(b.name) == name) {
            try {
                b.run(p);
            } catch (const failed& f) {
                return f.what();
            }
            return "";
        }
    }
    return "no such body";
}

// What the body finds, or what the process says at its end.
template <class Rings>
std::string found_by(const char* name) {
    return skerry_test::run_in_child([name] {
               std::printf("%s", run_on<Rings>(name).c_str());
               return 0;
           })
        .output;
}

TEST(fabric_fault, none) {
    EXPECT_EQ(found_by<fabric::sound_rings<machine>>("order"), "");
    EXPECT_EQ(found_by<fabric::sound_rings<machine>>("credits"), "");
}

TEST(fabric_fault, a_lost_message) {
    EXPECT_THAT(found_by<rings_with<losing_writer>>("order"),
                testing::HasSubstr("reply 40 from peer 0 came where 39 was due: a message was lost or overtaken"));
}

TEST(fabric_fault, a_doubled_message) {
    EXPECT_THAT(found_by<rings_with<doubling_writer>>("order"),
                testing::HasSubstr("reply 39 from peer 0 came where 40 was due: a message came again"));
}

TEST(fabric_fault, a_reordered_message) {
    EXPECT_THAT(found_by<rings_with<reordering_writer>>("order"),
                testing::HasSubstr("reply 40 from peer 0 came where 39 was due: a message was lost or overtaken"));
}

TEST(fabric_fault, a_reply_that_takes_a_requests_credit) {
    EXPECT_EQ(found_by<one_ring_for_both>("credits"), "replies have credits of their own");
    EXPECT_THAT(found_by<one_ring_for_both>("order"),
                testing::HasSubstr("a reply from peer 0 took the credit of a request"));
}

TEST(fabric_wait, room_that_comes_while_it_falls_asleep_is_news) {
    fabric::own_segment<machine> words(1);
    fabric::ring_endpoint<machine, rings_with<late_writer>> e(words.view(), alone());
    ASSERT_EQ(e.post(0, kind::request, {}), fabric::post_result::full);
    EXPECT_TRUE(e.wait(port::now_ns() + 1'000'000'000, nullptr));
}

} // namespace

} // namespace skerry::fabric_test
