// SPDX-License-Identifier: Apache-2.0
#pragma once

// A deque with an owner that forks and joins as src/frontend does, and thieves. What must hold: every task runs exactly
// once, whoever runs it; an owner that is told "stolen" waits for a thief that has it.

#include <array>
#include <cstddef>

#include <skerry/detail/sync/join_word.hpp>

#include "explorer.hpp"
#include "machine.hpp"
#include "sync/deque_owner.hpp"
#include "sync/deque_thief.hpp"

namespace skerry::model {

struct task {
    detail::join_word<machine> joined;
    std::size_t index = 0;
    plain<int> input{0};  // written before the push, read by whoever runs the task
    plain<int> result{0}; // written by whoever runs the task, read after the join
    int takers = 0;       // not part of the protocol: how often it was taken off the deque
    int thief = -1;
    bool loose = false;
    bool rest = false; // of a chain: whoever takes it answers with its input
};

template <class Policy>
class deque_world {
  public:
    using page = detail::deque_page<Policy, task>;
    using deque = detail::deque<Policy, task>;
    using owner_end = detail::deque_owner<Policy, task>;
    using thief_end = detail::deque_thief<Policy, task>;

    static inline std::uintptr_t first_slot = 0; // of the last one made: for faults

    explicit deque_world(detail::steal_protocol protocol) : deque_(page_, protocol) {
        first_slot = reinterpret_cast<std::uintptr_t>(page_.next());
        label(page_.bottom, "bottom");
        label(page_.split, "split");
        label(page_.limit, "limit");
        label(deque_, "deque");
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            label(tasks_[i], "task" + std::to_string(i));
        }
    }

  protected:
    static constexpr int wanted_result = 100;

    // A fork of tasks_[first] around the forks of the ones after it, and the join.
    void fork(std::size_t first, std::size_t last) {
        if (first == last) {
            return;
        }
        task& own = tasks_[first];
        own.input.set(static_cast<int>(first) + 1);
        auto* const at = page_.next();
        if (page_.template push_at<true>(at, &own)) {
            reached("attend");
            if (!owner_end(deque_).attend()) {
                reached("undone");
                fork(first + 1, last);
                run_own(own);
                return;
            }
        }
        fork(first + 1, last);
        if (page_.pop_at(at)) {
            run_own(own);
        } else {
            settle(own);
        }
    }

    // N tasks from `first` on as a row: pushed at once if there is room, the last of them first; else forked. `above`
    // runs meanwhile, over all of them.
    template <std::size_t N>
    void row(std::size_t first) {
        row<N>(first, [] {});
    }
    template <std::size_t N, class Above>
    void row(std::size_t first, const Above& above) {
        auto* const bottom = page_.next();
        if (!page_.has_room(bottom, N)) {
            reached("no room for a row");
            above();
            fork(first, first + N);
            return;
        }
        for (std::size_t i = first; i != first + N; ++i) {
            tasks_[i].input.set(static_cast<int>(i) + 1);
        }
        if (page_.template push_all<N>(bottom, [&](std::size_t i) { return &tasks_[first + i]; })) {
            reached("rung beside a row");
            require(owner_end(deque_).attend(), "a row that had room was undone");
        }
        above();
        for (std::size_t i = 0; i != N; ++i) {
            auto* const at = bottom + (N - 1 - i);
            task& own = tasks_[first + i];
            if (page_.rung_at(at)) {
                reached("rung between leaves");
                require(owner_end(deque_).attend(), "what a ring asked for was undone");
            }
            if (page_.pop_to(at)) {
                run_own(own);
            } else {
                settle(own);
            }
        }
    }

    // A chain of leaves: one task with what is left of them, pushed and popped for each; the last is the owner's.
    // Whoever takes it finds the number that it was pushed with last.
    void chain(int leaves) {
        task& rest = tasks_[0];
        rest.rest = true;
        auto* const at = page_.next();
        for (int left = leaves - 1; left != 0; --left) {
            rest.input.set(left);
            if (page_.push_at(at, &rest)) {
                reached("attend");
                require(owner_end(deque_).attend(), "a push into a deque that had room was undone");
            }
            if (!page_.pop_at(at)) {
                task* above = nullptr;
                if (owner_end(deque_).settle(rest, above) == detail::settled::stolen) {
                    reached(left == 1 ? "stolen at the end" : "stolen");
                    while (!rest.joined.done()) {
                        Policy::pause();
                    }
                    Policy::discard_all(detail::coherence_step::task_joined);
                    require(rest.result.get() == wanted_result + left, "the thief had another rest");
                    return;
                }
                require(above == nullptr, "a newer task, where there is none");
                reached("mine after all");
            }
        }
        require(rest.takers == 0, "the rest was taken, and not joined");
    }

