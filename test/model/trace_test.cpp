// SPDX-License-Identifier: Apache-2.0

// The trace's ring: a copy that is taken while the executor writes holds whole records, in order, and the newest.

#include <gtest/gtest.h>

#include <skerry/detail/trace/writer.hpp>

#include "explorer.hpp"
#include "machine.hpp"

namespace skerry::model {

namespace {

std::uint64_t no_time() noexcept { return 0; }

template <class Machine>
struct ring_world {
    static constexpr std::uint64_t written = 3;
    detail::trace_buffer<Machine> ring{0, 2, &no_time};

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

// A record whose words do not wait for what was written before.
struct hasty_machine : machine {
    template <class T>
    class atomic : public model::atomic<T> {
      public:
        using model::atomic<T>::atomic;
        void store(T value, std::memory_order, place where = place::current()) noexcept {
            model::atomic<T>::store(value, std::memory_order_relaxed, where);
        }
    };
};

TEST(trace_ring, a_copy_holds_whole_records) {
    using world = ring_world<machine>;
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        const result r = explore<world, &world::executor, &world::reader>({.memory = memory});
        EXPECT_TRUE(r.ok) << r.report;
        EXPECT_EQ(r.goals, (std::set<std::string>{"before the first", "all overtaken", "the first", "after a drop"}));
    }
}

TEST(trace_ring, fault_words_without_release_are_found) {
    using world = ring_world<hasty_machine>;
    const result r = explore<world, &world::executor, &world::reader>({.memory = memory_order_of::partial});
    EXPECT_FALSE(r.ok);
    EXPECT_NE(r.report.find("half a record, or one out of order"), std::string::npos) << r.report;
}

} // namespace

} // namespace skerry::model
