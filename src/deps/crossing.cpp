// SPDX-License-Identifier: Apache-2.0

#include "deps/crossing.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string>

#include <skerry/detail/sched/stopping.hpp>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/process.hpp"
#include "base/port/thread.hpp"
#include "coherence/arena.hpp"
#include "coherence/exposure.hpp"
#include "deps/crossing_table.hpp"
#include "deps/crossing_under_way.hpp"
#include "deps/name_table.hpp"
#include "deps/naming.hpp"
#include "deps/placement.hpp"
#include "deps/undeclared.hpp"
#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// The status of a process that cannot go on because another has died.
constexpr int lost_a_process = 75;

// How long a worker may not have looked for messages before the stand-in does.
constexpr std::uint64_t stand_in_after_ns = 20'000;
constexpr std::uint64_t stand_in_sleep_ns = 50'000'000;
// How long nobody may have looked for messages before one who makes tasks does: thieves may have asked.
constexpr double look_every_s = 20e-6;
// Where workers look for messages that often, between their tasks, the stand-in does not look for so long unless it is
// urged: each time it would take the CPU from one of them.
constexpr double often_s = 500e-6;
constexpr std::uint64_t nap_ns = 1'000'000;
// So many bytes does a worker bring before it looks for work again: about 100 us.
constexpr std::size_t most_ahead = std::size_t{256} << 10;
// A process that cannot be read any more has ended, and so much later its end has been told.
constexpr std::uint64_t patience_ns = 5'000'000'000;
constexpr std::uint64_t unreadable_sleep_ns = 1'000'000;

} // namespace

crossing::crossing(team& home, std::unique_ptr<fabric::endpoint> f, task_ends ends, bool guard,
                   trace_buffer<machine>* track)
    : outward(beyond_team::processes),
      home_(home),
      ends_(ends),
      types_(crossing_table::instance()),
      imports_context_(&home.root(), nullptr, nullptr, nullptr),
      imports_(imports_context_, home),
      look_every_(static_cast<std::uint64_t>(look_every_s * port::ticks_per_second())),
      often_(static_cast<std::uint64_t>(often_s * port::ticks_per_second())),
      counts_(f->describe().peers),
      copies_(steal_, f->describe().peers),
      came_back_(f->describe().peers),
      steal_(std::move(f), *this, track) {
    closed_.begin(nullptr);
    home_.look_outward(this);
    if (guard && steal_.self() != 0) {
        watch_undeclared();
    }
    steal_.poll(); // the first tickets
}

crossing::~crossing() { home_.look_outward(nullptr); }

void crossing::close() noexcept {
    closing_.store(true, memory_order::relaxed); // relaxed: the driver passes through the steal's lock
    steal_.close_all();
}

namespace {

// The first process has closed, as a wait sees it.
struct closed_by_the_first {
    join_word<machine>& word;

    bool done() const noexcept { return word.done(); }
    bool arm(bell& b) noexcept { return word.try_wait(&b); }
    bool disarm() noexcept { return word.stop_waiting(nullptr); }
};

} // namespace

void crossing::serve(worker& self) noexcept {
    closed_by_the_first condition{closed_};
    home_.wait(self, wanted::any(), 0, condition, "work from other processes", this);
}

namespace {

// Precondition: there is an arena.
bool in_the_arena(const void* at) noexcept { return arena::existing()->holds(reinterpret_cast<std::uintptr_t>(at), 1); }

// Whether a task may make elements for a container that had none outside of itself: nobody knows where from, and in
// another process that may be memory that only that one has.
bool may_begin_elements(const dependent_task& task) noexcept {
    for (std::uint32_t i = 0; i < task.containers; ++i) {
        const access& container = task.container_name(i);
        const access& elements = task.elements(i).what;
        if (writes(container.mode) && (elements.nothing() || overlapping(elements, container)) &&
            std::ranges::none_of(std::span(task.nodes, task.node_count), [&container](const access_node& n) {
                return n.what.kind == access_kind::region && contains(n.what, container);
            })) {
            return true;
        }
    }
    return false;
}

} // namespace

