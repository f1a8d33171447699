// SPDX-License-Identifier: Apache-2.0

#include "deps/task_scope.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>

#include <skerry/detail/sched/join.hpp>

#include "deps/containment.hpp"
#include "deps/software_order.hpp"
#include "deps/task_manager.hpp"
#include "sched/cancellation.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// What one task touches, each object once. Most tasks have few accesses and need no memory here.
class touch_list {
  public:
    touch_list() noexcept = default;
    touch_list(const touch_list&) = delete;
    touch_list& operator=(const touch_list&) = delete;
    // Room for so many. Errors: std::bad_alloc.
    void reserve(std::size_t n) {
        if (n > few_.size()) [[unlikely]] {
            auto more = std::make_unique_for_overwrite<touch[]>(n);
            std::copy(begin(), end(), more.get());
            many_ = std::move(more);
            begin_ = many_.get();
        }
    }
    // Precondition: there is room.
    void add(name_table::entry& object, group_kind kind, access_node* node) noexcept {
        if (object.touched < size_ && begin_[object.touched].object == &object) { // a task must not wait for itself
            touch& known = begin_[object.touched];
            known.kind = common(known.kind, kind);
            return;
        }
        object.touched = size_;
        begin_[size_++] = {&object, kind, node, false};
    }
    [[nodiscard]] touch* begin() noexcept { return begin_; }
    [[nodiscard]] touch* end() noexcept { return begin_ + size_; }
    [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
    [[nodiscard]] std::span<touch> all() noexcept { return {begin_, size_}; }

  private:
    std::array<touch, 8> few_;
    std::unique_ptr<touch[]> many_;
    touch* begin_ = few_.data();
    std::uint32_t size_ = 0;
};

// Adds what overlaps the objects that the task names: `hooked` other objects at most. Out of line, as most tasks have
// none. Errors: std::bad_alloc; the order is as before.
[[gnu::noinline]] void add_overlapping(touch_list& touched, name_table& names, dependent_task& task,
                                       std::size_t hooked) {
    touched.reserve(touched.size() + hooked);
    task.more = new access_node[hooked];
    for (std::uint32_t i = 0; i < task.node_count; ++i) {
        const access& a = task.nodes[i].what;
        if (!a.nothing()) {
            for (name_table::entry* const other : names.known(a).hooks) {
                touched.add(*other, writes(a.mode) ? group_kind::parts : group_kind::part_readers, nullptr);
            }
        }
    }
}

// Under the lock.
void raise_to(machine::atomic<std::uint64_t>& number, std::uint64_t value) noexcept {
    number.store(std::max(number.load(memory_order::relaxed), value), memory_order::release);
}

} // namespace

dependent_task::dependent_task(const task_type& t, const char* task_name, access_node* first, std::size_t count,
                               const spawn_place& at) noexcept
    : loose_task(t.execute, &own),
      completion{nullptr},
      type(t),
      name(task_name),
      nodes(first),
      node_count(static_cast<std::uint32_t>(count)),
      cover(at.cover),
      own(&at.enclosing, &inside, &at.parent, this, at.left_by != nullptr ? at.left_by->held() : nullptr) {}

void dependent_task::forget(const stop_state& around) noexcept { let_go(&around); }

task_scope& task_scope::of(const task_context& parent, team& crew) {
    if (task_scope* const known = existing(parent)) {
        return *known;
    }
    auto fresh = std::make_unique<task_scope>(parent, crew);
    task_scope* seen = parent.scope.load(memory_order::acquire);
    while (seen == nullptr || seen == late()) {
        const bool held = seen == nullptr && &parent != &crew.outside();   // else nobody will settle
        fresh->children_.store(held ? 0 : settled, memory_order::relaxed); // relaxed: published by C1
        if (held) {
            parent.pending->add();
        }
        machine::publish_all(coherence_step::handed_over);
        if (parent.scope.compare_exchange_strong(seen, fresh.get(), memory_order::acq_rel, // C1 -> C2
                                                 memory_order::acquire)) {
            return *fresh.release();
        }
        if (held) {
            arrive(*parent.pending); // the caller's own count is left
        }
    }
    return *seen;
}