    void settle(task& own) {
        for (;;) {
            task* above = nullptr;
            switch (owner_end(deque_).settle(own, above)) {
            case detail::settled::mine:
                reached("mine after all");
                run_own(own);
                return;
            case detail::settled::newer:
                reached("newer");
                require(above != nullptr && above != &own, "the newer task is not another one");
                run_own(*above);
                if (page_.pop()) {
                    run_own(own);
                    return;
                }
                break;
            case detail::settled::stolen:
                reached("stolen");
                require(own.thief >= 0, "stolen, but no thief has it");
                while (!own.joined.done()) {
                    Policy::pause();
                }
                Policy::discard_all(detail::coherence_step::task_joined);
                require(own.result.get() == wanted_result + own.thief, "the result has not arrived");
                return;
            }
        }
    }

    // A task that no frame of the owner pops, as finish and submit push them.
    void push_loose(std::size_t i) {
        tasks_[i].loose = true;
        tasks_[i].input.set(static_cast<int>(i) + 1);
        static_cast<void>(owner_end(deque_).push_loose(tasks_[i]));
    }

    // What a wait does that began at `base`: runs own newer tasks until all loose ones are gone.
    void drain_loose(std::size_t base) {
        while (task* newest = owner_end(deque_).take_newest(base)) {
            reached("own loose task");
            run_own(*newest);
        }
        require(owner_end(deque_).depth() == base, "the deque has not come back to where the wait began");
    }

    // One attempt. `force`: without waiting for an answer.
    bool steal(int thief, bool force, const char* goal) {
        task* got = nullptr;
        const auto accept = [&](task& t, std::size_t) {
            t.joined.begin(&tasks_);
            take(t, thief);
            return true;
        };
        const detail::answer answer = thief_end(deque_).steal(accept, force, got);
        if (answer != detail::answer::granted) {
            require(got == nullptr, "a task came without being granted");
            return false;
        }
        reached(goal);
        if (got == &hole_) {
            return true;
        }
        require(got != nullptr && got->thief == thief, "granted, but not the task that was accepted");
        check_input(*got);
        got->result.set(wanted_result + (got->rest ? got->input.get() : thief));
        Policy::publish_all(detail::coherence_step::task_ended);
        static_cast<void>(got->joined.finish());
        return true;
    }

    // As a worker does: takes what is offered, else asks, and in the end takes without an answer.
    void ask_then_steal(int thief, bool impatient) {
        thief_end end(deque_);
        if (end.offers() && steal(thief, false, "granted")) {
            return;
        }
        end.ask();
        if (end.offers() && steal(thief, false, "granted")) {
            return;
        }
        if (impatient) {
            steal(thief, true, "seized");
        }
    }

    void take(task& t, int thief) {
        if (&t == &hole_) { // whoever meets it runs it, and it does nothing
            reached("hole");
            return;
        }
        require(t.takers == 0, "a task was taken twice");
        ++t.takers;
        t.thief = thief;
    }
    void check_input(const task& t) const {
        const int input = t.input.get();
        require(t.rest ? input != 0 : input == static_cast<int>(&t - tasks_.data()) + 1, "the task has not arrived");
    }
    void run_own(task& t) {
        take(t, -1);
        if (&t != &hole_) {
            check_input(t);
        }
    }

    void require_taken(std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            require(tasks_[i].takers == 1, "a task was lost");
        }
    }

    page page_;
    deque deque_;
    std::array<task, 5> tasks_;
    task hole_; // stands where a loose task was taken out from under others
};

// --- worlds ---------------------------------------------------------------------------------------------------------

using detail::steal_protocol;

template <std::size_t Capacity, class Machine = machine, std::size_t Most = 16>
struct shrunk : Machine {
    static constexpr std::size_t initial_capacity = Capacity;
    static constexpr std::size_t most_slots() noexcept { return Most; }
};

