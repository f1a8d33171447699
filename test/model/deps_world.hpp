// SPDX-License-Identifier: Apache-2.0
#pragma once

// The order of tasks by what they access (src/deps), compiled for the explorer: counts of readers, the turn of the next
// writer, failures, the end of a graph. Each child looks whether the objects are as the serial program would find them;
// two that touch one object at once are a race.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <string>

#include <skerry/detail/sched/join.hpp>

#include "deps/task_manager.hpp"
#include "deps/task_scope.hpp"
#include "explorer.hpp"
#include "machine.hpp"
#include "names_of_worlds.hpp"
#include "sched/latch_done.hpp"

namespace skerry::model {

using detail::access_mode;

class deps_world {
  public:
    deps_world() : deps_world(std::size_t{1} << 14) {}
    // `names`: after so many the scope looks for those that it can use again.
    explicit deps_world(std::size_t names) : names_kept_(names_kept_by_worlds = names) {
        label(objects_, "objects");
        label(pending_, "latch");
        label(scope_, "scope");
    }
    deps_world(const deps_world&) = delete;
    deps_world& operator=(const deps_world&) = delete;

  protected:
    static constexpr std::size_t most_children = 5;

    // An access, and the value that the serial program has there: a writer's is one more afterwards.
    struct use {
        std::size_t object;
        access_mode mode;
        int finds;
    };
    enum class expected : std::uint8_t { runs, fails, is_skipped };

    // Before a block is freed: to the explorer a free is no access, and what only one thread has touched it takes for
    // that thread's own, whenever the block goes.
    static void touch_all(const detail::dependent_task& task) {
        static_cast<void>(task.unmet.load(memory_order::relaxed));
        static_cast<void>(task.references.load(memory_order::relaxed));
        for (std::uint32_t i = 0; i < task.node_count; ++i) {
            static_cast<void>(task.nodes[i].older_waiting.load(memory_order::relaxed));
            static_cast<void>(task.nodes[i].own.unfinished.load(memory_order::relaxed));
            static_cast<void>(task.nodes[i].own.waiting.load(memory_order::relaxed));
            static_cast<void>(task.nodes[i].own.next.load(memory_order::relaxed));
        }
    }

    struct child final : detail::dependent_task {
        static constexpr std::size_t most_uses = 2;

        child(deps_world& w, std::size_t at_place, std::initializer_list<use> what, expected e,
              const detail::spawn_place& at)
            : dependent_task(type_of_all, "child", &room[0], what.size(), at),
              world(w),
              order(at_place),
              end(e) {
            std::size_t i = 0;
            for (const use& u : what) {
                uses[i] = u;
                room[i].what = {.first = reinterpret_cast<std::uintptr_t>(&w.objects_[u.object]),
                                .extent = sizeof(w.objects_[u.object]),
                                .mode = u.mode,
                                .kind = detail::access_kind::bytes};
                ++i;
            }
            label(*this, "child" + std::to_string(order));
            label(unmet, "unmet" + std::to_string(order));
        }
        // The worker's spare blocks have a model of their own.
        static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
        static void operator delete(void* block) noexcept { ::operator delete(block); }

        void call() {
            require(!world.ended_[order], "a task was run twice");
            world.ended_[order] = true;
            require(skipped() == (end == expected::is_skipped), "a failure before it was not as in the serial program");
            failed = end == expected::fails;
            if (skipped()) {
                return;
            }
            for (std::size_t i = 0; i < node_count; ++i) {
                plain<int>& object = world.objects_[uses[i].object];
                require(object.get() == uses[i].finds, "an object is not what the serial program has there");
                if (writes(uses[i].mode)) {
                    object.set(uses[i].finds + 1);
                }
            }
        }

        deps_world& world;
        const std::size_t order;
        const expected end;
        std::array<use, most_uses> uses{};
        detail::access_node room[most_uses];

      private:
        static void execute(detail::task_header*) noexcept {} // run() calls the child
        static void release(dependent_task* task) noexcept {
            touch_all(*task);
            delete static_cast<child*>(task);
        }
        static constexpr detail::task_type type_of_all{&execute, nullptr, nullptr, &release, nullptr};
    };

