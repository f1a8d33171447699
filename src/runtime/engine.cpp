// SPDX-License-Identifier: Apache-2.0

#include "runtime/engine.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>

#include <skerry/detail/coherence/region_calls.hpp>
#include <skerry/detail/core/domain.hpp>
#include <skerry/detail/frontend/dataflow/spawned_task.hpp>
#include <skerry/detail/sched/named_section.hpp>
#include <skerry/detail/trace/names.hpp>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/cpu_limits.hpp"
#include "base/port/membarrier.hpp"
#include "base/port/process.hpp"
#include "deps/naming.hpp"
#include "deps/nexus/driver.hpp"
#include "deps/nexus/model.hpp"
#include "frontend/algorithm/name_of_leaves.hpp"
#include "frontend/forkjoin/coroutine_code.hpp"
#include "frontend/forkjoin/low_level_code.hpp"
#include "runtime/fork_guard.hpp"
#include "runtime/resolve.hpp"
#include "sched/ending.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Which slot the thread had last, and of which team: its next region takes the same one without a search.
struct slot_memory {
    std::uint64_t team = 0;
    worker* place = nullptr;
};
constinit thread_local slot_memory last_slot;

struct known_places {
    std::vector<unsigned> cpus;
    std::shared_ptr<const port::topology> places;
    const known_places* next;
};
constinit machine::atomic<const known_places*> all_places{nullptr}; // the newest first

// hwloc takes milliseconds: once for each set of CPUs that this process is given, or once more if two threads ask at
// the same time. What is known stays to the end of the process, where static destructors may still start a runtime.
std::shared_ptr<const port::topology> places_of(const std::vector<unsigned>& cpus) {
    const known_places* newest = all_places.load(memory_order::acquire); // <- the exchange below
    for (const known_places* known = newest; known != nullptr; known = known->next) {
        if (known->cpus == cpus) {
            return known->places;
        }
    }
    auto fresh = std::make_unique<known_places>(
        cpus, std::make_shared<const port::topology>(port::topology::of_this_machine(cpus)), newest);
    while (!all_places.compare_exchange_weak(fresh->next, fresh.get(), memory_order::acq_rel, // publishes the places
                                             memory_order::acquire)) {
    }
    return fresh.release()->places;
}

naming naming_of_any(const task_header& task) noexcept {
    if (task.run == &execute_spawned) {
        return naming_of(static_cast<const dependent_task&>(task));
    }
    if (const char* const name = name_of_leaves(task)) {
        return {trace_id(name), task_naming::text};
    }
    for (const std::uintptr_t code : {low_level_code(task), coroutine_code(task)}) {
        if (code != 0) {
            return {code, task_naming::code};
        }
    }
    return {trace_id(task.run), task_naming::code};
}

team_settings team_settings_of(engine* owner, const options& o, const std::vector<unsigned>& cpus,
                               wait_observer* observer) {
    team_settings s;
    s.owner = owner;
    s.workers = o.workers;
    s.max_slots = o.max_slots;
    s.protocol = o.steal == steal_mode::locked      ? steal_protocol::locked
                 : o.steal == steal_mode::interrupt ? steal_protocol::interrupt
                                                    : steal_protocol::asymmetric;
    s.trace_records = o.trace.empty() ? 0 : std::bit_floor(o.trace_memory / sizeof(trace_record));
    s.tells_itself = &execute_spawned;
    s.naming_of = &naming_of_any;
    s.observer = observer;
    if (o.workers > 1) {
        s.crowded = o.workers > port::read_cpu_limits().workers;
        s.places = places_of(cpus);
    }
    return s;
}

// Null: scopes order their tasks themselves.
std::unique_ptr<task_manager> manager_for(team& crew, const options& o) {
    if constexpr (!takes_events<machine>) {
        if (o.task_manager == task_manager_kind::nexus_model && processes::started_as(o.mpi).ranks <= 1) {
            return std::make_unique<nexus_driver>(crew, std::make_unique<nexus_model>());
        }
    }
    return nullptr;
}

} // namespace

