// SPDX-License-Identifier: Apache-2.0

#include <skerry/cancelled.hpp>
#include <skerry/dataflow.hpp>
#include <skerry/remote_error.hpp>

#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include <skerry/detail/sched/begin.hpp>
#include <skerry/detail/sched/join.hpp>

#include "base/port/clock.hpp"
#include "deps/crossing.hpp"
#include "deps/declared_in.hpp"
#include "deps/naming.hpp"
#include "deps/task_scope.hpp"
#include "frontend/dataflow/ends.hpp"
#include "sched/cancellation.hpp"
#include "sched/entry.hpp"
#include "sched/latch_done.hpp"
#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// So many children may be unfinished before the one who spawns more runs some of them first: their memory is bounded.
constexpr std::uint32_t most_children = 8192;
// So many may lie in the deque of the one who spawns before it runs them itself.
constexpr std::size_t deep_deque = 256;

// --- the trace ------------------------------------------------------------------------------------------------------

// What tasks of a team write to that is watched, and of one that is not: the code below exists once for each, so that
// nobody pays for what nobody wants.
template <bool Watched>
using track = std::conditional_t<Watched, trace_sink<machine>, null_trace>;

// Where a thread without a slot writes: the one that moves messages, while it ends a task that was away.
constinit thread_local trace_sink<machine> beside;

// Nowhere, if the thread has no place in this team.
template <bool Watched>
track<Watched> track_in(const team& crew) noexcept {
    if constexpr (Watched) {
        if (current_page == nullptr) {
            return beside;
        }
        const worker& self = worker::of(*current_page);
        if (&self.home == &crew) {
            return self.trace;
        }
    }
    return {};
}

std::uint64_t id_of(const dependent_task& task) noexcept { return trace_id(static_cast<const task_header*>(&task)); }

void tell_spawn(const team& crew, const dependent_task& task) noexcept {
    const naming n = naming_of(task);
    track_in<true>(crew).spawn(id_of(task), n.address, n.kind);
}

// --- where tasks go -------------------------------------------------------------------------------------------------

// Where a task goes that nobody on this thread may run next.
void begin_elsewhere(dependent_task& task) noexcept {
    team& crew = task.home->crew();
    crossing* const edge = crossing::of(crew);
    const bool may_go = edge != nullptr && edge->can_go(task);
    crew.inject(task, true);
    if (may_go) {
        edge->offer();
    }
}

void begin_here(worker& self, dependent_task& task) noexcept {
    if (crossing* const edge = crossing::of(self.home); edge != nullptr && edge->can_go(task)) {
        self.home.inject(task, true); // where other processes' thieves look, too
        edge->offer();
        return;
    }
    try {
        push_task(task);
    } catch (const std::bad_alloc&) { // the deque cannot grow
        self.home.execute(self, task);
    }
}

// The waiter of taskwait_on(), which stands in the order of its objects as a task would.
class waiting_task final : public dependent_task {
  public:
    // `room` for accesses and containers. Both lists outlive the wait.
    waiting_task(const spawn_place& at, std::span<const access> accesses, std::span<const container_access> looks,
                 std::unique_ptr<access_node[]> room)
        : dependent_task(type_of_this, "taskwait_on", room.get(), accesses.size(), at),
          room_(std::move(room)),
          containers_(looks.data()) {
        for (std::size_t i = 0; i < accesses.size(); ++i) {
            room_[i].what = accesses[i];
        }
        containers = static_cast<std::uint8_t>(looks.size());
        for (std::size_t i = 0; i < looks.size(); ++i) {
            access_node& elements = room_[accesses.size() + i];
            elements.what = {0, {0}, accesses[looks[i].node].mode, access_kind::elements};
            elements.task = nullptr;
        }
        ready_.begin(nullptr);
        ended = [](completion* c) noexcept {
            if (void* const sleeper = static_cast<waiting_task*>(c)->ready_.finish()) {
                static_cast<bell*>(sleeper)->deliver();
            }
        };
    }

    [[nodiscard]] bool done() const noexcept { return ready_.done(); }
    [[nodiscard]] bool arm(bell& b) noexcept { return ready_.try_wait(&b); }
    [[nodiscard]] bool disarm() noexcept { return ready_.stop_waiting(nullptr); }

  private:
    static void release(dependent_task* task) noexcept { delete static_cast<waiting_task*>(task); }
    static const container_access* list_of(const dependent_task& task) noexcept {
        return static_cast<const waiting_task&>(task).containers_;
    }

    static constexpr task_type type_of_this{nullptr, nullptr, nullptr, &release, nullptr, nullptr, nullptr, &list_of};

