// SPDX-License-Identifier: Apache-2.0

// The objects of worker_local: the first ones of several slots, teams and threads from outside are made at once. With
// the faults, by the steps of src/frontend/README.md.

#include <array>
#include <cstddef>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <skerry/worker_local.hpp>

#include "expect.hpp"
#include "frontend_world.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

// Each thread has an object, finds it again, and nobody else has it.
class cells_world {
  public:
    cells_world() { current = this; }
    cells_world(const cells_world&) = delete;
    cells_world& operator=(const cells_world&) = delete;
    static void put_page(unsigned thread) { detail::current_page = current->pages_[thread]; }

    template <std::size_t I>
    void uses() {
        int& mine = objects_.local();
        mine += 1;
        require(&objects_.local() == &mine, "a thread has two objects");
        mine += 1;
    }
    void finally() {
        int threads = 0;
        for (const int& object : objects_) {
            require(object == 2, "two threads have one object");
            ++threads;
        }
        require(threads == threads_, "an object is lost");
    }

  protected:
    void sit(unsigned thread, detail::team& home) { pages_[thread] = home.take_slot(nullptr); }

    worker_local<int> objects_;
    int threads_ = 0;

  private:
    static inline cells_world* current = nullptr; // always the same place in the arena
    std::array<detail::worker*, max_threads> pages_{};
};

// Slots 1 and 2 lie in one segment of their team's table, slot 0 in another.
struct of_one_team : cells_world {
    of_one_team() {
        threads_ = 3;
        for (unsigned i = 0; i < 3; ++i) {
            sit(i, home);
        }
    }
    detail::team home{{.workers = 3, .max_slots = 3, .places = nullptr}};
};
struct of_two_teams : cells_world {
    of_two_teams() {
        threads_ = 2;
        sit(0, one);
        sit(1, other);
    }
    detail::team one{{.workers = 1, .max_slots = 1, .places = nullptr}};
    detail::team other{{.workers = 1, .max_slots = 1, .places = nullptr}};
};
struct of_nobody : cells_world {
    of_nobody() { threads_ = 3; }
};

template <class World, auto... Threads>
result walk(const options& given) {
    options o = given;
    o.on_resume = &cells_world::put_page;
    return explore<World, Threads...>(o);
}
constexpr auto one_team = walk<of_one_team, &of_one_team::uses<0>, &of_one_team::uses<1>, &of_one_team::uses<2>>;
constexpr auto two_teams = walk<of_two_teams, &of_two_teams::uses<0>, &of_two_teams::uses<1>>;
constexpr auto outside = walk<of_nobody, &of_nobody::uses<0>, &of_nobody::uses<1>, &of_nobody::uses<2>>;

TEST(cells, each_has_its_own) {
    for (const auto world : {one_team, two_teams, outside}) {
        for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
            const result r = world({.memory = memory});
            EXPECT_TRUE(r.ok) << r.report;
        }
    }
}
TEST(rc11, each_has_its_own_cell) {
    for (const auto world : {one_team, two_teams, outside}) {
        const result r = world({.memory = memory_order_of::rc11});
        EXPECT_TRUE(r.ok) << r.report;
    }
}

// --- faults ---------------------------------------------------------------------------------------------------------

const std::set<std::string> wrong = {"require", "leak"};

const seeded all[] = {
    {"cells C2", "a_table_not_linked_at_once",
     [](request& r, reply& answer) { return parted(r, answer, is(r, action::compare_exchange, "table_of"), put); },
     one_team, wrong},
    {"cells C2", "a_thread_from_outside_not_linked_at_once",
     [](request& r, reply& answer) { return parted(r, answer, is(r, action::compare_exchange_weak, "push"), put); },
     outside, wrong},
    {"cells C3", "a_segment_not_put_there_at_once",
     [](request& r, reply& answer) { return parted(r, answer, is(r, action::compare_exchange, "at"), put); }, one_team,
     wrong},
    {"cells C4", "an_object_not_linked_at_once",
     [](request& r, reply& answer) { return parted(r, answer, is(r, action::compare_exchange_weak, "local"), put); },
     outside, wrong},
};

class cells_fault : public testing::TestWithParam<seeded> {};
TEST_P(cells_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, cells_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