bool crossing::can_go(const dependent_task& task) const noexcept {
    const arena* const a = arena::existing();
    // What came from elsewhere goes no further, but back. What declares nothing stays, since nobody could know what its
    // children will need of the objects that are here.
    if (task.type.crossing == nullptr || task.stays || task.import != nullptr || a == nullptr || task.node_count == 0 ||
        task.skipped() || stops(task.own) || (task.containers != 0 && may_begin_elements(task))) {
        return false;
    }
    return std::ranges::all_of(task.all_nodes(),
                               [a](const access_node& n) {
                                   return n.what.kind == access_kind::region || n.what.nothing() ||
                                          a->holds(n.what.first, box_of(n.what).span());
                               }) &&
           (task.type.crossing->goes == nullptr || task.type.crossing->goes(task, &in_the_arena));
}

void crossing::offer() noexcept {
    if (steal_.thieves_wait() || port::ticks() - steal_.driven_at() > look_every_) {
        steal_.poll();
    }
}

message_steal::appetite crossing::wants(unsigned from) {
    return placement::appetite({.first = steal_.self() == 0,
                                .workers = home_.workers(),
                                .idle = idle_.load(memory_order::relaxed), // relaxed, all: hints
                                .waiting = waiting_.load(memory_order::relaxed),
                                .joining = joining_.load(memory_order::relaxed),
                                .here = steal_.here(),
                                .unbegun = unbegun_.load(memory_order::relaxed),
                                .queued = home_.any_injected(),
                                .lent = !away_.empty()},
                               from);
}

// For workers. bring() is called with the lock held. A process that does not let itself be read has ended, most likely;
// then this one will be told so and end, too.
template <class Bring>
void crossing::bring_or_end(Bring&& bring) noexcept {
    for (std::uint64_t since = 0;;) {
        try {
            const std::lock_guard lock(copies_mutex_);
            if (bring()) {
                return;
            }
        } catch (const std::bad_alloc&) {
            fatal("out of memory for a task between two processes");
        }
        const std::uint64_t now = port::now_ns();
        since = since != 0 ? since : now;
        if (now - since > patience_ns) {
            fatal("a process that goes on does not let what it wrote be read");
        }
        steal_.poll(); // until its end is told, which ends this process, too
        port::sleep_ns(unreadable_sleep_ns);
    }
}

void crossing::begins_here(worker& self, const dependent_task& task) noexcept {
    if (port::ticks() - steal_.driven_at() > look_every_) {
        steal_.glance();
    }
    if (task.import != nullptr) {
        unbegun_.fetch_sub(1, memory_order::relaxed);
        self.count.granted.add();
        if (exposure* const guard = exposure::active()) {
            guard->open(&task, task.import->opens);
        }
    }
    bring_or_end([&] { return hand_over(task, self.trace); });
}

// What the task may touch is here, and what it may write is nowhere else any more. With copies_mutex_ held.
bool crossing::hand_over(const dependent_task& task, trace_sink<machine> track) {
    return std::ranges::all_of(task.all_nodes(), [&](const access_node& n) {
        if (!copies_.bring(n.what, held_copies::nobody, track)) {
            return false;
        }
        if (writes(n.what.mode)) {
            copies_.forget(n.what, steal_.self());
        }
        return true;
    });
}

void crossing::waited(const task_context* parent) noexcept {
    const bool inside = current_page != nullptr && &worker::of(*current_page).home == &home_;
    const trace_sink<machine> track = inside ? worker::of(*current_page).trace : trace_sink<machine>();
    // What a parent's children touch is part of what it has declared itself, if it has.
    const dependent_task* const task = parent != nullptr ? parent->task : nullptr;
    bring_or_end([&] {
        if (task != nullptr && task->node_count != 0) {
            return hand_over(*task, track);
        }
        if (!copies_.bring_all(track)) {
            return false;
        }
        copies_.forget_all();
        return true;
    });
}

