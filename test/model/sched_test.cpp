// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/cpu.hpp"
#include "base/port/process.hpp"
#include "base/port/thread.hpp"
#include "sched_world.hpp"

// What src/sched takes from the floors below, in the model.
namespace skerry::inline SKERRY_ABI {

namespace port {
std::uint64_t ticks() noexcept { return model::sched_world::ticks(); }
double ticks_per_second() noexcept { return 1e9; }
std::uint64_t now_ns() noexcept { return 0; }
unsigned process_generation() noexcept { return 0; }
void yield() noexcept {}
std::vector<unsigned> topology::victims_in_distance_order(unsigned, unsigned) const { return {}; }
} // namespace port

namespace detail {
constinit thread_local worker_page* current_page [[gnu::tls_model("initial-exec")]] = nullptr;
void panic_with(std::string_view text, const std::source_location&) noexcept {
    model::engine::instance().fail("panic", std::string(text));
}
void fatal_with(std::string_view text) noexcept { model::engine::instance().fail("fatal", std::string(text)); }
} // namespace detail

} // namespace skerry::inline SKERRY_ABI

namespace skerry::model {

namespace {

using detail::steal_protocol;

// The first branch ends only when the second has begun: somebody else must come and take it, awake or asleep. A fork
// before that answers the ring that every page begins with, so that the one that counts is the sleeper's own.
template <steal_protocol Protocol, int Still = 0, bool Warm = true>
struct demanding : sched_world {
    demanding() : sched_world(2, Protocol, Still) { label(begun, "begun"); }
    void owner() {
        if (Warm) {
            fork(*workers_[0], [] {}, [](sched_world&, detail::worker&) {});
        }
        fork(
            *workers_[0], [this] { wait_for(begun, 1); },
            [](sched_world& w, detail::worker&) { raise(static_cast<demanding&>(w).begun); });
        team_.stop();
    }
    void thief() { background(1); }
    machine::atomic<int> begun{0};
};

// The thief forks inside the stolen branch, and its first branch ends only when its second has begun: the joiner, who
// waits for the thief, must come back and take it (leapfrogging), awake or asleep.
template <steal_protocol Protocol>
struct leapfrogging : sched_world {
    leapfrogging() : sched_world(2, Protocol, 0) {
        label(outer, "outer");
        label(inner, "inner");
    }
    void owner() {
        fork(
            *workers_[0], [this] { wait_for(outer, 1); },
            [](sched_world& w, detail::worker& self) {
                auto& me = static_cast<leapfrogging&>(w);
                raise(me.outer);
                me.fork(
                    self, [&me] { wait_for(me.inner, 1); },
                    [](sched_world& v, detail::worker& by) {
                        auto& world = static_cast<leapfrogging&>(v);
                        require(&by == world.workers_[0], "the inner branch was not run by the joiner");
                        raise(world.inner);
                    });
            });
        team_.stop();
    }
    void thief() { background(1); }
    machine::atomic<int> outer{0};
    machine::atomic<int> inner{0};
};

// A finish block whose task must be begun by somebody else, and whose own task must be begun by the one who waits for
// the block, awake or asleep.
template <steal_protocol Protocol>
struct finishing : sched_world {
    finishing() : sched_world(2, Protocol, 0) {
        label(outer, "outer");
        label(inner, "inner");
    }
    void owner() {
        finish(*workers_[0], [this](const detail::context& ctx, detail::latch<detail::machine>& pending) {
            async(*workers_[0], ctx, pending, first);
            wait_for(outer, 1);
        });
        require(inner_by == workers_[0], "the inner task was not run by the one who waits");
        team_.stop();
    }
    void thief() { background(1); }