// Forks Depth deep; each thief tries once, and an impatient one takes without an answer.
template <std::size_t Depth, bool Impatient, steal_protocol Protocol = steal_protocol::asymmetric,
          std::size_t Capacity = 4, class Machine = machine, std::size_t Most = 16>
struct forks : deque_world<shrunk<Capacity, Machine, Most>> {
    forks() : deque_world<shrunk<Capacity, Machine, Most>>(Protocol) {}
    void owner() { this->fork(0, Depth); }
    void first_thief() { this->ask_then_steal(1, Impatient); }
    void second_thief() { this->ask_then_steal(2, Impatient); }
    void third_thief() { this->ask_then_steal(3, Impatient); }
    void finally() { this->require_taken(Depth); }
};

// A row of Length tasks, and After more behind it.
template <std::size_t Length, bool Impatient, std::size_t After = 0,
          steal_protocol Protocol = steal_protocol::asymmetric, std::size_t Capacity = 8, class Machine = machine,
          std::size_t Most = 16>
struct rows : deque_world<shrunk<Capacity, Machine, Most>> {
    rows() : deque_world<shrunk<Capacity, Machine, Most>>(Protocol) {}
    void owner() {
        this->template row<Length>(0);
        if constexpr (After != 0) {
            this->template row<After>(Length);
        }
    }
    void first_thief() { this->ask_then_steal(1, Impatient); }
    void second_thief() { this->ask_then_steal(2, Impatient); }
    void finally() { this->require_taken(Length + After); }
};

// A row of Length tasks over one of two.
template <std::size_t Length, bool Impatient>
struct rows_in_rows : deque_world<shrunk<8>> {
    rows_in_rows() : deque_world<shrunk<8>>(steal_protocol::asymmetric) {}
    void owner() {
        row<2>(0, [this] { row<Length>(2); });
    }
    void first_thief() {
        ask_then_steal(1, Impatient);
        ask_then_steal(1, Impatient);
    }
    void finally() { require_taken(2 + Length); }
};

// Two rows of the same tasks one after the other, and a thief that comes twice.
struct rows_again : deque_world<shrunk<8>> {
    rows_again() : deque_world<shrunk<8>>(steal_protocol::asymmetric) {}
    void owner() {
        row<2>(0);
        require_taken(2);
        for (std::size_t i = 0; i != 2; ++i) {
            if (tasks_[i].thief >= 0) {
                reached("stolen in the first row");
            }
            tasks_[i].takers = 0;
            tasks_[i].thief = -1;
        }
        row<2>(0);
    }
    void first_thief() {
        ask_then_steal(1, true);
        ask_then_steal(1, true);
    }
    void finally() { require_taken(2); }
};

template <int Leaves, bool Impatient, steal_protocol Protocol = steal_protocol::asymmetric>
struct chains : deque_world<shrunk<4>> {
    chains() : deque_world<shrunk<4>>(Protocol) {}
    void owner() { chain(Leaves); }
    void first_thief() { ask_then_steal(1, Impatient); }
    void second_thief() { ask_then_steal(2, Impatient); }
};

// Two forks one after the other: what the first leaves behind must not mislead the second.
template <bool Impatient>
struct forks_again : deque_world<shrunk<4>> {
    forks_again() : deque_world<shrunk<4>>(steal_protocol::asymmetric) {}
    void owner() {
        fork(0, 2);
        fork(2, 3);
    }
    void first_thief() { ask_then_steal(1, Impatient); }
    void finally() { require_taken(3); }
};

// Two forks of one task each, and a thief that comes twice.
struct rounds : deque_world<shrunk<4>> {
    rounds() : deque_world<shrunk<4>>(steal_protocol::asymmetric) {}
    void owner() {
        fork(0, 1);
        fork(1, 2);
    }
    void first_thief() {
        ask_then_steal(1, true);
        ask_then_steal(1, true);
    }
    void finally() { require_taken(2); }
};