void task_scope::body_ended(const task_context& parent, std::size_t ahead) noexcept {
    task_scope* seen = existing(parent);
    if (seen == nullptr && !parent.pending->alone(ahead)) { // what the body has begun may still spawn
        parent.scope.compare_exchange_strong(seen, late(), memory_order::acq_rel, // C2 <- C1
                                             memory_order::acquire);
    }
    if (seen != nullptr) {
        seen->settle();
    }
}

void task_scope::close(const task_context& parent) noexcept {
    task_scope* const known = parent.scope.exchange(nullptr, memory_order::acq_rel);
    if (known != late()) {
        delete known;
    }
}

void task_scope::settle() noexcept {
    const std::uint64_t seen = children_.fetch_or(settled, memory_order::acq_rel); // S1 -> N1; <- N1
    if (static_cast<std::uint32_t>(seen) == 0) {
        arrive(*parent_.pending);
    }
}

void task_scope::count_child() noexcept {
    const std::uint64_t seen = children_.fetch_add(1, memory_order::relaxed);
    if ((seen & ~watched) == settled) { // and no child
        parent_.pending->add();
    }
}

// --- spawning -------------------------------------------------------------------------------------------------------

bool task_scope::submit(dependent_task& task) {
    if constexpr (containment_is_checked) {
        check_containment(parent_, task);
    }
    task_manager* const manager = task_manager::of(crew_);
    const std::lock_guard lock(mutex_);
    touch_list touched;
    touched.reserve(task.node_count);
    const bool behind = manager != nullptr && manager->orders(*this);
    if (names_.is_full(task.node_count) && !behind) [[unlikely]] { // a manager's tasks stand in no group
        reuse_names();
    }
    const std::uint64_t overlaps_before = names_.overlaps();
    if (task.containers != 0) [[unlikely]] {
        look_into_containers(task);
    }
    std::size_t hooked = 0;
    for (std::uint32_t i = 0; i < task.node_count; ++i) {
        access_node& node = task.nodes[i];
        if (!node.what.nothing()) {
            name_table::entry& object = names_.at(node.what);
            touched.add(object, writes(node.what.mode) ? group_kind::single : group_kind::readers, &node);
            hooked += object.hooks.size();
        }
    }
    if (hooked != 0) [[unlikely]] {
        if (const std::uint64_t appeared = names_.overlaps() - overlaps_before; appeared != 0) {
            crew_.count_overlaps(appeared);
        }
        add_overlapping(touched, names_, task, hooked);
    }

    // From here on nothing fails.
    task.number = next_number();
    next_number_.store(task.number + 1, memory_order::release); // N4 -> N5: other branches look without the lock
    task.home = this;
    if (!is_child(task)) {
        guests_.fetch_add(1, memory_order::relaxed); // under the lock, as who reads it
    } else {
        count_child();
    }
    if (task.cover != nullptr) {
        task.cover->add();
    }
    if (manager != nullptr) [[unlikely]] {
        task.managed = hooked == 0 && may_manage(task, touched.all());
        if (task.managed) {
            count_writes(task, 1);
            if (manager->submit(*this, task)) {
                return false; // its turn comes in poll(), perhaps on another thread already: the task may be gone
            }
            count_writes(task, ~std::uint32_t{0});
        }
        task.managed = false;
        ordered_here_ = true;
        manager->count_unmanaged(task);
    }
    if (!software_order::submit(task, touched.all(), manager)) {
        return false;
    }
    if (unwritten_.load(memory_order::acquire)) { // Y2 <- Y1
        look_for_unwritten(task);
    }
    return true;
}

// Under the lock: whether the order of this task may be a manager's. Tables of hardware are bounded, and a task whose
// children stand in them too might wait for itself: so the scope is one outside of all tasks.
bool task_scope::may_manage(const dependent_task& task, std::span<const touch> touched) const noexcept {
    if (ordered_here_ || task.containers != 0) {
        return false;
    }
    for (const context* c = &parent_; c != nullptr; c = c->parent) {
        if (c->spawner != nullptr && c->spawner->task != nullptr) {
            return false;
        }
    }
    return std::ranges::none_of(touched, [](const touch& t) { return t.object->name.kind == access_kind::region; });
}