    // The waiter of taskwait_on().
    struct guest final : detail::dependent_task {
        guest(std::size_t object, deps_world& w, const detail::spawn_place& at)
            : dependent_task(type_of_this, "guest", &room, 1, at) {
            room.what = {.first = reinterpret_cast<std::uintptr_t>(&w.objects_[object]),
                         .extent = sizeof(w.objects_[object]),
                         .mode = access_mode::in,
                         .kind = detail::access_kind::bytes};
            arrived.begin(nullptr);
            ended = [](detail::completion* c) noexcept {
                if (void* const sleeper = static_cast<guest*>(c)->arrived.finish()) {
                    static_cast<detail::bell*>(sleeper)->deliver();
                }
            };
        }
        static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
        static void operator delete(void* block) noexcept { ::operator delete(block); }

        bool done() const noexcept { return arrived.done(); }
        bool arm(detail::bell& b) noexcept { return arrived.try_wait(&b); }
        bool disarm() noexcept { return arrived.stop_waiting(nullptr); }

        detail::access_node room;
        detail::join_word<detail::machine> arrived;

      private:
        static void release(dependent_task* task) noexcept {
            touch_all(*task);
            delete static_cast<guest*>(task);
        }
        static constexpr detail::task_type type_of_this{nullptr, nullptr, nullptr, &release, nullptr};
    };

    [[nodiscard]] detail::spawn_place here() const { return {parent_, parent_, nullptr}; }

    child* make(std::initializer_list<use> what, expected e = expected::runs) { return make_at(here(), what, e); }
    child* make_at(const detail::spawn_place& at, std::initializer_list<use> what, expected e = expected::runs) {
        require(made_ < most_children, "too many children");
        return new child(*this, made_++, what, e, at);
    }
    // A child whose turn has come at once: before the threads begin.
    child* begin(std::initializer_list<use> what, expected e = expected::runs) {
        child* const c = make(what, e);
        require(scope_.submit(*c), "the first child has nothing to wait for");
        return c;
    }
    // Enters a child and runs it, if its turn has come; else whoever ends what it waits for does.
    void spawn(std::initializer_list<use> what, expected e = expected::runs) {
        child* const c = make(what, e);
        if (scope_.submit(*c)) {
            reached("ready at once");
            run(c);
        } else {
            reached("waits");
        }
    }
    // Runs a task and what becomes ready by its end.
    static void run(detail::dependent_task* first) {
        detail::ready_list ready;
        ready.push(*first);
        while (detail::dependent_task* const task = ready.pop()) {
            if (task->type.execute == nullptr) {
                task->ended(task);
                continue;
            }
            static_cast<child*>(task)->call();
            detail::task_scope::finish(*task, ready);
        }
    }
    // What another thread puts there.
    template <class T>
    static T wait_for(const machine::atomic<T>& given) {
        for (;;) {
            if (const T found = given.load(memory_order::acquire); found != T{}) {
                return found;
            }
            machine::pause();
        }
    }
    // As team::wait() does where there is nothing to run: the bell lives longer than the wait.
    template <class Condition>
    static void wait(detail::bell& sleeping, Condition& c) {
        while (!c.done()) {
            sleeping.prepare();
            if (c.arm(sleeping)) {
                reached("slept");
                sleeping.wait();
                if (!c.disarm()) {
                    sleeping.await_delivery();
                }
            } else {
                sleeping.cancel();
            }
        }
    }
    // As taskwait() does.
    void wait_for_all(detail::task_scope& scope) {
        const std::uint64_t before = scope.next_number();
        detail::task_scope::few_children condition(scope, 0);
        wait(bell_, condition);
        scope.tidy(before);
    }
    void require_all_ended() const {
        for (std::size_t i = 0; i < made_; ++i) {
            require(ended_[i], "a task is lost");
        }
    }

  public:
    void finally() {
        require_all_ended();
        require(scope_.children() == 0, "a child is counted still");
        require(pending_.alone(), "the parent's latch has not all its counts back");
    }