    std::unique_ptr<access_node[]> room_;
    const container_access* const containers_;
    join_word<machine> ready_;
};

// What has become ready by the end of the task `by` that ran under `enclosing`. Returns the one that the caller shall
// run next, if it may. `self`: whose stack may run a successor from the same frame; null: nobody's.
template <class Trace>
dependent_task* hand_on(ready_list& ready, worker* self, const context* enclosing, Trace trace,
                        std::uint64_t by) noexcept {
    dependent_task* next = nullptr;
    while (dependent_task* const task = ready.pop()) {
        if (!is_child(*task)) {
            task->ended(task);
            continue;
        }
        trace.ready(id_of(*task), by);
        if (self == nullptr || task->own.parent != enclosing) {
            begin_elsewhere(*task);
        } else if (next == nullptr) {
            next = task;
            self->contexts.set(enclosing); // valid as long as `next` has not run
        } else {
            begin_here(*self, *task);
        }
    }
    return next;
}

// Keeps the exception of a child until a wait of its parent, wherever that is.
void fail(dependent_task& task, std::exception_ptr error) noexcept {
    task.failed = true;
    if (task.import != nullptr) {
        task.import->error = std::move(error);
    } else {
        task.home->fail(task, std::move(error));
    }
}

// The task was cut short: a group around it was asked to stop, or one around a child that it has not waited for.
void cut_short(dependent_task& task) noexcept {
    if (task.import != nullptr) { // only an exception goes home
        fail(task, std::make_exception_ptr(cancelled()));
    } else {
        task.cut_short = true;
    }
}

// The task and all that was begun in it have ended.
void complete(dependent_task& task, ready_list& ready) noexcept {
    if (task_scope* const children = task_scope::existing(task.own)) {
        if (std::exception_ptr error = children->take_error(0); error != nullptr && !task.failed) {
            fail(task, std::move(error));
        }
        if (children->cut_short() && !task.failed && !task.skipped()) {
            cut_short(task);
        }
        task_scope::close(task.own);
    }
    if (task.containers != 0) [[unlikely]] {
        task_scope::look_for_changes(task);
        task.type.drop(task);
    }
    if (task.import != nullptr) {
        crossing::around(task.home->crew()).finished(task);
    }
    task_scope::finish(task, ready);
}

void call(dependent_task& task) noexcept {
    machine::discard_all(coherence_step::turn_taken);
    if (stops(task.own)) [[unlikely]] {
        task.cancel();
    } else if (!task.skipped()) {
        if (task.containers != 0) [[unlikely]] {
            task_scope::note_begin(task);
        }
        try {
            call_checked(task);
        } catch (const cancelled&) {
            if (stops(task.own)) {
                cut_short(task);
            } else {
                fail(task, std::current_exception());
            }
        } catch (...) {
            fail(task, std::current_exception());
        }
    } else if (task.lacks_cancelled()) { // itself it is in no cancelled group: whoever waits for it has to know
        fail(task, std::make_exception_ptr(cancelled()));
    }
    if (task.containers == 0) [[likely]] { // else somebody looks into them when all that was begun inside has ended
        task.type.drop(task);
    }
}

// A task from another process keeps its stack until all that was begun in it has ended: whoever waits for it over there
// relies on somebody being here who runs that, and nothing else.
void stay(worker& self, dependent_task& task) noexcept {
    latch_done condition(task.inside);
    self.home.wait_from_here(self, wanted::within(&task.own), condition, "end of a task from another process", &task);
}

void call_watched(worker& self, dependent_task& task) noexcept {
    const std::uint64_t id = id_of(task);
    const naming n = naming_of(task);
    self.trace.start(id, n.address, n.kind);
    if (wait_observer* const observer = self.home.observer()) { // execute() has told it of the first one alone
        const std::uint64_t now = port::now_ns();
        observer->runs(self.slot, {.what = n, .since = now, .task_since = now});
    }
    if (crossing* const edge = crossing::of(task.home->crew()); edge != nullptr && !task.skipped()) {
        edge->begins_here(self, task);
    }
    call(task);
    self.trace.end(id);
}

// Completes a task, and begins what becomes ready, where this thread may not run it.
template <bool Watched>
void complete_beside(dependent_task& task) noexcept {
    const std::uint64_t id = id_of(task);
    const track<Watched> trace = track_in<Watched>(task.home->crew());
    ready_list ready;
    complete(task, ready);
    hand_on(ready, nullptr, nullptr, trace, id);
}

template <bool Watched>
void complete_later(completion* c) noexcept {
    complete_beside<Watched>(static_cast<dependent_task&>(*c));
}

