// SPDX-License-Identifier: Apache-2.0

// The trace's ring: a copy that is taken while the executor writes holds whole records, in order, and the newest.

#include <gtest/gtest.h>

#include <skerry/detail/trace/writer.hpp>

#include "expect.hpp"
#include "machine.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

std::uint64_t no_time() noexcept { return 0; }

struct ring_world {
    static constexpr std::uint64_t written = 3;
    detail::trace_buffer<machine> ring{0, 2, &no_time};
    ring_world() { label(ring, "ring"); }

    void executor() {
        for (std::uint64_t i = 1; i <= written; ++i) {
            ring.put(detail::trace_event::spawn, i, i);
        }
    }
    void reader() {
        const detail::trace_snapshot s = ring.snapshot();
        std::uint64_t next = s.dropped;
        for (const detail::trace_record& r : s.records) {
            ++next;
            require(r.task == next && r.argument == next, "half a record, or one out of order");
        }
        if (s.records.empty()) {
            reached(s.dropped == 0 ? "before the first" : "all overtaken");
        } else {
            reached(s.dropped == 0 ? "the first" : "after a drop");
        }
    }
    void finally() {
        const detail::trace_snapshot s = ring.snapshot();
        require(s.records.size() == 1 && s.records[0].task == written && s.dropped == written - 1,
                "the newest record is not there");
    }
};

TEST(trace_ring, a_copy_holds_whole_records) {
    using world = ring_world;
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial, memory_order_of::rc11}) {
        expect_well<world, &world::executor, &world::reader>(
            {"before the first", "all overtaken", "the first", "after a drop"}, {.memory = memory});
    }
}

constexpr auto run_ring = run_world<ring_world, &ring_world::executor, &ring_world::reader>;

// The count is a word of the ring itself; the records lie elsewhere.
bool is_count(const request& r) {
    return r.address - engine::instance().place_of("ring") < sizeof(detail::trace_buffer<machine>);
}

const seeded all[] = {
    {"trace T1",
     "words_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::store, "put") && !is_count(r)); },
     run_ring,
     {"require"},
     memory_order_of::partial},
    {"trace T2",
     "count_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::store, "put") && is_count(r)); },
     run_ring,
     {"require"},
     memory_order_of::partial},
    {"trace T2",
     "a_record_not_counted",
     [](request& r, reply&) { return is(r, action::store, "put") && is_count(r); },
     run_ring,
     {"require"}},
    {"trace T3",
     "count_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "snapshot") && is_count(r)); },
     run_ring,
     {"require"},
     memory_order_of::rc11},
    {"trace T4",
     "words_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::load, "snapshot") && !is_count(r)); },
     run_ring,
     {"require"},
     memory_order_of::rc11},
    {"trace T5",
     "no_second_look_at_the_count",
     [](request& r, reply& a) {
         a.value = 0;
         return is(r, action::load, "snapshot") && is_count(r) && !r.acquires();
     },
     run_ring,
     {"require"}},
};

class trace_fault : public testing::TestWithParam<seeded> {};
TEST_P(trace_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, trace_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