bool crossing::will_read(const void* first, std::size_t bytes) noexcept {
    const bool inside = current_page != nullptr && &worker::of(*current_page).home == &home_;
    const std::lock_guard lock(copies_mutex_);
    try {
        return copies_.bring(reinterpret_cast<std::uintptr_t>(first), bytes, held_copies::nobody,
                             inside ? worker::of(*current_page).trace : trace_sink<machine>());
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void crossing::lost(const fabric::failure& end) {
    if (!end.killed && end.number == 0 && (end.peer == 0 || closing_.load(memory_order::relaxed))) {
        closing(); // the first has ended without destroying its runtime, or this is the first and has closed
        return;
    }
    if (!end.killed && end.number == 0 && steal_.self() != 0) {
        return; // the first has closed, that one has heard it already, and this one will
    }
    std::string text = "skerry: " + end.text();
    std::size_t held = 0;
    std::string names;
    for (const auto& [where, lent] : away_) {
        if (where.first == end.peer) {
            ++held;
            names.append(names.empty() ? "" : ", ").append(name_of(*lent.task));
        }
    }
    text += held == 0 ? "; it held no task"
                      : "; it held " + std::to_string(held) + (held == 1 ? " task: " : " tasks: ") + names;
    if (held != 0 && end.killed && port::is_memory_fault(end.number)) {
        text += "; pointers to memory outside regions do not cross, neither in a value nor in an object";
    }
    ends_.dying();
    port::end_with(text + "\n", lost_a_process);
}

void crossing::copied(std::uint64_t word, bool arrived) {
    if ((word & departure) != 0) {
        auto* const import = reinterpret_cast<imported_task*>(word & ~departure);
        if (arrived) {
            report(*import);
        }
        return;
    }
    if ((word & homecoming) != 0) {
        const std::unique_ptr<return_home> home(reinterpret_cast<return_home*>(word & ~homecoming));
        if (arrived) {
            end_here(*home);
        }
        return;
    }
    arrival& a = *reinterpret_cast<arrival*>(word);
    if (arrived) { // else the victim is gone, and so is this process soon
        a.complete = true;
        let_in();
    }
}

void crossing::errands() {
    imported_task* list = nullptr;
    {
        const std::lock_guard lock(finished_mutex_);
        list = std::exchange(finished_, nullptr);
    }
    while (list != nullptr) {
        imported_task& import = *list;
        list = list->next_finished;
        if (import.unbegun != nullptr) {
            drop_unbegun(import);
        }
        import.keeps =
            import.keeps && import.error == nullptr && import.regions.empty() && exposure::active() == nullptr;
        if (import.unbegun != nullptr || import.written.empty() || import.keeps) {
            report(import);
        } else {
            steal_.copy(import.victim, fabric::direction::push, import.written,
                        reinterpret_cast<std::uint64_t>(&import) | departure); // X3, also what a failed task wrote
        }
    }
}

std::vector<crossing::peer_counts> crossing::counts() const {
    const std::lock_guard lock(copies_mutex_);
    std::vector<peer_counts> known;
    std::ranges::copy_if(counts_, std::back_inserter(known), [](const peer_counts& c) { return c.tasks != 0; });
    return known;
}

bool crossing::search() noexcept {
    searched_at_.store(port::now_ns(), memory_order::relaxed);
    const std::optional<bool> came = steal_.glance();
    if (!came.has_value()) {
        port::yield(); // to the thread that drives: it may have work for this one, and it may wait for the copies
        return true;
    }
    return !*came && bring_ahead();
}

// Something of what is kept, by a worker that has nothing else to do: sooner or later it is needed here.
bool crossing::bring_ahead() noexcept {
    if (!copies_mutex_.try_lock()) {
        return false;
    }
    const std::lock_guard lock(copies_mutex_, std::adopt_lock);
    try {
        return copies_.bring_some(most_ahead, worker::of(*current_page).trace);
    } catch (const std::bad_alloc&) {
        return false; // it is still kept
    }
}

void crossing::idles(wanted w) noexcept {
    counted_idle(w).fetch_add(1, memory_order::relaxed);
    steal_.glance(); // the tickets first
    steal_.urge();
}

void crossing::falls_asleep() noexcept {
    if (unbegun_.load(memory_order::acquire) != 0 && return_stranded()) {
        steal_.poll();
    }
    steal_.wake(); // from now on the stand-in listens
}

// A hint. Who stops computing wakes the stand-in after that.
bool crossing::all_compute() const noexcept {
    return idle_.load(memory_order::relaxed) == 0 && waiting_.load(memory_order::relaxed) == 0 &&
           joining_.load(memory_order::relaxed) == 0;
}

void crossing::stand_in() noexcept {
    const std::uint64_t now = port::now_ns();
    if (now - searched_at_.load(memory_order::relaxed) < stand_in_after_ns) {
        port::sleep_ns(stand_in_after_ns);
    } else if (all_compute() && port::ticks() - steal_.polled_at() < often_) {
        steal_.nap(now + nap_ns);
    } else {
        steal_.wait(now + stand_in_sleep_ns);
    }
}

void crossing::closing() {
    if (void* const sleeper = closed_.finish()) {
        static_cast<bell*>(sleeper)->deliver();
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