engine::engine(const options& o)
    : options_(resolve(o)),
      names_told_(options_.steal == steal_mode::locked ? port::name_for::report : port::name_for::system),
      cpus_(port::process_cpus()),
      records_(options_.watchdog_seconds > 0 ? std::make_unique<wait_records>(options_.max_slots) : nullptr),
      team_(team_settings_of(this, options_, cpus_, records_.get())),
      manager_(manager_for(team_, options_)) {
    watch_forks();
    if (manager_ != nullptr) {
        team_.look_outward(manager_.get());
    }
    if (takes_events<machine> || !options_.trace.empty() || records_ != nullptr) {
        sections_wanted.store(sections::wanted, memory_order::release);
    } else {
        sections before = sections::not_known;
        sections_wanted.compare_exchange_strong(before, sections::unwanted, memory_order::release,
                                                memory_order::relaxed); // relaxed: whoever was before says it
    }
    if (!options_.trace.empty()) {
        if constexpr (takes_events<machine>) {
            throw std::invalid_argument("skerry: options::trace (SKERRY_TRACE) is '" + options_.trace +
                                        "': the host of a simulation writes its trace; skerry-sim --trace asks for it");
        }
        trace_clock_ = {
            .ticks_per_second = port::ticks_per_second(), .origin_ticks = port::ticks(), .origin_ns = port::now_ns()};
        place_ = processes::started_as(options_.mpi);
        if (place_.ranks > 1) {
            messages_ = std::make_unique<trace_buffer<machine>>(
                options_.max_slots, std::bit_floor(options_.trace_memory / sizeof(trace_record)), &port::ticks);
        }
        trace_ = std::make_unique<trace_entry>(options_.trace, place_, [this] { return take_trace(); });
    }
    try {
        bool slots_suffice = keep_a_slot_beside(0);
        for (unsigned i = 0; i + 1 < options_.workers && slots_suffice; ++i) {
            workers_.push_back(std::make_unique<background>());
            slots_suffice = start(*workers_.back(), &run_background, "worker", options_.pin);
        }
        if (!slots_suffice) {
            throw std::invalid_argument(
                "skerry: max_slots (SKERRY_MAX_SLOTS) is smaller than the number of threads needed");
        }
        if (records_ != nullptr) {
            const auto permits = [this] {
                return lent_permits{.blocked = permits_.blocked(),
                                    .standing_in = permits_.standing_in(),
                                    .most = options_.blocking_threads};
            };
            watchdog_ = std::make_unique<watchdog>(team_, *records_, options_.watchdog_seconds, permits, names_told_);
        }
    } catch (...) {
        stop();
        throw;
    }
}

engine::~engine() {
    if (team_.orphaned()) { // the child of a fork: the threads are not here
        for (const auto& b : workers_) {
            b->thread.forget();
        }
        for (const auto& b : substitutes_) {
            b->thread.forget();
        }
        reserve_thread_.thread.forget();
        if (watchdog_ != nullptr) {
            watchdog_->forget();
        }
        static_cast<void>(processes_.release()); // the parent's part in the program, not the child's
        static_cast<void>(part_.release());      // its threads are not here
        static_cast<void>(manager_.release());   // one of these may hold its lock
        return;
    }
    // What was submitted and nobody waits for is run before the workers go: V5 of src/sched.
    if (current_page != nullptr && &worker::of(*current_page).home == &team_) {
        fatal("a runtime is destroyed by a task that runs in it");
    }
    enter();
    end_runtime(worker::of(*current_page), this, [this] { stop(); });
    processes_.reset(); // after the threads that look there
    part_.reset();      // after the last loop
    for (unsigned i = 0; i < team_.slots(); ++i) {
        if (team_.slot(i).taken.load(memory_order::acquire)) {
            fatal("a runtime is destroyed while another thread is inside it");
        }
    }
    end_root_region(root_.load(memory_order::acquire)); // R2 <- R1
    if (trace_ != nullptr) {
        trace_->write();
    }
}