// Under the lock: adds to the writers of what the task writes.
void task_scope::count_writes(const dependent_task& task, std::uint32_t by) noexcept {
    for (std::uint32_t i = 0; i < task.node_count && is_child(task); ++i) {
        if (const access& a = task.nodes[i].what; !a.nothing() && writes(a.mode)) {
            names_.writers(a) += by;
        }
    }
}

void task_scope::let_in(dependent_task& task, ready_list& ready) noexcept {
    if (task.unresolved) {
        const std::lock_guard lock(task.home->mutex_);
        task.held = false;
        task.home->look_again(task);
    }
    if (task.unmet.fetch_sub(1, memory_order::acq_rel) == 1) { // U2 -> U1, U2
        turn_came(task);
        ready.push(task);
    }
}

void task_scope::adopt(dependent_task& task) noexcept {
    task.home = this;
    count_child();
}

// --- ending ---------------------------------------------------------------------------------------------------------

void task_scope::finish(dependent_task& task, ready_list& ready) noexcept {
    task_scope& home = *task.home;
    const bool child = is_child(task);
    if ((task.failed || task.cut_short || task.skipped()) && child && task.number != no_child) {
        home.leave_unwritten(task);
    }
    machine::publish_all(coherence_step::turn_passed);
    latch<machine>* const cover = task.cover;
    if (task_manager* const manager = task.managed ? task_manager::of(home.crew_) : nullptr) [[unlikely]] {
        if (child) { // of a waiter the accesses have ended
            {
                const std::lock_guard lock(home.mutex_);
                home.count_writes(task, ~std::uint32_t{0});
            }
            manager->finish(task, ready);
        }
        software_order::let_go(task, 1);
    } else {
        software_order::finish(task, ready);
    }
    if (child) {
        home.child_ended();
    } else {
        home.guests_.fetch_sub(1, memory_order::release); // G1 -> G2
    }
    if (cover != nullptr) {
        arrive(*cover);
    }
}

void task_scope::child_ended() noexcept {
    latch<machine>& parents = *parent_.pending;
    std::uint64_t seen = children_.load(memory_order::acquire);
    while ((seen & watched) == 0) {
        if (children_.compare_exchange_weak(seen, seen - 1, memory_order::acq_rel, // N1 -> N2, S1; <- S1
                                            memory_order::acquire)) {
            // Invariant 3: from here on the scope may be gone, the latch only when we have arrived.
            if (was_the_last(seen)) [[unlikely]] {
                arrive(parents);
            }
            return;
        }
    }
    watched_child_ended(parents);
}

// The same where somebody waits for children.
void task_scope::watched_child_ended(latch<machine>& parents) noexcept {
    parents.add(); // until the lock is open again
    std::uint64_t seen = 0;
    {
        // Under the lock, so that a waiter that has held the lock since does not meet us here.
        const std::lock_guard lock(mutex_);
        seen = children_.fetch_sub(1, memory_order::acq_rel); // N1 -> N2; <- S1
        for (few_children* w = waiters_; w != nullptr; w = w->next_) {
            if (static_cast<std::uint32_t>(seen - 1) <= w->most_) {
                w->bell_->notify();
            }
        }
    }
    if (was_the_last(seen)) {
        arrive(parents);
    }
    arrive(parents);
}

// --- errors ---------------------------------------------------------------------------------------------------------

void task_scope::fail(const dependent_task& task, std::exception_ptr error) noexcept {
    const std::lock_guard lock(mutex_);
    note_failure(task, std::move(error));
}

// Under the lock.
void task_scope::note_failure(const dependent_task& task, std::exception_ptr error) noexcept {
    failure later{task.number, std::move(error)};
    if (first_failure_.error == nullptr || later.number < first_failure_.number) {
        std::swap(first_failure_, later);
    }
    if (later.error != nullptr) {
        try {
            later_failures_.push_back(std::move(later));
        } catch (const std::bad_alloc&) {
            // Whoever waits for all hears of the first.
        }
    }
}