    machine::atomic<int> outer{0};
    machine::atomic<int> inner{0};
    const detail::worker* inner_by = nullptr;
    async_task second{*this, [](sched_world& w, detail::worker& self) {
                          auto& me = static_cast<finishing&>(w);
                          me.inner_by = &self;
                          raise(me.inner);
                      }};
    async_task first{*this, [](sched_world& w, detail::worker& self) {
                         auto& me = static_cast<finishing&>(w);
                         reached("stolen");
                         raise(me.outer);
                         me.async(self, *me.first.ctx, *me.first.pending, me.second);
                         wait_for(me.inner, 1);
                     }};
};

template <class World>
result run(const options& o) {
    return explore<World, &World::owner, &World::thief>(o);
}

template <class World>
void expect_end(const options& o = {}) {
    const result r = run<World>(o);
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_TRUE(r.goals.contains("stolen"));
}

TEST(sched, a_task_reaches_a_sleeper) { expect_end<demanding<steal_protocol::asymmetric>>(); }
TEST(sched, a_task_reaches_a_searcher) { expect_end<demanding<steal_protocol::asymmetric, 2, false>>(); }
TEST(sched, a_task_reaches_a_sleeper_under_locks) { expect_end<demanding<steal_protocol::locked>>(); }

TEST(sched, a_joiner_helps_its_thief) { expect_end<leapfrogging<steal_protocol::asymmetric>>(); }
TEST(sched, a_joiner_helps_its_thief_under_locks) { expect_end<leapfrogging<steal_protocol::locked>>(); }

TEST(sched, a_finish_block_helps_its_tasks) { expect_end<finishing<steal_protocol::asymmetric>>(); }
TEST(sched, a_finish_block_helps_its_tasks_under_locks) { expect_end<finishing<steal_protocol::locked>>(); }

// A sleeper that cannot have its heavy fence wakes by itself.
TEST(sched, no_heavy_fence_for_sleepers) {
    expect_end<demanding<steal_protocol::asymmetric>>({.fault = [](request& r, reply& answer) {
        answer.done = false;
        return r.what == action::heavy_fence && r.in("ring_for");
    }});
}

std::string name_at(const request& r) { return engine::instance().name_of(r.address); }

struct seeded {
    std::string name;
    fault_hook hook;
    result (*run)(const options&);
};

const seeded all[] = {
    {"no_heavy_fence_after_the_ring",
     [](request& r, reply&) {
         return (r.what == action::heavy_fence || r.what == action::heavy_fence_end) && r.in("ring_for");
     },
     run<demanding<steal_protocol::asymmetric>>},
    {"no_light_fence_in_push", [](request& r, reply&) { return r.what == action::light_fence && r.in("push_at"); },
     run<demanding<steal_protocol::asymmetric>>},
    {"no_fence_in_attend", [](request& r, reply&) { return r.what == action::full_fence && r.in("attend"); },
     run<demanding<steal_protocol::asymmetric>>},
    {"no_ring", [](request& r, reply&) { return r.what == action::store && r.in("ring"); },
     run<demanding<steal_protocol::asymmetric>>},
    {"no_second_look_before_sleep",
     [](request& r, reply& answer) {
         answer.value = 0; // nothing has been pushed
         return r.what == action::load && r.in("holds_any") && name_at(r).ends_with(".bottom");
     },
     run<demanding<steal_protocol::asymmetric>>},
    {"a_push_not_shared_under_locks", [](request& r, reply&) { return r.what == action::store && r.in("move_split"); },
     run<demanding<steal_protocol::locked>>},
};

std::ostream& operator<<(std::ostream& out, const seeded& s) { return out << s.name; }

class sched_fault : public testing::TestWithParam<seeded> {};

TEST_P(sched_fault, is_found) {
    const result r = GetParam().run({.fault = GetParam().hook});
    EXPECT_FALSE(r.ok) << "not found";
    EXPECT_TRUE(r.kind == "no end" || r.kind == "deadlock") << r.report;
}

INSTANTIATE_TEST_SUITE_P(seeded, sched_fault, testing::ValuesIn(all),
                         [](const testing::TestParamInfo<seeded>& i) { return i.param.name; });

} // namespace

} // namespace skerry::model