region_id engine::root() {
    region_id found = root_.load(memory_order::acquire); // R2 <- R1
    if (found == region_id::none) {
        const region_id fresh = create_root_region();
        if (root_.compare_exchange_strong(found, fresh, memory_order::acq_rel, // R1 -> R2: publishes the region
                                          memory_order::acquire)) {
            return fresh;
        }
        end_root_region(fresh); // another thread was faster
    }
    return found;
}

engine& engine::of_this_process(machine::atomic<engine*>& place) {
    engine* found = place.load(memory_order::acquire); // F2 <- F1
    if (!found->team_.orphaned()) [[likely]] {
        return *found;
    }
    const std::lock_guard lock(standard_engine_mutex());
    found = place.load(memory_order::acquire); // F2 <- F1
    if (found->team_.orphaned()) {
        auto fresh = std::make_unique<engine>(found->options_);
        fresh->root_.store(found->root_.load(memory_order::relaxed), memory_order::relaxed); // relaxed: under the lock
        // Let go without its end: its locks may be held by threads of the parent process.
        fresh->of_parent_ = found;
        place.store(fresh.get(), memory_order::release); // F1 -> F2: publishes the engine
        return *fresh.release();
    }
    return *found;
}

region_id engine::root_at(const machine::atomic<engine*>& place) {
    engine* const found = place.load(memory_order::acquire); // F2 <- F1
    if (!found->team_.orphaned()) [[likely]] {
        return found->root();
    }
    // Who replaces the engine meanwhile would not take over a root that is made now.
    const std::lock_guard lock(standard_engine_mutex());
    return place.load(memory_order::acquire)->root(); // F2 <- F1
}

void engine::stop() noexcept {
    watchdog_.reset();
    stop_threads(team_, reserve_, permits_, [this] {
        for (const auto& b : workers_) {
            if (b->thread.joinable()) {
                b->thread.join();
                team_.free_slot(*b->place);
            }
        }
        if (reserve_thread_.thread.joinable()) {
            reserve_thread_.thread.join();
            team_.free_slot(*reserve_thread_.place);
        }
        for (const auto& b : substitutes_) {
            b->thread.join();
            team_.free_slot(*b->place);
        }
    });
}

// --- threads --------------------------------------------------------------------------------------------------------

bool engine::start(background& b, void (*body)(void*), const char* role, bool pinned) {
    b.home = this;
    b.place = nullptr;
    const unsigned owned = owned_.fetch_add(1, memory_order::relaxed) + 1; // relaxed: a number
    try {
        b.place = keep_a_slot_beside(owned) ? team_.take_slot(nullptr) : nullptr;
        if (b.place == nullptr) {
            owned_.fetch_sub(1, memory_order::relaxed);
            return false;
        }
        b.place->role.store(role, memory_order::release); // release: nobody may take it for null for ever
        const std::string full = "skerry " + std::string(role) + " " + std::to_string(b.place->slot);
        b.thread.start(options_.stack_size, full.c_str(), body, &b,
                       pinned ? std::optional<unsigned>(cpus_[b.place->slot % cpus_.size()]) : std::nullopt,
                       names_told_);
        return true;
    } catch (...) {
        owned_.fetch_sub(1, memory_order::relaxed);
        if (b.place != nullptr) {
            team_.free_slot(*b.place);
        }
        throw;
    }
}

void engine::run_background(void* self) {
    const background& b = *static_cast<background*>(self);
    team::sit_down(*b.place);
    b.home->team_.work(*b.place, [] { return false; });
    current_page = nullptr;
}

void engine::run_reserve(void* self) {
    const background& b = *static_cast<background*>(self);
    team::sit_down(*b.place);
    b.home->reserve_.stand_by(*b.place);
    current_page = nullptr;
}

