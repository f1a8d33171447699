// SPDX-License-Identifier: Apache-2.0

#include "deps/nexus/driver.hpp"

#include <array>
#include <limits>
#include <mutex>
#include <utility>

#include "base/panic.hpp"
#include "deps/nexus/fits.hpp"
#include "deps/task_scope.hpp"
#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::uint32_t undelivered = std::numeric_limits<std::uint32_t>::max(); // no task of the manager's

std::uint64_t function_of(const dependent_task& task) noexcept { return reinterpret_cast<std::uintptr_t>(&task); }

std::uint64_t access_word(const access& a) noexcept {
    const nexus_mode mode = !writes(a.mode)              ? nexus_mode::in
                            : a.mode == access_mode::out ? nexus_mode::out
                                                         : nexus_mode::inout;
    return nexus_access_word{.address = a.first, .mode = mode}.pack();
}

} // namespace

nexus_driver::nexus_driver(team& crew, std::unique_ptr<nexus_device> device)
    : crew_(crew),
      device_(std::move(device)),
      shape_(nexus_shape_word::unpack(device_->read(nexus_register::shape))),
      ended_(shape_.pool) {}

std::uint32_t nexus_driver::words_of(const dependent_task& task) noexcept {
    std::uint32_t n = 1;
    for (std::uint32_t i = 0; i < task.node_count; ++i) {
        n += task.nodes[i].what.nothing() ? 0U : 1U;
    }
    return n;
}

bool nexus_driver::fits_in(const dependent_task& task) const noexcept {
    constexpr std::size_t most = 64; // no function of a program has more parameters, most likely: else software has it
    std::array<std::uint64_t, most> words{};
    std::size_t n = 0;
    if (task.node_count > most || function_of(task) > nexus_header_word::most_function) {
        return false;
    }
    for (std::uint32_t i = 0; i < task.node_count; ++i) {
        const access& a = task.nodes[i].what;
        if (a.first > nexus_access_word::most_address) {
            return false;
        }
        if (!a.nothing()) {
            words[n++] = access_word(a);
        }
    }
    return fits(shape_, std::span(words).first(n));
}

// --- what tasks go through ------------------------------------------------------------------------------------------

bool nexus_driver::submit(const task_scope& by, dependent_task& task) noexcept {
    if (!fits_in(task)) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    if (held_.first != nullptr || (unfinished_ != 0 && holder_ != &by)) {
        return false;
    }
    holder_ = &by;
    ++unfinished_;
    task.managed_as = undelivered;
    count_managed(task);
    unsent_.push(task);
    return true;
}

bool nexus_driver::orders(const task_scope& scope) noexcept {
    const std::lock_guard lock(mutex_);
    return unfinished_ != 0 && holder_ == &scope;
}

bool nexus_driver::hold(const task_scope& by, dependent_task& task) noexcept {
    const std::lock_guard lock(mutex_);
    if (unfinished_ == 0 || holder_ != &by) {
        return false;
    }
    held_.push(task);
    return true;
}

void nexus_driver::finish(dependent_task& task, ready_list& ready) noexcept {
    {
        const std::lock_guard lock(mutex_);
        end(task.managed_as);
    }
    poll(ready);
}

void nexus_driver::poll(ready_list& ready) noexcept {
    if (bring_on(ready)) {
        crew_.rouse();
    }
}

// True: something is under way still.
bool nexus_driver::bring_on(ready_list& ready) noexcept {
    for (;;) {
        ready_list begun;
        ready_list held;
        bool under_way = false;
        {
            const std::lock_guard lock(mutex_);
            drive(begun);
            if (unfinished_ == 0) {
                held = std::exchange(held_, {});
            }
            under_way = under_way_;
        }
        if (begun.first == nullptr && held.first == nullptr) {
            return under_way;
        }
        take_in(begun, held, ready); // where a waiter ends, which may begin others
    }
}

// Without the lock, since a scope takes its own.
void nexus_driver::take_in(ready_list& begun, ready_list& held, ready_list& ready) noexcept {
    while (dependent_task* const task = begun.pop()) {
        task_scope::turn_came(*task);
        if (!is_child(*task)) {
            const std::lock_guard lock(mutex_);
            end(task->managed_as);
        }
        ready.push(*task);
    }
    while (dependent_task* const task = held.pop()) {
        task_scope::let_in(*task, ready);
    }
}

