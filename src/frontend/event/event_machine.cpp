// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/event_machine.hpp"

#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

machine::atomic<event_machine*> event_machine::the_one{nullptr};
constinit thread_local event_thread this_event_thread;

namespace {

void free_all(event* first) noexcept {
    while (first != nullptr) {
        event* const e = std::exchange(first, first->next);
        e->pool->give(*e);
    }
}

} // namespace

event_machine::event_machine(const em_conf_t& conf) : conf_(conf) {
    sleepers_.reserve(static_cast<std::size_t>(conf.core_count));
    pools_.put(number_of(EM_POOL_DEFAULT), std::make_unique<event_pool>(EM_POOL_DEFAULT_NAME, conf.default_pool_cfg));
}

event_machine::~event_machine() {
    queues_.each([](event_queue& q) { free_all(q.take_all()); });
}

// --- cores and pools ------------------------------------------------------------------------------------------------

int event_machine::add_core() noexcept {
    const std::lock_guard lock(lock_);
    if (cores_begun_ == conf_.core_count) {
        return -1;
    }
    ++cores_inside_;
    return cores_begun_++;
}

void event_machine::remove_core() noexcept {
    const std::lock_guard lock(lock_);
    --cores_inside_;
}

int event_machine::cores_inside() noexcept {
    const std::lock_guard lock(lock_);
    return cores_inside_;
}

std::size_t event_machine::add_pool(const char* name, std::size_t wanted, const em_pool_cfg_t& config) {
    auto made = std::make_unique<event_pool>(name, config);
    const std::lock_guard lock(lock_);
    const std::size_t number = wanted != 0 ? wanted : pools_.free_number();
    if (number == 0 || number > most_pools || pools_.of(number) != nullptr) {
        return 0;
    }
    pools_.put(number, std::move(made));
    return number;
}

std::size_t event_machine::remove_pool(std::size_t number) noexcept {
    std::unique_ptr<event_pool> gone;
    const std::lock_guard lock(lock_);
    const std::size_t used = pools_.of(number)->in_use();
    if (used == 0) {
        gone = pools_.take(number);
    }
    return used;
}

// --- queues and execution objects -----------------------------------------------------------------------------------

em_queue_t event_machine::add_queue(std::unique_ptr<event_queue> q) {
    const std::lock_guard lock(lock_);
    const std::size_t number = queues_.free_number();
    q->handle = handle_of<em_queue_t>(number);
    if (number != 0) {
        queues_.put(number, std::move(q));
    }
    return handle_of<em_queue_t>(number);
}

em_eo_t event_machine::add_object(std::unique_ptr<execution_object> eo) {
    const std::lock_guard lock(lock_);
    const std::size_t number = objects_.free_number();
    eo->handle = handle_of<em_eo_t>(number);
    if (number != 0) {
        objects_.put(number, std::move(eo));
    }
    return handle_of<em_eo_t>(number);
}

bool event_machine::delete_queue(event_queue& q) noexcept {
    std::unique_ptr<event_queue> gone;
    const std::lock_guard lock(lock_);
    if (q.owner == nullptr) {
        gone = queues_.take(number_of(q.handle));
    }
    return gone != nullptr;
}

bool event_machine::delete_object(execution_object& eo) noexcept {
    std::unique_ptr<execution_object> gone;
    const std::lock_guard lock(lock_);
    if (eo.state == EM_EO_STATE_CREATED && eo.queues.empty()) {
        gone = objects_.take(number_of(eo.handle));
    }
    return gone != nullptr;
}

bool event_machine::list(event_queue& q) noexcept {
    if (!q.open || q.held || q.listed || q.count == 0) {
        return false;
    }
    scheduler_.ready(q);
    listed_.fetch_add(1, memory_order::release);
    return true;
}

bell* event_machine::sleeper() noexcept {
    if (sleepers_.empty()) {
        return nullptr;
    }
    bell* const called = sleepers_.back();
    sleepers_.pop_back();
    return called;
}

void event_machine::unlist(event_queue& q) noexcept {
    if (q.listed) {
        scheduler_.withdraw(q);
        listed_.fetch_sub(1, memory_order::release);
    }
}

event* event_machine::close(event_queue& q) noexcept {
    unlist(q);
    q.open = false;
    return q.take_all();
}

bool event_machine::give_queue(execution_object& eo, event_queue& q) {
    const std::lock_guard lock(lock_);
    if (q.owner != nullptr || eo.state == EM_EO_STATE_STOPPING) {
        return false;
    }
    eo.queues.push_back(&q);
    q.owner = &eo;
    q.open = eo.state == EM_EO_STATE_RUNNING;
    return true;
}

std::vector<notice> event_machine::end_leaving(event_queue& q) noexcept {
    std::erase(q.owner->queues, &q);
    q.owner = nullptr;
    q.leaving = false;
    changed_.notify_all();
    return std::exchange(q.when_gone, {});
}

event_machine::done event_machine::take_queue(execution_object& eo, event_queue& q, std::vector<notice> then) {
    std::unique_lock lock(lock_);
    if (q.owner != &eo || q.leaving) {
        return done::no;
    }
    event* const dropped = close(q);
    q.leaving = true;
    q.when_gone = std::move(then);
    std::vector<notice> over;
    const bool is_over = q.receiving == 0;
    if (is_over) {
        over = end_leaving(q);
    }
    lock.unlock();
    free_all(dropped);
    send_notices(over);
    return is_over ? done::yes : done::later;
}

