// SPDX-License-Identifier: Apache-2.0

// Futures: the shipped submit(), get() and co_await on the shipped team. With the faults, by the steps of
// src/frontend/README.md.

#include <coroutine>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <skerry/future.hpp>

#include "expect.hpp"
#include "frontend_world.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

using detail::steal_protocol;

// Whoever waits for a future runs its task, or waits for the thief that does.
template <steal_protocol Protocol>
struct asking : frontend_world {
    asking() : frontend_world(2, Protocol) {}
    void owner() {
        run(0, [this] {
            future<int> answer = submit([this] {
                reached(engine::instance().thread() == 0 ? "by who waits" : "by the thief");
                written.set(1);
                return 42;
            });
            require(answer.get() == 42, "another result");
            require(written.get() == 1, "what the task wrote is not seen");
        });
        team_.stop();
    }
    void thief() { background(1); }
    plain<int> written{0};
};

// Nobody fetches the result, which dies with the block: whoever gives it up last sees what the other one did.
template <steal_protocol Protocol>
struct dropping : frontend_world {
    struct result_of_it {
        explicit result_of_it(plain<int>& place) noexcept : at(&place) {}
        result_of_it(result_of_it&& other) noexcept : at(std::exchange(other.at, nullptr)) {}
        result_of_it& operator=(result_of_it&&) = delete;
        ~result_of_it() {
            if (at != nullptr) {
                at->set(at->get() + 1);
            }
        }
        plain<int>* at;
    };
    dropping() : frontend_world(2, Protocol) {}
    void owner() {
        run(0, [this] {
            static_cast<void>(submit([this] {
                reached(engine::instance().thread() == 0 ? "by who began it" : "by the thief");
                written.set(written.get() + 1);
                return result_of_it(written);
            }));
        });
        team_.stop();
    }
    void thief() { background(1); }
    void finally() { require(written.get() == 2, "the task or its result is lost, or there twice"); }
    plain<int> written{0};
};

// The one who waits has no slot, and none is free: it sleeps until the only worker has run the task.
template <steal_protocol Protocol>
struct waiting_outside : frontend_world {
    waiting_outside() : frontend_world(1, Protocol) {}
    void worker() { background(0); }
    void visitor() {
        future<int> answer = submit([this] {
            written.set(1);
            return 42;
        });
        reached(answer.ready() ? "ready" : "waits");
        require(answer.get() == 42, "another result");
        require(written.get() == 1, "what the task wrote is not seen");
        team_.stop();
    }
    plain<int> written{0};
};

// A coroutine that waits for a future: what comes behind is run once, by whoever ends the task, or has it taken from
// there, and the frame around waits for it.
template <steal_protocol Protocol>
struct awaiting : frontend_world {
    awaiting() : frontend_world(2, Protocol) {}
    void owner() {
        run(0, [this] {
            awaits(*this, submit([this] {
                written.set(1);
                return 42;
            }));
        });
        require(resumed == 1, "the rest of the coroutine is lost or was run twice");
        team_.stop();
    }
    void thief() { background(1); }

    struct coroutine {
        struct promise_type {
            static coroutine get_return_object() noexcept { return {}; }
            static std::suspend_never initial_suspend() noexcept { return {}; }
            static std::suspend_never final_suspend() noexcept { return {}; }
            static void return_void() noexcept {}
            static void unhandled_exception() noexcept { require(false, "nothing here throws"); }
        };
    };
    static coroutine awaits(awaiting& w, future<int> answer) {
        reached(answer.ready() ? "ready" : "waits");
        const int found = co_await answer;
        reached(engine::instance().thread() == 0 ? "goes on where it began" : "goes on elsewhere");
        require(found == 42, "another result");
        require(w.written.get() == 1, "what the task wrote is not seen");
        ++w.resumed;
    }
    plain<int> written{0};
    int resumed = 0;
};