bool engine::start_reserve() {
    if (reserve_runs_.load(memory_order::acquire)) {
        return true;
    }
    const std::lock_guard lock(reserve_mutex_);
    if (!reserve_runs_.load(memory_order::acquire)) {
        if (!start(reserve_thread_, &run_reserve, "reserve", false)) {
            return false;
        }
        reserve_runs_.store(true, memory_order::release);
    }
    return true;
}

// --- other processes ------------------------------------------------------------------------------------------------

void engine::join_processes() {
    if (processes_known_.load(memory_order::acquire)) { // J1 <- J2
        return;
    }
    const std::lock_guard lock(processes_mutex_);
    if (processes_known_.load(memory_order::relaxed)) {
        return;
    }
    processes_ = processes::join(team_, options_, messages_.get());
    if (processes_ != nullptr && processes_->helps()) {
        helps_.store(true, memory_order::release); // J4 -> J3
        if (records_ != nullptr) {
            records_->runs(worker::of(*current_page).slot, {}); // nothing of the program's but the tasks it takes
        }
        processes_->serve(worker::of(*current_page));
        std::exit(EXIT_SUCCESS); // whoever else came waits for the lock until then
    }
    processes_known_.store(true, memory_order::release); // J2 -> J1
}

// --- threads from outside -------------------------------------------------------------------------------------------

void engine::enter() {
    worker* const hint = last_slot.team == team_.serial() ? last_slot.place : nullptr;
    worker* const place = team_.take_slot(hint);
    if (place == nullptr) {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                                "skerry: all " + std::to_string(options_.max_slots) +
                                    " slots are taken by threads inside the runtime; raise options::max_slots or "
                                    "SKERRY_MAX_SLOTS");
    }
    last_slot = {team_.serial(), place};
    place->outer = current_page;
    team::sit_down(*place, true);
    if (records_ != nullptr) { // what runs from here on is no task of a deque, and may last as long as one
        const std::uint64_t now = port::now_ns();
        records_->runs(place->slot, {.what = {}, .since = now, .task_since = now});
    }
}

void engine::leave() noexcept { leave_slot(worker::of(*current_page)); }

void engine::submit(loose_task& task) {
    if (options_.workers == 1 && !start_reserve()) { // nobody else would run it
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                                "skerry: no slot is left for the thread that runs what comes from outside; raise "
                                "options::max_slots or SKERRY_MAX_SLOTS");
    }
    try_to_start_reserve();
    submit_to(team_, reserve_, task);
}

void engine::hand_over(loose_task& task) noexcept {
    try_to_start_reserve();
    submit_to(team_, reserve_, task, true); // with no reserve and one worker, it is for that one's wait
}

void engine::try_to_start_reserve() noexcept {
    try {
        static_cast<void>(start_reserve());
    } catch (const std::exception&) { // as without a slot
        // The workers run the task when they have time.
    }
}

// --- blocking -------------------------------------------------------------------------------------------------------

void engine::begin_blocking() noexcept {
    worker& self = worker::of(*current_page);
    if (records_ != nullptr) {
        records_->blocks(self.slot);
    }
    ++self.blocking;
    self.mine().share_all(); // no thief need wait for an answer meanwhile
    permits_.lend([this] {
        try {
            auto fresh = std::make_unique<background>();
            substitutes_.reserve(substitutes_.size() + 1);
            if (!start(*fresh, &run_substitute, "stand-in", false)) {
                return false;
            }
            substitutes_.push_back(std::move(fresh));
            return true;
        } catch (const std::exception&) {
            return false;
        }
    });
}

void engine::end_blocking() noexcept {
    worker& self = worker::of(*current_page);
    if (records_ != nullptr) {
        records_->blocks_no_more(self.slot);
    }
    --self.blocking;
    permits_.take_back();
}

void engine::run_substitute(void* self) {
    const background& b = *static_cast<background*>(self);
    team::sit_down(*b.place);
    b.home->permits_.stand_in(*b.place);
    current_page = nullptr;
}

// --- reports --------------------------------------------------------------------------------------------------------