// A fork whose first branch leaves a loose task above the fork's own.
template <steal_protocol Protocol, std::size_t Loose = 1>
struct loose_above : deque_world<shrunk<4>> {
    loose_above() : deque_world<shrunk<4>>(Protocol) {}
    void owner() {
        task& own = tasks_[0];
        own.input.set(1);
        auto* const at = page_.next();
        if (page_.push_at(at, &own)) {
            require(owner_end(deque_).attend(), "out of memory");
        }
        for (std::size_t i = 1; i <= Loose; ++i) {
            push_loose(i);
        }
        if (page_.pop_at(at)) {
            run_own(own);
        } else {
            settle(own);
        }
    }
    void first_thief() { steal(1, true, "seized"); }
    void second_thief() { steal(2, true, "seized"); }
    void finally() { require_taken(Loose + 1); }
};

// A wait for loose tasks inside a fork.
template <steal_protocol Protocol, std::size_t Capacity, class Machine = machine>
struct loose_wait : deque_world<shrunk<Capacity, Machine>> {
    using base = deque_world<shrunk<Capacity, Machine>>;
    loose_wait() : base(Protocol) {}
    void owner() {
        task& own = this->tasks_[0];
        own.input.set(1);
        if (this->page_.push(&own)) {
            require(typename base::owner_end(this->deque_).attend(), "out of memory");
        }
        this->push_loose(1);
        this->push_loose(2);
        this->drain_loose(1);
        if (this->page_.pop()) {
            this->run_own(own);
        } else {
            this->settle(own);
        }
    }
    void first_thief() {
        this->steal(1, true, "seized");
        this->steal(1, true, "seized");
    }
    void finally() { this->require_taken(3); }
};

// A wait for loose tasks of which one is taken out from below another, by the owner or by a thief.
template <steal_protocol Protocol>
struct taken_out : deque_world<shrunk<8>> {
    taken_out() : deque_world<shrunk<8>>(Protocol) { label(hole_, "hole"); }

    void fork_around(void (taken_out::*wait)()) {
        task& own = tasks_[0];
        own.input.set(1);
        if (page_.push(&own)) {
            require(owner_end(deque_).attend(), "out of memory");
        }
        push_loose(1);
        push_loose(2);
        (this->*wait)();
        drain_loose(1);
        if (page_.pop()) {
            run_own(own);
        } else {
            settle(own);
        }
    }
    void withdraw_lower() {
        if (owner_end(deque_).withdraw(tasks_[1], 1, hole_)) {
            reached("withdrawn");
            run_own(tasks_[1]);
        }
    }
    void take_lower() {
        std::size_t at = 3;
        const auto lower = [this](const task& t) { return &t == &tasks_[1]; };
        if (task* got = owner_end(deque_).take_below(at, lower, 1, hole_)) {
            reached("taken below");
            require(got == &tasks_[1] && at == 1, "not the task that was wanted");
            run_own(*got);
        }
    }
    void take_upper() {
        std::size_t at = 3;
        const auto upper = [this](const task& t) { return &t == &tasks_[2]; };
        if (task* got = owner_end(deque_).take_below(at, upper, 1, hole_)) {
            reached("taken from above");
            run_own(*got);
        }
    }
    void nothing() {}

    void owner_withdraws() { fork_around(&taken_out::withdraw_lower); }
    void owner_takes_below() { fork_around(&taken_out::take_lower); }
    void owner_takes_newest() { fork_around(&taken_out::take_upper); }
    void owner_waits() { fork_around(&taken_out::nothing); }

    void thief_steals() {
        steal(1, true, "stolen loose");
        steal(1, true, "stolen loose");
    }
    void thief_withdraws() {
        if (thief_end(deque_).withdraw(tasks_[1], hole_) == detail::answer::granted) {
            reached("thief withdrew");
            take(tasks_[1], 1);
        }
        steal(1, true, "stolen loose");
    }
    void thief_extracts() {
        task* got = nullptr;
        const auto upper = [this](const task& t) { return &t == &tasks_[2]; };
        if (thief_end(deque_).extract(upper, hole_, got) == detail::answer::granted) {
            reached("thief extracted");
            require(got == &tasks_[2], "not the task that was wanted");
            take(*got, 1);
        }
        steal(1, true, "stolen loose");
    }
    void finally() { require_taken(3); }
};

// Every program of so many steps: forks, loose tasks, withdrawals and finish blocks in any order and nesting.
template <steal_protocol Protocol, int Steps, std::size_t Capacity, int Steals = 2,
          class Base = deque_world<shrunk<Capacity>>>