// The other worker runs what waits for its future with a task of its own below, and takes its task while it waits. Who
// waits for that may help with what descends from it, and not with what lies below.
template <steal_protocol Protocol>
struct helping : frontend_world {
    helping() : frontend_world(2, Protocol) { label(inside, "inside"); }
    void owner() {
        run(0, [this] {
            future<void> outer = submit([this] {
                deeper(1, [this] {
                    raise(inside);
                    future<void> inner = submit([this] { deeper(2, [] { reached(by_whom()); }); });
                    inner.wait();
                });
            });
            static_cast<void>(submit([this] { deeper(1, [] { reached("unrelated"); }); }));
            wait_for(inside, 1);
            outer.wait();
        });
        team_.stop();
    }
    void thief() { background(1); }
    static const char* by_whom() {
        return engine::instance().thread() == 0 ? "the inner task by the owner" : "the inner task by the thief";
    }
    template <class F>
    void deeper(int level, F&& f) {
        run_deeper(level, f);
    }
    machine::atomic<int> inside{0};
};

// Whoever waits for a frame finds its task in the queue behind more of others than a search looks at: before it sleeps.
struct far_back : frontend_world {
    far_back() : frontend_world(1, steal_protocol::asymmetric) { label(given, "given"); }
    void worker() {
        seat(0);
        {
            detail::finish_frame frame;
            around.store(&frame, memory_order::release);
            wait_for(given, 1);
            frame.wait();
        }
        require(runs == 1, "the frame did not wait, or ran what is not its own");
        detail::task_header* const left =
            team_.take_injected(*workers_[0], detail::wanted::any(), detail::team::queue_part::few);
        require(left == &others, "a task is lost");
    }
    void visitor() {
        detail::finish_frame* frame = nullptr;
        while ((frame = around.load(memory_order::acquire)) == nullptr) {
            machine::pause();
        }
        team_.inject(others);
        own.ctx = &frame->ctx;
        frame->begin_from_outside(own);
        raise(given);
    }

    struct queued final : detail::loose_task {
        queued(far_back& w, const detail::context* in) noexcept : loose_task(&run_it, in), world(w) {}
        static void run_it(detail::task_header* header) noexcept {
            queued& self = *static_cast<queued*>(header);
            ++self.world.runs;
            detail::arrive(*self.ctx->pending);
        }
        far_back& world;
    };
    machine::atomic<detail::finish_frame*> around{nullptr};
    machine::atomic<int> given{0};
    int runs = 0;
    queued others{*this, &team_.root()};
    queued own{*this, nullptr};
};

template <class World>
result walk(const options& given) {
    options o = given;
    o.on_resume = &sched_world::put_page;
    // Under the memory of C++ a thief that searches stores without end.
    o.newest = o.memory == memory_order_of::rc11 ? 2 : 0;
    if constexpr (requires { &World::visitor; }) {
        return explore<World, &World::worker, &World::visitor>(o);
    } else {
        return explore<World, &World::owner, &World::thief>(o);
    }
}
template <class World>
void expect_futures(const std::set<std::string>& goals, const options& o = {}) {
    const result r = walk<World>(o);
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_EQ(r.goals, goals);
}

const std::set<std::string> by_either = {"by the thief", "by who waits"};
const std::set<std::string> at_any_time = {"ready", "waits"};
const std::set<std::string> anywhere = {"goes on elsewhere", "goes on where it began", "ready", "waits"};
constexpr options c_plus_plus{.memory = memory_order_of::rc11};

