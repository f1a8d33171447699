// SPDX-License-Identifier: Apache-2.0
#pragma once

// The deque under the interrupt protocol: thieves ask as src/sched/steal_interrupt.cpp does, a handler on the owner's
// core takes the task.

#include <array>

#include "deque_world.hpp"
#include "manycore.hpp"

namespace skerry::model {

template <std::size_t Capacity>
class interrupt_world : public deque_world<shrunk<Capacity, manycore>> {
  public:
    using base = deque_world<shrunk<Capacity, manycore>>;
    using step = detail::coherence_step;

    explicit interrupt_world(steal_protocol protocol = steal_protocol::interrupt) : base(protocol) {
        current = this;
        for (std::size_t i = 0; i < letters_.size(); ++i) {
            label(letters_[i].asker, "request of T" + std::to_string(i));
            label(letters_[i].reply, "reply to T" + std::to_string(i));
        }
        label(this->hole_, "hole");
        label(asks_itself_, "asks itself");
    }

  protected:
    void open() { manycore::on_interrupt(&handle); }

    void ask(int thief) {
        letter& own = letters_[static_cast<std::size_t>(thief)];
        own.asker.set(thief);
        manycore::publish(&own.asker, sizeof own.asker, step::request_sent);
        if (!manycore::interrupt(0)) {
            reached("refused");
            return;
        }
        manycore::discard_all(step::reply_taken);
        task* const got = own.reply.get();
        if (got == nullptr) {
            reached("nothing there");
            return;
        }
        if (got == &this->hole_) {
            return;
        }
        reached("granted");
        require(got->thief == thief, "the task is another thief's");
        this->check_input(*got);
        got->result.set(this->wanted_result + thief);
        manycore::publish_all(step::task_ended);
        static_cast<void>(got->joined.finish());
    }

    // As team::request() does for a thread that holds another slot of the team: there is nobody to interrupt.
    void ask_itself() {
        letters_[0].asker.set(0);
        asks_itself_ = true;
        serve(0);
        asks_itself_ = false;
        if (letters_[0].reply.get() != nullptr) {
            reached("granted to itself");
        }
    }

  private:
    struct letter {
        plain<int> asker{0};
        plain<task*> reply{nullptr};
    };

    static void handle(unsigned sender) { current->serve(sender); }

    void serve(unsigned sender) {
        letter& from = letters_[sender];
        manycore::discard(&from.asker, sizeof from.asker, step::request_taken);
        const int thief = from.asker.get();
        require(thief == static_cast<int>(sender), "an old request");
        task* got = nullptr;
        const auto accept = [&](task& t, std::size_t) {
            t.joined.begin(&letters_);
            this->take(t, thief);
            return true;
        };
        static_cast<void>(typename base::thief_end(this->deque_).steal(accept, false, got));
        from.reply.set(got);
        manycore::publish_all(step::reply_sent);
    }

    static inline interrupt_world* current = nullptr; // always the same place in the arena
    std::array<letter, max_threads> letters_;
    bool asks_itself_ = false; // for faults
};

// Forks Depth deep; each thief asks once, or the first one twice.
template <std::size_t Depth, std::size_t Capacity = 4, bool Twice = false>
struct interrupted_forks : interrupt_world<Capacity> {
    void owner() {
        this->open();
        this->fork(0, Depth);
    }
    void first_thief() {
        this->ask(1);
        if (Twice) {
            this->ask(1);
        }
    }
    void second_thief() { this->ask(2); }
    void third_thief() { this->ask(3); }
    void finally() { this->require_taken(Depth); }
};

// Every program of so many steps, and a thief that asks twice.
template <int Steps, std::size_t Capacity>
struct any_interrupted : any_program<steal_protocol::interrupt, Steps, Capacity, 2, interrupt_world<Capacity>> {
    using program = any_program<steal_protocol::interrupt, Steps, Capacity, 2, interrupt_world<Capacity>>;
    void owner() {
        this->open();
        program::owner();
    }
    void first_thief() {
        this->ask(1);
        this->ask(1);
    }
};

} // namespace skerry::model
