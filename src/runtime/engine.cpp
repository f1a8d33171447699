// SPDX-License-Identifier: Apache-2.0

#include "runtime/engine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/panic.hpp"
#include "base/port/cpu_limits.hpp"
#include "base/port/membarrier.hpp"
#include "base/port/process.hpp"
#include "frontend/forkjoin/latch_done.hpp"
#include "runtime/fork_guard.hpp"
#include "runtime/resolve.hpp"

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
};
constinit machine::atomic<const known_places*> last_places{nullptr};

// hwloc takes milliseconds: once for each set of CPUs that this process is given. What is known stays to the end of the
// process, where static destructors may still start a runtime.
std::shared_ptr<const port::topology> places_of(const std::vector<unsigned>& cpus) {
    const known_places* known = last_places.load(std::memory_order_acquire);
    if (known == nullptr || known->cpus != cpus) {
        auto places = std::make_shared<const port::topology>(port::topology::of_this_machine(cpus));
        known = new known_places{cpus, std::move(places)};
        last_places.store(known, std::memory_order_release);
    }
    return known->places;
}

team_settings team_settings_of(engine* owner, const options& o, const std::vector<unsigned>& cpus) {
    team_settings s;
    s.owner = owner;
    s.workers = o.workers;
    s.max_slots = o.max_slots;
    s.protocol = o.steal == steal_mode::locked ? steal_protocol::locked : steal_protocol::asymmetric;
    if (o.workers > 1) {
        s.crowded = o.workers > port::read_cpu_limits().workers;
        s.places = places_of(cpus);
    }
    return s;
}

} // namespace