  protected:
    const std::size_t names_kept_; // before the scope
    detail::team crew_{{.workers = 1, .max_slots = 1, .places = nullptr}};
    detail::latch<detail::machine> pending_;
    detail::task_context parent_{&crew_.root(), &pending_, nullptr, nullptr};
    detail::task_scope scope_{parent_, crew_};
    detail::bell bell_;
    detail::bell other_bell_;
    std::array<plain<int>, 2> objects_;
    std::array<bool, most_children> ended_{};
    std::size_t made_ = 0;
};

// Two readers end while a writer enters: the last of the three to come begins the writer.
struct readers_before_a_writer : deps_world {
    void spawner() { spawn({{0, access_mode::inout, 0}}); }
    void first() { run(one); }
    void second() { run(other); }
    child* one = begin({{0, access_mode::in, 0}});
    child* other = begin({{0, access_mode::in, 0}});
};

// A writer ends while two readers and another writer enter behind it.
template <std::size_t Readers = 2>
struct readers_behind_a_writer : deps_world {
    void spawner() {
        for (std::size_t i = 0; i < Readers; ++i) {
            spawn({{0, access_mode::in, 1}});
        }
        spawn({{0, access_mode::out, 1}});
    }
    void first() { run(one); }
    child* one = begin({{0, access_mode::out, 0}});
};

// The same, where another branch of the parent enters a reader meanwhile, and the order of the two is the lock's.
struct readers_of_two_branches : deps_world {
    void spawner() { spawn({{0, access_mode::in, 1}}); }
    void other_spawner() { spawn({{0, access_mode::in, 1}}); }
    void first() { run(one); }
    void finally() {
        require(scope_.next_number() == made_, "two children have one number");
        deps_world::finally();
    }
    child* one = begin({{0, access_mode::out, 0}});
};

// As a finish in one branch does while another branch spawns: reads which child is next, spawns, looks whether it has,
// and forgets names.
struct finish_in_a_branch : deps_world {
    finish_in_a_branch() { label(looks, "looks"); }
    void spawner() { spawn({{0, access_mode::out, 0}}); }
    void finisher() {
        const std::uint64_t first = look();
        child* const c = make({{1, access_mode::out, 0}});
        require(scope_.submit(*c), "nothing is before it");
        require(first <= c->number, "a child has a lower number than the next one");
        reached(first < c->number ? "another between" : "the next");
        run(c);
        require(look() != first, "it has spawned, and sees it not");
        scope_.tidy(scope_.next_number());
    }
    std::uint64_t look() {
        looks = true;
        const std::uint64_t next = scope_.next_number();
        looks = false;
        return next;
    }
    bool looks = false; // for faults
};

// A task of two objects, whose turns come from two sides.
struct task_of_two_objects : deps_world {
    void spawner() { spawn({{0, access_mode::in, 1}, {1, access_mode::inout, 1}}); }
    void first() { run(one); }
    void second() { run(other); }
    child* one = begin({{0, access_mode::out, 0}});
    child* other = begin({{1, access_mode::out, 0}});
};

// The same where names are used again whose accesses are over: each child after the first looks for them. The turn
// of the task comes from two sides, so another thread may end it while who began its group is about to give up the one
// before.
struct names_used_again : deps_world {
    names_used_again() : deps_world(1) {}
    void spawner() {
        spawn({{0, access_mode::in, 1}, {1, access_mode::inout, 1}});
        spawn({{1, access_mode::in, 2}});
    }
    void first() { run(one); }
    void second() { run(other); }
    child* one = begin({{0, access_mode::out, 0}});
    child* other = begin({{1, access_mode::out, 0}});
};

// A writer fails while those enter who read what it did not write, write it again, and read that.
struct failing_writer : deps_world {
    void spawner() {
        spawn({{0, access_mode::in, 0}, {1, access_mode::inout, 0}}, expected::is_skipped);
        spawn({{0, access_mode::out, 1}});
        spawn({{0, access_mode::in, 2}});
    }
    void first() { run(one); }
    child* one = begin({{0, access_mode::out, 0}}, expected::fails);
};

// Two children end while their parent waits for them, forgets their names and spawns again.
struct waiting_for_children : deps_world {
    void parent() {
        wait_for_all(scope_);
        require(ended_[0] && ended_[1], "the wait is over before its tasks");
        spawn({{0, access_mode::inout, 1}});
    }
    void first() { run(one); }
    void second() { run(other); }
    child* one = begin({{0, access_mode::out, 0}});
    child* other = begin({{1, access_mode::out, 0}});
};

// Two wait for different numbers of children.
struct two_who_wait : deps_world {
    void first_waiter() {
        detail::task_scope::few_children condition(scope_, 0);
        wait(bell_, condition);
        require(ended_[0] && ended_[1], "the wait is over before its tasks");
    }
    void second_waiter() {
        detail::task_scope::few_children condition(scope_, 1);
        wait(other_bell_, condition);
        require(ended_[0] || ended_[1], "the wait is over before a task");
    }
    void runner() {
        run(one);
        run(other);
    }
    child* one = begin({{0, access_mode::out, 0}});
    child* other = begin({{1, access_mode::out, 0}});
};

// One branch waits for an object (taskwait_on) while another waits for all children and forgets the names.
struct waiting_for_an_object : deps_world {
    waiting_for_an_object() { require(!scope_.submit(*waiter), "the object is not written yet"); }
    void first() { run(one); }
    void branch() {
        wait(other_bell_, *waiter);
        require(objects_[0].get() == 1, "the object is not written");
        detail::ready_list ready;
        detail::task_scope::finish(*waiter, ready);
        require(ready.pop() == nullptr, "nothing waits for it");
    }
    void other_branch() { wait_for_all(scope_); }
    child* one = begin({{0, access_mode::out, 0}});
    guest* waiter = new guest(0, *this, here());
};

// A finish inside the parent waits for the children that are spawned in it.
struct covered_children : deps_world {
    covered_children() { label(cover, "cover"); }
    void parent() {
        child* const first_one = make_at({ctx, parent_, &cover}, {{0, access_mode::out, 0}});
        require(scope_.submit(*first_one), "nothing is before it");
        given.store(first_one, memory_order::release);
        child* const next = make_at({ctx, parent_, &cover}, {{0, access_mode::inout, 1}});
        if (scope_.submit(*next)) {
            run(next);
        }
        detail::latch_done condition(cover);
        wait(bell_, condition);
        require(objects_[0].get() == 2, "the finish is over before its tasks");
    }
    void runner() { run(wait_for(given)); }
    detail::latch<detail::machine> cover;
    const detail::context ctx{&parent_, &cover};
    machine::atomic<child*> given{nullptr};
};

// Every program of so many children on two objects, each of which one may read, write or leave alone; with `Failing`,
// who writes may fail. Two others run what is ready, by turns, and what that makes ready.
template <std::size_t Children, bool Failing>
struct every_program : deps_world {
    every_program() {
        for (std::size_t i = 0; i < Children; ++i) {
            label(given[i], "given" + std::to_string(i));
        }
    }
    void spawner() {
        std::array<int, 2> writers{};
        std::array<bool, 2> unwritten{};
        for (auto& to : given) {
            std::array<use, 2> what{};
            std::size_t n = 0;
            bool may_fail = false;
            bool skips = false;
            for (std::size_t object = 0; object < 2; ++object) {
                const unsigned how = machine::choose(object == 1 && n == 0 ? 2 : 3); // each touches one at least
                if (how == 2) {
                    continue;
                }
                const access_mode mode = how == 0 ? access_mode::in : access_mode::out;
                skips = skips || (reads(mode) && unwritten[object]);
                may_fail = may_fail || writes(mode);
                what[n++] = {object, mode, writers[object]};
            }
            const expected end = skips                                            ? expected::is_skipped
                                 : Failing && may_fail && machine::choose(2) == 1 ? expected::fails
                                                                                  : expected::runs;
            for (std::size_t i = 0; i < n; ++i) {
                if (writes(what[i].mode)) {
                    unwritten[what[i].object] = end != expected::runs;
                    writers[what[i].object] += end == expected::is_skipped ? 0 : 1;
                }
            }
            child* const c = n == 2 ? make({what[0], what[1]}, end) : make({what[0]}, end);
            if (!scope_.submit(*c)) {
                reached("waits");
                to.store(others, memory_order::release);
            } else {
                to.store(reinterpret_cast<std::uintptr_t>(c), memory_order::release);
            }
        }
    }
    void even() { run_each(0); }
    void odd() { run_each(1); }

