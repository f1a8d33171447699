// SPDX-License-Identifier: Apache-2.0
#pragma once

// The team of src/sched, compiled for the explorer: searching, leapfrogging, sleeping and waking. The programs that run
// on it need two threads at once (a branch waits for the other one), so a wake-up that is lost shows as a state from
// which the end cannot be reached.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <skerry/detail/core/loose_task.hpp>
#include <skerry/detail/sched/join.hpp>

#include "explorer.hpp"
#include "machine.hpp"
#include "sched/latch_done.hpp"
#include "sched/team_wait.hpp"

namespace skerry::model {

class sched_world {
  public:
    // Time stands still for so many looks at the clock of each thread, at moments of the explorer's choice; every other
    // look finds that a long time has passed.
    sched_world(unsigned workers, detail::steal_protocol protocol, int still)
        : team_({.workers = workers, .max_slots = 4, .protocol = protocol, .places = nullptr}) {
        clock_.fill({0, still});
        level_.fill(-1);
        current = this;
        for (unsigned i = 0; i < workers; ++i) {
            workers_.push_back(team_.take_slot(nullptr));
            const std::string name = "worker" + std::to_string(i);
            label(*workers_[i], name);
            label(workers_[i]->bottom, name + ".bottom");
            label(workers_[i]->limit, name + ".limit");
            label(workers_[i]->split, name + ".split");
            label(workers_[i]->sleeping, name + ".sleeping");
            label(workers_[i]->announced, name + ".announced");
        }
        label(team_, "team");
    }
    sched_world(const sched_world&) = delete;
    sched_world& operator=(const sched_world&) = delete;
    ~sched_world() {
        for (detail::worker* w : workers_) {
            team_.free_slot(*w);
        }
    }

    static std::uint64_t ticks() {
        if (!engine::instance().on_thread()) {
            return 0;
        }
        clock& c = current->clock_[static_cast<std::size_t>(engine::instance().thread())];
        if (c.still > 0 && machine::choose(2) == 1) {
            --c.still;
        } else {
            c.now += std::uint64_t{1} << 62; // wraps: differences are what counts
        }
        return c.now;
    }

    // options::on_resume where thread i is worker i.
    static void put_page(unsigned i) {
        detail::current_page = i < current->workers_.size() ? current->workers_[i] : nullptr;
    }

  protected:
    struct branch final : detail::task_header {
        using work = void (*)(sched_world&, detail::worker&);

        branch(sched_world& w, const detail::worker& self, work what) noexcept
            : task_header(&run_stolen, self.nesting),
              world(w),
              body(what),
              level(w.level() + 1),
              inherited(self.ctx) {
            label(joined, "join word");
        }
        static void run_stolen(detail::task_header* header) noexcept {
            auto& self = *static_cast<branch*>(header);
            reached("stolen");
            self.world.run_deeper(self.level, [&self] {
                detail::worker& w = *self.world.workers_[static_cast<std::size_t>(engine::instance().thread())];
                require(w.ctx == self.inherited, "a branch runs under another context than it was forked under");
                self.body(self.world, w);
            });
            detail::finish_stolen(self);
        }
        sched_world& world;
        work body;
        const int level;
        const detail::context* const inherited;
    };

    // Every body that runs on a stack lies strictly deeper in the tree of tasks than the one below it. So a stack is at
    // most as deep as the serial program's, with one waiting loop for each level.
    template <class F>
    void run_deeper(int at, F&& body) {
        require(at > level(), "a task runs on top of one that it does not descend from: the stack is not bounded");
        const int outer = std::exchange(level(), at);
        body();
        level() = outer;
    }
    int& level() { return level_[static_cast<std::size_t>(engine::instance().thread())]; }

    // As fork_values does, without its results.
    template <class F>
    void fork(detail::worker& self, F&& first, branch::work second) {
        branch other(*this, self, second);
        auto* const at = self.next();
        if (self.push_at(at, &other)) {
            reached("attend");
            if (detail::attend(self) == detail::attended::no_room) {
                run_deeper(other.level, first);
                run_deeper(other.level, [&] { second(*this, self); });
                return;
            }
        }
        run_deeper(other.level, first);
        if (self.pop_at(at) || detail::settle_or_wait(self, other)) {
            run_deeper(other.level, [&] { second(*this, self); });
        }
    }

    // A task of a finish block.
    struct async_task final : detail::loose_task {
        using work = void (*)(sched_world&, detail::worker&);

        async_task(sched_world& w, work what) noexcept : loose_task(&run_it, nullptr), world(w), body(what) {
            label(joined, "join word");
        }
        static void run_it(detail::task_header* header) noexcept {
            auto& self = *static_cast<async_task*>(header);
            detail::worker& here = *self.world.workers_[static_cast<std::size_t>(engine::instance().thread())];
            self.world.run_deeper(self.level, [&] { self.body(self.world, here); });
            if (!here.ahead.end(*self.pending)) { // as count_end()
                detail::arrive(*self.pending);
            }
        }
        sched_world& world;
        work body;
        int level = 0;
        detail::latch<detail::machine>* pending = nullptr;
    };

    // As finish_frame does.
    template <class F>
    void finish(detail::worker& self, F&& body) {
        detail::latch<detail::machine> pending(detail::counts_ahead::batch);
        label(pending, "latch");
        const detail::counts_ahead outer_ahead = std::exchange(self.ahead, {&pending, detail::counts_ahead::batch});
        const detail::context* const outer = self.ctx;
        const detail::context ctx(outer, &pending);
        const std::size_t base = self.mine().depth();
        const std::size_t outer_floor = std::exchange(self.floor, base);
        self.contexts.enter(&ctx);
        body(ctx, pending);
        detail::latch_done condition(pending, &self.ahead);
        team_.wait(self, detail::wanted::within(&ctx), base, condition, "finish", nullptr);
        self.ahead = outer_ahead;
        self.floor = outer_floor;
        self.contexts.leave(outer);
    }
    // As begin_task does.
    void async(detail::worker& self, const detail::context& ctx, detail::latch<detail::machine>& pending,
               async_task& task) {
        self.ahead.begin(pending);
        task.ctx = &ctx;
        task.pending = &pending;
        task.level = level() + 1;
        const detail::context* const joined = &ctx.cover();
        task.place = &self;
        if (self.mine().push_loose(task) && self.mine().attend()) {
            team_.answer_push(self, joined);
        }
    }

    static void raise(machine::atomic<int>& flag) { flag.fetch_add(1, memory_order::release); }
    static void wait_for(const machine::atomic<int>& flag, int n) {
        while (flag.load(memory_order::acquire) < n) {
            machine::pause();
        }
    }

    // The thread is the worker's from here on, and where thieves interrupt, they do it here.
    void seat(unsigned i) {
        if constexpr (detail::machine::interrupts()) {
            detail::team::sit_down(*workers_[i]);
        }
    }
    void background(unsigned i) {
        seat(i);
        team_.work(*workers_[i], [] { return false; });
    }

    detail::team team_;
    std::vector<detail::worker*> workers_;

  private:
    struct clock {
        std::uint64_t now = 0;
        int still = 0;
    };
    static inline sched_world* current = nullptr; // always the same place in the arena

    std::array<clock, max_threads> clock_;
    std::array<int, max_threads> level_; // of the innermost body that each thread runs; -1: none
};

} // namespace skerry::model