// Runs a task, and then those that its end makes ready, as long as they may run on this stack: they are of one team.
template <bool Watched>
void run_spawned(worker& self, dependent_task* task) noexcept {
    worker* const goes_on = self.what_follows == successors::here ? &self : nullptr;
    self.ahead = {}; // these tasks have latches of their own, and one that has ended takes its latch with it
    while (task != nullptr) {
        self.contexts.set(&task->own);
        const std::uint64_t id = id_of(*task);
        if constexpr (Watched) {
            call_watched(self, *task);
        } else {
            call(*task);
        }
        if (!task->inside.alone()) { // else nothing was spawned in it: a scope counts there until the body has ended
            task_scope::body_ended(task->own);
        }
        const context* const enclosing = task->own.parent;
        ready_list ready;
        if (!task->inside.alone()) {
            if (task->import != nullptr) {
                stay(self, *task);
            } else if (task_scope::leave_to_last(*task, &complete_later<Watched>)) {
                return;
            }
        }
        complete(*task, ready);
        task = hand_on(ready, goes_on, enclosing, track_in<Watched>(self.home), id);
        self.count.tasks.add(task != nullptr ? 1 : 0);
    }
}

// A task whose turn has come while this thread spawned it, or another one, under `enclosing`.
template <bool Watched>
void begin_ready(team& crew, dependent_task& task) {
    track_in<Watched>(crew).ready(id_of(task), 0);
    if (current_page == nullptr || &worker::of(*current_page).home != &crew) {
        begin_elsewhere(task);
        return;
    }
    worker& self = worker::of(*current_page);
    const bool nobody_else = crew.workers() == 1 && crossing::of(crew) == nullptr;
    if (nobody_else || self.mine().depth() >= deep_deque) {
        crew.execute(self, track_in<Watched>(crew), task, successors::elsewhere);
    } else {
        begin_here(self, task);
    }
}

// What a task manager has ready after a spawn under `enclosing`. All but the last lie where others find them before
// this thread runs one.
void begin_managed(task_manager& manager, team& crew, const context* enclosing) {
    ready_list ready;
    ready_list own;
    manager.poll(ready);
    const bool here = current_page != nullptr && &worker::of(*current_page).home == &crew;
    while (dependent_task* const task = ready.pop()) {
        if (!is_child(*task)) {
            task->ended(task);
        } else if (here && task->own.parent == enclosing) {
            own.push(*task);
        } else {
            track_in<true>(crew).ready(id_of(*task), 0);
            begin_elsewhere(*task);
        }
    }
    while (dependent_task* const task = own.pop()) {
        if (own.first != nullptr) {
            track_in<true>(crew).ready(id_of(*task), 0);
            begin_here(worker::of(*current_page), *task);
        } else {
            begin_ready<true>(crew, *task);
        }
    }
}

// Enters a task into the orders of its objects, and begins it if its turn has come.
template <bool Watched>
void begin_in(task_scope& scope, dependent_task& task) {
    team& crew = scope.crew();
    const context* const enclosing = task.own.parent;
    if constexpr (Watched) {
        tell_spawn(crew, task); // before it can run
    }
    if (scope.submit(task)) {
        begin_ready<Watched>(crew, task);
    } // else its predecessors begin it
    if constexpr (Watched) {
        if (task_manager* const manager = task_manager::of(crew)) {
            begin_managed(*manager, crew, enclosing);
        }
    }
}

// Out of line, so that what nobody watches does without their registers, too.
[[gnu::noinline]] void run_watched(worker& self, dependent_task* task) noexcept { run_spawned<true>(self, task); }
[[gnu::noinline]] void begin_watched(task_scope& scope, dependent_task& task) { begin_in<true>(scope, task); }

// For a thread that gets no slot: it sleeps, and the workers run the tasks. Others may spawn meanwhile.
void sleep_until(task_scope::few_children& condition) noexcept {
    bell b;
    while (!condition.done()) {
        b.prepare();
        if (condition.arm(b)) {
            b.wait();
            condition.disarm();
        } else {
            b.cancel();
        }
    }
    machine::discard_all(coherence_step::task_joined);
}

// Runs children until half of those that may be unfinished are left. Out of line: a spawn seldom needs its frame.
// Errors: of a thread without a slot, as enter_default_team(), if no worker would run them instead.
[[gnu::noinline]] void run_some_children(task_scope& scope) {
    task_scope::few_children condition(scope, most_children / 2);
    std::optional<region_guard> region;
    if (current_page == nullptr) {
        try {
            region.emplace();
        } catch (const std::exception&) { // no slot is free
            if (scope.crew().workers() == 1) {
                throw;
            }
            sleep_until(condition);
            return;
        }
    }
    worker& self = worker::of(*current_page);
    self.home.wait_from_here(self, wanted::within(&scope.parent()), condition, "spawn: too many unfinished tasks",
                             &scope);
}

} // namespace