    static constexpr std::uintptr_t others = 1; // who ends what it waits for runs it
    std::array<machine::atomic<std::uintptr_t>, Children> given{};

  private:
    void run_each(std::size_t first) {
        for (std::size_t i = first; i < Children; i += 2) {
            const std::uintptr_t c = wait_for(given[i]);
            if (c != others) {
                run(reinterpret_cast<child*>(c));
            }
        }
    }
};

// A child that spawns. Its body is one thread's; what is begun in it another ends; the last of all completes it, and a
// third waits for it in the scope around.
class graph_world : public deps_world {
  public:
    graph_world() { label(outer->inside, "inside"); }

    void waiter() {
        wait_for_all(scope_);
        require(completed == 1, "the wait is over before the task is complete");
        require_all_ended();
    }
    void finally() {
        require(completed == 1, "a task is complete once");
        deps_world::finally();
    }

  protected:
    [[nodiscard]] detail::spawn_place inside() const { return {outer->own, outer->own, nullptr}; }

    // As run_spawned() does behind the body of a task.
    void end_body() {
        outer->call();
        if (!outer->inside.alone()) {
            detail::task_scope::body_ended(outer->own);
        }
        if (!outer->inside.alone() && detail::task_scope::leave_to_last(*outer, [](detail::completion* c) noexcept {
                auto& task = *static_cast<child*>(c);
                reached("completed by the last inside");
                static_cast<graph_world&>(task.world).complete();
            })) {
            return;
        }
        reached("completed by its body");
        complete();
    }
    void complete() {
        ++completed;
        for (std::size_t i = 1; i < made_; ++i) {
            require(ended_[i], "a task is complete before what was begun in it");
        }
        detail::task_scope::close(outer->own);
        detail::ready_list ready;
        detail::task_scope::finish(*outer, ready);
        require(ready.pop() == nullptr, "nothing waits for it");
    }
    detail::task_scope& scope_inside() { return detail::task_scope::of(outer->own, crew_); }
    void spawn_inside(std::initializer_list<use> what) {
        child* const c = make_at(inside(), what);
        if (scope_inside().submit(*c)) {
            run(c);
        }
    }