// --- the device -----------------------------------------------------------------------------------------------------

nexus_status_word nexus_driver::status(nexus_register of) noexcept {
    return nexus_status_word::unpack(device_->read(of));
}

bool nexus_driver::has_room(nexus_register status_of) noexcept {
    const nexus_status_word s = status(status_of);
    return s.occupancy < s.depth;
}

// Under the lock: a task with this id has finished.
void nexus_driver::end(std::uint32_t id) noexcept {
    ended_[(ended_first_ + ended_count_) % ended_.size()] = static_cast<std::uint16_t>(id);
    ++ended_count_; // no more than the pool: the id belongs to one task until its word is taken
    --unfinished_;
}

// Under the lock, both: as many words as there is room for. True: there was something to write.
bool nexus_driver::write_finished() noexcept {
    bool any = false;
    while (ended_count_ != 0) {
        if (!has_room(nexus_register::finished_status)) {
            break;
        }
        device_->write(nexus_register::finished_task, nexus_finished_word{.id = ended_[ended_first_]}.pack());
        ended_first_ = (ended_first_ + 1) % ended_.size();
        --ended_count_;
        ++words_.written;
        any = true;
    }
    return any;
}

bool nexus_driver::write_new() noexcept {
    bool any = false;
    while (unsent_.first != nullptr) {
        if (!has_room(nexus_register::new_status)) {
            break;
        }
        device_->write(nexus_register::new_task, next_word());
        ++words_.written;
        any = true;
    }
    return any;
}

// Of the first task that is not sent whole; with the last word it leaves the list.
std::uint64_t nexus_driver::next_word() noexcept {
    dependent_task& task = *unsent_.first;
    const std::uint32_t words = words_of(task);
    std::uint64_t word = 0;
    if (sent_ == 0) {
        word =
            nexus_header_word{.function = function_of(task), .accesses = static_cast<std::uint16_t>(words - 1)}.pack();
        sent_access_ = 0;
    } else {
        while (task.nodes[sent_access_].what.nothing()) {
            ++sent_access_;
        }
        word = access_word(task.nodes[sent_access_++].what);
    }
    if (++sent_ == words) {
        unsent_.pop();
        sent_ = 0;
    }
    return word;
}

// Under the lock: until the device does nothing by itself any more, or says that it needs time that is not its own.
void nexus_driver::drive(ready_list& begun) noexcept {
    bool moved = true;
    while (moved) {
        moved = write_finished();
        moved = write_new() || moved;
        moved = device_->advance(cycles_at_a_time) != 0 || moved;
        while (status(nexus_register::ready_status).occupancy != 0) {
            const nexus_ready_word word = nexus_ready_word::unpack(device_->read(nexus_register::ready_task));
            auto& task = *reinterpret_cast<dependent_task*>(word.function);
            if (task.managed_as != undelivered) {
                panic("nexus: a ready word names ", word.id, ", which was ready before");
            }
            task.managed_as = word.id;
            begun.push(task);
            ++words_.read;
            moved = true;
        }
    }
    under_way_ = !status(nexus_register::new_status).quiet ||
                 (unsent_.first != nullptr && has_room(nexus_register::new_status)) ||
                 (ended_count_ != 0 && has_room(nexus_register::finished_status));
}

nexus_driver::word_counts nexus_driver::words() const noexcept {
    const std::lock_guard lock(mutex_);
    return words_;
}

// --- idle workers ---------------------------------------------------------------------------------------------------

bool nexus_driver::search() noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (!under_way_) {
            return false;
        }
    }
    ready_list ready;
    if (bring_on(ready) && ready.first != nullptr) { // the caller leaves, perhaps, and runs one of these
        crew_.rouse();
    }
    while (dependent_task* const task = ready.pop()) {
        if (is_child(*task)) {
            crew_.inject(*task, true);
        } else {
            task->ended(task);
        }
    }
    return true;
}

// Who has polled does something else from now on.
void nexus_driver::idles_no_more(wanted /*w*/) noexcept {
    if (keeps_awake()) {
        crew_.rouse();
    }
}

// The lock orders this with poll(): who leaves something under way sees the sleeper, or this sees what is under way.
bool nexus_driver::keeps_awake() noexcept {
    const std::lock_guard lock(mutex_);
    return under_way_;
}

} // namespace skerry::inline SKERRY_ABI::detail