std::exception_ptr task_scope::take_error(std::uint64_t from) noexcept {
    const std::lock_guard lock(mutex_);
    const auto later = [from](const failure& f) { return f.number >= from; };
    failure taken;
    if (later(first_failure_)) {
        taken = std::exchange(first_failure_, {});
    } else {
        for (const failure& f : later_failures_) {
            if (later(f) && f.number < taken.number) {
                taken = f;
            }
        }
    }
    std::erase_if(later_failures_, later);
    return taken.error;
}

std::exception_ptr task_scope::take_error_of(std::uint64_t child) noexcept {
    const std::lock_guard lock(mutex_);
    failure taken;
    if (first_failure_.number == child) {
        taken = std::exchange(first_failure_, {});
        const auto next = std::ranges::min_element(later_failures_, {}, &failure::number);
        if (next != later_failures_.end()) {
            first_failure_ = std::move(*next);
            later_failures_.erase(next);
        }
    } else if (const auto at = std::ranges::find(later_failures_, child, &failure::number);
               at != later_failures_.end()) {
        taken = std::move(*at);
        later_failures_.erase(at);
    }
    return taken.error;
}

// What the task would have written is not.
void task_scope::leave_unwritten(const dependent_task& task) noexcept {
    const std::lock_guard lock(mutex_);
    const std::uint64_t reason = task.failed      ? task.number
                                 : task.cut_short ? task.number | by_cancel
                                                  : task.reason.load(memory_order::acquire);
    if ((reason & by_cancel) != 0 && task.cover == nullptr) {
        raise_to(cut_short_until_, task.number + 1);
    }
    for (std::uint32_t i = 0; i < task.node_count; ++i) {
        const access& a = task.nodes[i].what;
        if (!a.nothing() && writes(a.mode)) {
            names_.set_unwritten(a, reason, task.cover);
            raise_to(unwritten_until_, task.number + 1);
            unwritten_.store(true, memory_order::release); // Y1 -> Y2, before the object's next accesses begin
        }
    }
}

// Under the lock: the turn of the task has come. Whatever conflicts with it and was spawned before has ended, and what
// was spawned later has not begun: so what it finds is the same in every run.
void task_scope::look_for_unwritten(dependent_task& task) noexcept {
    std::uint64_t reason = task.reason.load(memory_order::relaxed); // relaxed: written under the lock
    for (std::uint32_t i = 0; i < task.node_count; ++i) {
        const access& a = task.nodes[i].what;
        if (!a.nothing() && (reads(a.mode) || !is_child(task))) {
            reason = std::min(reason, names_.unwritten(a));
        }
    }
    task.reason.store(reason, memory_order::release);
    if (reason != no_child || !is_child(task)) {
        return;
    }
    for (std::uint32_t i = 0; i < task.node_count; ++i) {
        const access& a = task.nodes[i].what;
        if (!a.nothing() && writes(a.mode)) {
            names_.set_unwritten(a, no_child);
        }
    }
}

void task_scope::turn_came(dependent_task& task) noexcept {
    task_scope& home = *task.home;
    if (home.unwritten_.load(memory_order::acquire)) { // Y2 <- Y1
        const std::lock_guard lock(home.mutex_);
        home.look_for_unwritten(task);
    }
}

// --- waiting --------------------------------------------------------------------------------------------------------

bool task_scope::few_children::arm(event_count<machine>& b) noexcept {
    const std::lock_guard lock(scope_.mutex_);
    bell_ = &b;
    next_ = std::exchange(scope_.waiters_, this);
    scope_.children_.fetch_or(watched, memory_order::acq_rel); // N3 -> N1: from now on it takes the lock
    if (!done()) {
        return true;
    }
    unlink();
    return false;
}

bool task_scope::few_children::disarm() noexcept {
    const std::lock_guard lock(scope_.mutex_);
    unlink();
    return true;
}

// Under the lock.
void task_scope::few_children::unlink() noexcept {
    few_children** at = &scope_.waiters_;
    while (*at != this) {
        at = &(*at)->next_;
    }
    *at = next_;
    if (scope_.waiters_ == nullptr) {
        scope_.children_.fetch_and(~watched, memory_order::relaxed);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