engine_part& engine::part(std::unique_ptr<engine_part> (*make)(const options&)) {
    const std::lock_guard lock(part_mutex_);
    if (part_ == nullptr) {
        part_ = make(options_);
    }
    return *part_;
}

statistics engine::stats() const noexcept {
    statistics s;
    s.overlaps = team_.overlaps();
    s.slots_high_water = team_.slots();
    for (unsigned i = 0; i < team_.slots(); ++i) {
        const counters& c = team_.slot(i).count;
        s.tasks += c.tasks.read();
        s.steals_asked += c.asked.read();
        s.steals_granted += c.granted.read();
        s.steals_refused += c.refused.read();
        s.steals_asymmetric += c.asymmetric.read();
        s.sleeps += c.sleeps.read();
        s.wakes += c.wakes.read();
        s.deque_high_water = std::max(s.deque_high_water, c.deepest.read());
    }
    if (manager_ != nullptr) {
        s.managed_tasks = manager_->managed_tasks();
        s.unmanaged_tasks = manager_->unmanaged_tasks();
    }
    {
        const std::lock_guard lock(part_mutex_);
        s.kernel_iterations = part_ != nullptr ? part_->kernel_iterations() : 0;
    }
    s.threads_high_water = workers_.size() + permits_.threads() + (reserve_runs_.load(memory_order::acquire) ? 1U : 0U);
    return s;
}

trace_part engine::take_trace() const {
    constexpr double long_enough_ns = 1e7; // for a rate that is better than what was measured at the start
    trace_part part;
    if (place_.rank != 0 && !helps_.load(memory_order::acquire)) { // J3 <- J4
        return part;                                               // the first process has the program's
    }
    part.rank = place_.rank;
    part.name =
        "skerry runtime with " + std::to_string(options_.workers) + (options_.workers == 1 ? " worker" : " workers");
    if (place_.ranks > 1) {
        part.name = "process " + std::to_string(place_.rank) + ": " + part.name;
    }
    part.clock = trace_clock_;
    const auto ns = static_cast<double>(port::now_ns() - trace_clock_.origin_ns);
    if (ns > long_enough_ns) {
        part.clock.ticks_per_second = static_cast<double>(port::ticks() - trace_clock_.origin_ticks) * 1e9 / ns;
    }
    const auto add = [&part](const trace_buffer<machine>& events, std::string name) {
        trace_snapshot s = events.snapshot();
        part.executors.push_back({.number = events.executor(),
                                  .name = std::move(name),
                                  .dropped = s.dropped,
                                  .records = std::move(s.records)});
    };
    for (unsigned i = 0; i < team_.slots(); ++i) {
        const worker& w = team_.slot(i);
        name_code(trace_id(w.hole.run), "nothing: the task was taken out of the deque");
        const char* const role = w.role.load(memory_order::acquire);
        add(*w.events,
            std::string(role != nullptr ? role : "threads from outside, slot").append(" ").append(std::to_string(i)));
    }
    if (messages_ != nullptr) {
        add(*messages_, "messages");
    }
    resolve_names(part);
    return part;
}

std::vector<executor_statistics> engine::executors() const {
    std::vector<executor_statistics> all;
    const processes* const others =
        processes_known_.load(memory_order::acquire) ? processes_.get() : nullptr; // J1 <- J2
    const unsigned self = others != nullptr ? others->self() : 0;
    for (unsigned i = 0; i < team_.slots(); ++i) {
        const counters& c = team_.slot(i).count;
        if (c.tasks.read() != 0) {
            all.push_back({"worker " + std::to_string(i), static_cast<unsigned>(domain_of(self, i)), c.tasks.read(),
                           c.granted.read()});
        }
    }
    if (others != nullptr) {
        for (const crossing::peer_counts& p : others->counts()) {
            all.push_back({"process " + std::to_string(p.process), p.process, p.tasks, p.taken});
        }
    }
    return all;
}

engine& engine::of(worker_page& page) noexcept { return *static_cast<engine*>(worker::of(page).home.owner()); }

} // namespace skerry::inline SKERRY_ABI::detail