TEST(future, whoever_waits_has_the_result) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        expect_futures<asking<steal_protocol::asymmetric>>(by_either, {.memory = memory});
    }
    expect_futures<asking<steal_protocol::locked>>(by_either);
}
TEST(rc11, whoever_waits_for_a_future_has_the_result) {
    expect_futures<asking<steal_protocol::locked>>(by_either, c_plus_plus);
}
TEST(future, a_result_that_nobody_fetches) {
    expect_futures<dropping<steal_protocol::locked>>({"by the thief", "by who began it"});
}
TEST(future, a_wait_without_a_slot) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        expect_futures<waiting_outside<steal_protocol::asymmetric>>(at_any_time, {.memory = memory});
    }
}
TEST(rc11, a_wait_for_a_future_without_a_slot) {
    expect_futures<waiting_outside<steal_protocol::asymmetric>>(at_any_time, c_plus_plus);
}
TEST(finish, a_task_far_back_in_the_queue_is_found) { expect_futures<far_back>({}); }
TEST(future, a_coroutine_goes_on_once) { expect_futures<awaiting<steal_protocol::locked>>(anywhere); }

// Which of the executor's tasks descend from the future's. Without the fault the program is walked by hand only.
TEST(future, who_waits_goes_by_the_depth_that_was_written) {
    const result r = walk<helping<steal_protocol::locked>>(
        {.fault = [](request& asked, reply&) { return is(asked, action::store, "enter") && asked.operand < 4096; }});
    EXPECT_EQ(r.kind, "require");
    EXPECT_NE(r.text.find("the stack is not bounded"), std::string::npos) << r.report;
}

// Larger ones, for `tools/model --deep`.
TEST(DISABLED_deep, a_coroutine_goes_on_once) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        expect_futures<awaiting<steal_protocol::asymmetric>>(anywhere, {.memory = memory});
    }
}
TEST(DISABLED_deep, who_waits_for_a_future_helps_with_what_descends) {
    expect_futures<helping<steal_protocol::locked>>(
        {"the inner task by the owner", "the inner task by the thief", "unrelated"});
}

// --- faults ---------------------------------------------------------------------------------------------------------

constexpr auto ask = walk<asking<steal_protocol::locked>>;
constexpr auto drop = walk<dropping<steal_protocol::locked>>;
constexpr auto wait_outside = walk<waiting_outside<steal_protocol::asymmetric>>;
constexpr auto await = walk<awaiting<steal_protocol::locked>>;
const std::set<std::string> hangs = {"no end", "deadlock"};
const std::set<std::string> early = {"require", "race", "wild access", "crash", "dead frame"};

const seeded all[] = {
    {"future U1", "nobody_named_as_executor",
     [](request& r, reply&) { return is(r, action::store, "enter") && r.operand != 0; }, ask, hangs},
    {"future U3", "who_waits_is_not_told",
     [](request& r, reply& answer) {
         const bool mine = is(r, action::exchange, "finish");
         if (mine) {
             perform(r);
         }
         answer.value = 0;
         return mine;
     },
     wait_outside, hangs},
    {"future U4", "the_rest_of_a_coroutine_not_counted",
     [](request& r, reply&) { return is(r, action::add, "add") && r.operand == 1; }, await, early},
    {"future U4", "the_count_of_one_that_goes_on_not_taken_back",
     [](request& r, reply& answer) {
         answer.value = 2; // not the last one
         return is(r, action::add, "arrive") && engine::instance().thread() == 0 && r.operand + 1 == 0;
     },
     await, hangs},
    {"future U5",
     "a_reference_not_given_up_at_once",
     [](request& r, reply& answer) { return parted(r, answer, is(r, action::add, "release"), sum); },
     drop,
     {"leak", "require"}},
    {"future U5",
     "a_reference_given_up_and_not_released",
     [](request& r, reply&) { return unreleased(r, is(r, action::add, "release")); },
     drop,
     {"race"},
     memory_order_of::rc11},
    {"future U5",
     "the_other_reference_not_acquired",
     [](request& r, reply&) { return unacquired(r, is(r, action::add, "release")); },
     drop,
     {"race"},
     memory_order_of::rc11},
};

class future_fault : public testing::TestWithParam<seeded> {};
TEST_P(future_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, future_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