bool event_machine::begin_start(execution_object& eo) noexcept {
    const std::lock_guard lock(lock_);
    if (eo.state != EM_EO_STATE_CREATED) {
        return false;
    }
    eo.state = EM_EO_STATE_STARTING;
    return true;
}

void event_machine::end_start(execution_object& eo, bool started) noexcept {
    const std::lock_guard lock(lock_);
    eo.state = started ? EM_EO_STATE_RUNNING : EM_EO_STATE_CREATED;
    for (event_queue* const q : eo.queues) {
        q->open = started && !q->leaving;
    }
}

event_machine::done event_machine::stop(execution_object& eo, std::vector<notice> then) {
    std::unique_lock lock(lock_);
    if (eo.state != EM_EO_STATE_RUNNING) {
        return done::no;
    }
    eo.state = EM_EO_STATE_STOPPING;
    eo.when_stopped = std::move(then);
    event* dropped = nullptr;
    for (event_queue* const q : eo.queues) {
        event* all = close(*q);
        while (all != nullptr) {
            event* const e = std::exchange(all, all->next);
            e->next = std::exchange(dropped, e);
        }
    }
    const bool is_over = eo.receiving == 0;
    lock.unlock();
    free_all(dropped);
    if (is_over) {
        finish_stop(eo);
    }
    return is_over ? done::yes : done::later;
}

// By the thread that has made it so that nobody receives any more; the state is `stopping` until it is over.
void event_machine::finish_stop(execution_object& eo) noexcept {
    event_thread& self = this_event_thread;
    execution_object* const outer = std::exchange(self.inside, &eo);
    static_cast<void>(eo.stop(eo.context, eo.handle));
    self.inside = outer;
    std::vector<notice> over;
    {
        const std::lock_guard lock(lock_);
        eo.state = EM_EO_STATE_CREATED;
        over = std::exchange(eo.when_stopped, {});
        changed_.notify_all();
    }
    send_notices(over);
}

em_eo_state_t event_machine::state_of(execution_object& eo) noexcept {
    const std::lock_guard lock(lock_);
    return eo.state;
}

bool event_machine::is_quiet(execution_object& eo) noexcept {
    const std::lock_guard lock(lock_);
    return eo.state == EM_EO_STATE_STOPPING && eo.receiving == 0;
}

void event_machine::await_gone(event_queue& q) {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [&] { return !q.leaving; });
}

void event_machine::await_stopped(execution_object& eo) {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [&] { return eo.state != EM_EO_STATE_STOPPING; });
}

// --- events ---------------------------------------------------------------------------------------------------------

event_machine::sent event_machine::send(event& e, em_queue_t to) noexcept {
    bell* called = nullptr;
    {
        const std::lock_guard lock(lock_);
        event_queue* const found = queue(to);
        if (found == nullptr) {
            return sent::no_queue;
        }
        event_queue& q = *found;
        if (!q.open) {
            return sent::not_open;
        }
        if (q.most != 0 && q.count >= q.most) {
            return sent::full;
        }
        q.push(e);
        called = list(q) ? sleeper() : nullptr;
    }
    ring(called);
    return sent::yes;
}

bool event_machine::next(delivery& d) noexcept {
    bell* called = nullptr;
    {
        const std::lock_guard lock(lock_);
        event_queue* const q = scheduler_.choose();
        if (q == nullptr) {
            return false;
        }
        listed_.fetch_sub(1, memory_order::release);
        d = {q, q->owner, &q->pop()};
        ++q->receiving;
        ++q->owner->receiving;
        q->held = q->atomic();
        list(*q); // of a parallel queue the others
        called = any_ready() ? sleeper() : nullptr;
    }
    ring(called);
    return true;
}

// relaxed, both: what descends from a call was begun after it had been noted, and ends before it is over
void event_machine::calls(int core, const context* under) noexcept {
    calls_[static_cast<std::size_t>(core)].store(under, memory_order::relaxed);
}

bool event_machine::waited_for(const context* under) const noexcept {
    for (const context* c = under; c != nullptr; c = c->parent) {
        for (const machine::atomic<const context*>& call : calls_) {
            if (call.load(memory_order::relaxed) == c) {
                return true;
            }
        }
    }
    return false;
}

void event_machine::pass_on() noexcept {
    bell* called = nullptr;
    {
        const std::lock_guard lock(lock_);
        called = any_ready() ? sleeper() : nullptr;
    }
    ring(called);
}

void event_machine::let_go(event_queue& q) noexcept {
    bell* called = nullptr;
    {
        const std::lock_guard lock(lock_);
        q.held = false;
        called = list(q) ? sleeper() : nullptr;
    }
    ring(called);
}

void event_machine::received(const delivery& d, bool holds) noexcept {
    std::vector<notice> over;
    bool stopped = false;
    {
        const std::lock_guard lock(lock_);
        if (holds) {
            d.from->held = false;
            list(*d.from);
        }
        if (--d.from->receiving == 0 && d.from->leaving) {
            over = end_leaving(*d.from);
        }
        stopped = --d.to->receiving == 0 && d.to->state == EM_EO_STATE_STOPPING;
    }
    send_notices(over);
    if (stopped) {
        finish_stop(*d.to);
    }
}

bool event_machine::arm(bell& b) {
    const std::lock_guard lock(lock_);
    if (any_ready()) {
        return false;
    }
    sleepers_.push_back(&b);
    return true;
}

bool event_machine::disarm(bell& b) noexcept {
    const std::lock_guard lock(lock_);
    return std::erase(sleepers_, &b) != 0;
}

} // namespace skerry::inline SKERRY_ABI::detail