    child* outer = begin({});
    int completed = 0;
};

// The body spawns, and another thread runs what it spawns.
struct body_spawns : graph_world {
    body_spawns() { label(given, "given"); }
    void body() {
        child* const c = make_at(inside(), {{0, access_mode::out, 0}});
        require(scope_inside().submit(*c), "nothing is before it");
        given.store(c, memory_order::release);
        child* const next = make_at(inside(), {{0, access_mode::inout, 1}});
        if (scope_inside().submit(*next)) {
            run(next);
        }
        end_body();
    }
    void runner() { run(wait_for(given)); }
    machine::atomic<child*> given{nullptr};
};

// The body waits for what it has spawned, and its scope goes when the wait is over.
struct body_waits : graph_world {
    body_waits() { label(given, "given"); }
    void body() {
        child* const c = make_at(inside(), {{0, access_mode::out, 0}});
        require(scope_inside().submit(*c), "nothing is before it");
        given.store(c, memory_order::release);
        wait_for_all(scope_inside());
        require(objects_[0].get() == 1, "the wait is over before its tasks");
        end_body();
    }
    void runner() { run(wait_for(given)); }
    machine::atomic<child*> given{nullptr};
};

// What the body has begun spawns too: both make the scope, before or after the body has ended.
template <bool BodySpawns>
struct branch_spawns : graph_world {
    branch_spawns() { outer->inside.add(); } // for what the body has begun
    void body() {
        if (BodySpawns) {
            spawn_inside({{0, access_mode::inout, 0}});
        }
        end_body();
    }
    void branch() {
        detail::latch<detail::machine>& counted = outer->inside;
        spawn_inside({{1, access_mode::inout, 0}});
        detail::arrive(counted);
    }
};

} // namespace skerry::model