void end_away(dependent_task& task, const std::string* error) noexcept {
    if (error != nullptr) {
        fail(task, std::make_exception_ptr(remote_error(*error)));
    }
    if (task.containers == 0) { // else complete() does it
        task.type.drop(task);
    }
    beside = crossing::around(task.home->crew()).messages().track();
    complete_beside<true>(task);
    beside = {};
}

spawn_place current_place() {
    const context& here = current_context();
    const context& enclosing = here.frame();
    const task_context& parent = *enclosing.spawner;
    return {enclosing, parent, enclosing.pending == parent.pending ? nullptr : enclosing.pending, left_by(here)};
}

void execute_spawned(task_header* header) noexcept {
    worker& self = worker::of(*current_page);
    auto* const task = static_cast<dependent_task*>(header);
    if (task->home->crew().watched()) [[unlikely]] {
        run_watched(self, task);
    } else {
        run_spawned<false>(self, task);
    }
}

void begin_spawned(dependent_task& task) {
    task_scope* const known = task_scope::existing(*task.own.child_of);
    task_scope& scope = known != nullptr ? *known : task_scope::of(*task.own.child_of, current_team());
    if (scope.children() >= most_children) [[unlikely]] {
        run_some_children(scope); // before the task has begun: this may throw
    }
    if (scope.crew().watched()) [[unlikely]] {
        begin_watched(scope, task);
    } else {
        begin_in<false>(scope, task);
    }
}

void wait_for_accesses(const access* first, std::size_t count, const container_access* containers,
                       std::uint8_t container_count) {
    std::optional<region_guard> region;
    if (current_page == nullptr) {
        region.emplace();
    }
    const spawn_place here = current_place();
    const spawn_place place{here.enclosing, here.parent, nullptr}; // the caller waits itself
    task_scope* const scope = task_scope::existing(place.parent);
    if (scope == nullptr) {
        return;
    }
    auto task = std::make_unique<waiting_task>(place, std::span(first, count), std::span(containers, container_count),
                                               std::make_unique<access_node[]>(count + container_count));
    const bool ready = scope->submit(*task);
    waiting_task& waiter = *task.release(); // lives as long as its groups do
    if (task_manager* const manager = task_manager::of(scope->crew())) {
        begin_managed(*manager, scope->crew(), &place.enclosing);
    }
    if (!ready) {
        worker& self = worker::of(*current_page);
        self.home.wait_from_here(self, wanted::within(&scope->parent()), waiter, "taskwait_on", scope);
    }
    scope->crew().tell_waited(&scope->parent());
    machine::discard_all(coherence_step::turn_taken);
    const std::uint64_t reason = waiter.reason.load(memory_order::acquire);
    const bool waiter_lacks = waiter.lacks_cancelled();
    ready_list next;
    task_scope::finish(waiter, next);
    if (scope->crew().watched()) [[unlikely]] {
        hand_on(next, nullptr, nullptr, track_in<true>(scope->crew()), 0);
    } else {
        hand_on(next, nullptr, nullptr, null_trace(), 0);
    }
    scope->tidy_at_times();
    throw_if_stopping();
    if (waiter_lacks) {
        throw cancelled();
    }
    if (reason != no_child) {
        if (const std::exception_ptr error = scope->take_error_of(reason)) {
            std::rethrow_exception(error);
        }
    }
}

} // namespace skerry::inline SKERRY_ABI::detail

namespace skerry::inline SKERRY_ABI {

void taskwait() {
    using namespace detail;
    std::optional<region_guard> region;
    if (current_page == nullptr) {
        region.emplace();
    }
    worker& self = worker::of(*current_page);
    task_scope* const scope = task_scope::existing(*self.ctx->frame().spawner);
    if (scope == nullptr) {
        return;
    }
    const std::uint64_t before = scope->next_number();
    task_scope::few_children condition(*scope, 0);
    self.home.wait_from_here(self, wanted::within(&scope->parent()), condition, "taskwait", scope);
    scope->crew().tell_waited(&scope->parent());
    machine::discard_all(coherence_step::turn_taken);
    scope->tidy(before);
    if (const std::exception_ptr error = scope->take_error(0)) {
        std::rethrow_exception(error);
    }
    throw_if_stopping();
}

} // namespace skerry::inline SKERRY_ABI