engine::engine(const options& o)
    : options_(resolve(o)),
      cpus_(port::process_cpus()),
      team_(team_settings_of(this, options_, cpus_)) {
    watch_forks();
    try {
        for (unsigned i = 0; i + 1 < options_.workers; ++i) {
            workers_.push_back(std::make_unique<background>());
            start(*workers_.back(), &run_background, "skerry worker", options_.pin);
        }
        if (options_.watchdog_seconds > 0) {
            watchdog_ = std::make_unique<watchdog>(team_, options_.watchdog_seconds);
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
        reserve_.thread.forget();
        if (watchdog_ != nullptr) {
            watchdog_->forget();
        }
        return;
    }
    // What was submitted and nobody waits for is run before the workers go.
    if (current_page != nullptr && &worker::of(*current_page).home == &team_) {
        fatal("a runtime is destroyed by a task that runs in it");
    }
    enter();
    worker& self = worker::of(*current_page);
    arrive(team_.detached());
    latch_done condition{team_.detached()};
    team_.wait(self, wanted::any(), 0, condition, "end of the runtime: tasks submitted to it", this);
    leave();
    stop();
    for (unsigned i = 0; i < team_.slots(); ++i) {
        if (team_.slot(i).taken.load(std::memory_order_acquire)) {
            fatal("a runtime is destroyed while another thread is inside it");
        }
    }
}

void engine::stop() noexcept {
    watchdog_.reset();
    team_.stop();
    reserve_bell_.notify();
    {
        const std::lock_guard lock(substitutes_mutex_);
        substitute_wanted_.notify_all();
    }
    for (const auto& b : workers_) {
        if (b->thread.joinable()) {
            b->thread.join();
            team_.free_slot(*b->place);
        }
    }
    if (reserve_.thread.joinable()) {
        reserve_.thread.join();
        team_.free_slot(*reserve_.place);
    }
    for (const auto& b : substitutes_) {
        b->thread.join();
        team_.free_slot(*b->place);
    }
}

// --- threads --------------------------------------------------------------------------------------------------------

void engine::start(background& b, void (*body)(void*), const char* name, bool pinned) {
    b.home = this;
    b.place = team_.take_slot(nullptr);
    if (b.place == nullptr) {
        throw std::invalid_argument(
            "skerry: max_slots (SKERRY_MAX_SLOTS) is smaller than the number of threads needed");
    }
    try {
        const std::string full = std::string(name) + " " + std::to_string(b.place->slot);
        b.thread.start(options_.stack_size, full.c_str(), body, &b,
                       pinned ? std::optional<unsigned>(cpus_[b.place->slot % cpus_.size()]) : std::nullopt);
    } catch (...) {
        team_.free_slot(*b.place);
        throw;
    }
}

void engine::run_background(void* self) {
    const background& b = *static_cast<background*>(self);
    current_page = b.place;
    b.home->team_.work(*b.place, [] { return false; });
    current_page = nullptr;
}

void engine::run_reserve(void* self) {
    const background& b = *static_cast<background*>(self);
    engine& home = *b.home;
    current_page = b.place;
    while (!home.team_.stopping()) {
        home.reserve_bell_.prepare();
        if (home.team_.any_injected() || home.team_.stopping()) {
            home.reserve_bell_.cancel();
        } else {
            home.reserve_bell_.wait();
        }
        serve(*b.place);
    }
    current_page = nullptr;
}

// Runs what was injected and what that leaves in the own deque.
void engine::serve(worker& place) noexcept {
    for (;;) {
        task_header* task = place.mine().take_newest(0);
        if (task == nullptr) {
            task = place.home.take_injected(place, wanted::any());
        }
        if (task == nullptr) {
            return;
        }
        const activity_scope doing(place.doing, "running tasks", nullptr);
        place.home.execute(place, *task);
    }
}

void engine::start_reserve() {
    std::call_once(reserve_once_, [this] {
        start(reserve_, &run_reserve, "skerry reserve", false);
        reserve_runs_.store(true, std::memory_order_release);
    });
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
    current_page = place;
}

void engine::leave() noexcept {
    worker& self = worker::of(*current_page);
    self.home.check_process();
    while (task_header* const task = self.mine().take_newest(0)) {
        self.home.execute(self, *task); // begun here, waited for nowhere
    }
    current_page = self.outer;
    self.home.free_slot(self);
}

void engine::submit(loose_task& task) {
    if (options_.workers == 1) {
        start_reserve(); // nobody else would run it
    } else {
        try {
            start_reserve();
        } catch (const std::system_error&) {
            // The workers run it when they have time.
        }
    }
    team_.inject(task);
    machine::full_fence(); // the task before the look at the bell
    reserve_bell_.notify();
}

// --- blocking -------------------------------------------------------------------------------------------------------

bool engine::substitute_retires() const noexcept {
    return substitutes_active_.load(std::memory_order_relaxed) > blocked_.load(std::memory_order_relaxed);
}

void engine::begin_blocking() noexcept {
    worker& self = worker::of(*current_page);
    self.mine().share_all(); // no thief need wait for an answer meanwhile
    const std::lock_guard lock(substitutes_mutex_);
    blocked_.fetch_add(1, std::memory_order_relaxed);
    if (substitutes_active_.load(std::memory_order_relaxed) >= blocked_.load(std::memory_order_relaxed)) {
        return;
    }
    if (substitutes_parked_ > calls_for_substitutes_) {
        ++calls_for_substitutes_;
        substitutes_active_.fetch_add(1, std::memory_order_relaxed);
        substitute_wanted_.notify_one();
        return;
    }
    if (substitutes_.size() >= options_.blocking_threads) {
        return;
    }
    try {
        auto fresh = std::make_unique<background>();
        substitutes_.reserve(substitutes_.size() + 1);
        start(*fresh, &run_substitute, "skerry stand-in", false);
        substitutes_.push_back(std::move(fresh));
        substitutes_active_.fetch_add(1, std::memory_order_relaxed);
    } catch (const std::exception&) {
        // No thread to be had: the others do the work, later.
    }
}

void engine::end_blocking() noexcept { blocked_.fetch_sub(1, std::memory_order_relaxed); }

void engine::run_substitute(void* self) {
    const background& b = *static_cast<background*>(self);
    engine& home = *b.home;
    current_page = b.place;
    std::unique_lock lock(home.substitutes_mutex_);
    while (!home.team_.stopping()) {
        lock.unlock();
        home.team_.work(*b.place, [&home] { return home.substitute_retires(); });
        machine::full_fence();
        home.team_.wake_any(); // a wake-up that came to this thread is passed on
        lock.lock();
        if (!home.substitute_retires()) {
            continue;
        }
        home.substitutes_active_.fetch_sub(1, std::memory_order_relaxed);
        ++home.substitutes_parked_;
        home.substitute_wanted_.wait(lock,
                                     [&home] { return home.calls_for_substitutes_ != 0 || home.team_.stopping(); });
        --home.substitutes_parked_;
        if (home.calls_for_substitutes_ != 0) {
            --home.calls_for_substitutes_;
        }
    }
    current_page = nullptr;
}

// --- reports --------------------------------------------------------------------------------------------------------

statistics engine::stats() const noexcept {
    statistics s;
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
    const std::lock_guard lock(substitutes_mutex_);
    s.threads_high_water =
        workers_.size() + substitutes_.size() + (reserve_runs_.load(std::memory_order_acquire) ? 1U : 0U);
    return s;
}

engine& engine::of(worker_page& page) noexcept { return *static_cast<engine*>(worker::of(page).home.owner()); }

} // namespace skerry::inline SKERRY_ABI::detail