class any_program : public Base {
  public:
    using base = Base;
    any_program() : base(Protocol) { label(this->hole_, "hole"); }
    void owner() {
        finish([this] { body(); });
        require(typename base::owner_end(this->deque_).depth() == 0, "the deque does not end empty");
    }
    void first_thief() {
        for (int i = 0; i < Steals; ++i) {
            this->steal(1, true, "stolen loose");
        }
    }
    void finally() { this->require_taken(used_); }

  private:
    void body() {
        while (steps_ > 0) {
            --steps_;
            switch (machine::choose(5)) {
            case 0: return;
            case 1: fork_here(); break;
            case 2: this->push_loose(used_++); break;
            case 3: withdraw_oldest(); break;
            case 4: finish([this] { body(); }); break;
            default: break;
            }
        }
    }
    template <class F>
    void finish(F&& inside) {
        typename base::owner_end end(this->deque_);
        const std::size_t outer = floor_;
        floor_ = end.depth();
        inside();
        this->drain_loose(floor_);
        floor_ = outer;
    }
    void fork_here() {
        task& own = this->tasks_[used_++];
        own.input.set(static_cast<int>(&own - this->tasks_.data()) + 1);
        if (this->page_.push(&own) && !typename base::owner_end(this->deque_).attend()) {
            require(false, "out of memory");
        }
        body();
        if (this->page_.pop()) {
            this->run_own(own);
        } else {
            this->settle(own);
        }
    }
    void withdraw_oldest() {
        for (std::size_t i = 0; i < used_; ++i) {
            task& t = this->tasks_[i];
            if (t.loose && t.takers == 0) {
                if (typename base::owner_end(this->deque_).withdraw(t, floor_, this->hole_)) {
                    reached("withdrawn");
                    this->run_own(t);
                }
                return;
            }
        }
    }

    int steps_ = Steps;
    std::size_t used_ = 0;
    std::size_t floor_ = 0;
};

// An owner whose forks are called off by somebody else: team::alert() with what of the team's owner looks for it. Once
// the request is through, nothing begins.
template <std::size_t N>
class called_off : public deque_world<machine> {
  public:
    called_off() : deque_world(detail::steal_protocol::asymmetric) { label(asked_, "asked"); }

    void owner() {
        page_.ring(); // somebody else may have rung
        fork_unless_asked(0);
        fork_unless_asked(0); // the same tasks once more, unless they have run
    }
    void first_thief() {
        thief_end end(deque_);
        asked_.store(1, detail::memory_order::release); // T1 -> T2
        machine::full_fence();
        page_.ring(); // T3
        fence_behind_the_rings();
        if (end.expose() == detail::heavy_fence::passed) { // T5
            through_.store(1, detail::memory_order::release);
        }
    }
    void finally() {}

  private:
    static void fence_behind_the_rings() { static_cast<void>(machine::heavy_fence()); } // T4

    [[nodiscard]] bool asked() const { return asked_.load(detail::memory_order::acquire) != 0; } // T2 <- T1
    [[nodiscard]] bool through() const { return through_.load(detail::memory_order::acquire) != 0; }

    void begin(bool over) { require(!over, "something begins that was called off before"); }

    // As fork_on() does. Precondition of each begin(): whether the request was through before the look for it began.
    void fork_unless_asked(std::size_t i) {
        if (i == N) {
            return;
        }
        bool over = through();
        if (page_.push(&tasks_[i])) {
            if (!owner_end(deque_).attend()) { // in order, and nobody looks
                reached("undone");
                fork_unless_asked(i + 1);
                return;
            }
            if (asked()) {
                page_.ring(); // T6
                reached("not begun");
                take_back(i);
                return;
            }
        }
        begin(over);
        fork_unless_asked(i + 1);
        over = through();
        if (page_.pop() || !is_called_off(i)) {
            begin(over);
        }
    }
    void take_back(std::size_t i) {
        if (!page_.pop()) {
            static_cast<void>(is_called_off(i));
        }
    }
    bool is_called_off(std::size_t i) {
        task* above = nullptr;
        require(owner_end(deque_).settle(tasks_[i], above) == detail::settled::mine, "somebody has the task");
        if (!asked()) {
            return false;
        }
        reached("skipped");
        owner_end(deque_).share_all(); // T8
        return true;
    }

    machine::atomic<int> asked_{0};
    machine::atomic<int> through_{0};
};

} // namespace skerry::model
