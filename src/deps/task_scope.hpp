// SPDX-License-Identifier: Apache-2.0
#pragma once

// The children of one task: their numbers, names, failures, and who waits for them. Whose turn has come among them is
// asked of an order (task_manager.hpp): software_order, or a manager that is leased to this scope.
// src/deps/README.md has the protocol.
//
// Thread safety: submit() from any thread under the parent's context, finish() from any thread; the rest as said.
//
// Invariants
//  1. From the first task that software_order orders until a wait finds no child left, it orders all of them, behind
//     those that the manager has.
//  2. A scope counts once on the latch of its parent, from its making until the parent's body has ended (body_ended())
//     and no child is left; without a body to end, only while there are children. It lives as long as it counts.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

#include "deps/name_table.hpp"
#include "deps/task_manager.hpp"
#include "sync/event_count.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class team;
struct touch;

class task_scope {
  public:
    // `parent` outlives the scope, which counts on its latch as long as it has children; see of() for another rule.
    task_scope(const task_context& parent, team& crew) noexcept : parent_(parent), crew_(crew) {}
    task_scope(const task_scope&) = delete;
    task_scope& operator=(const task_scope&) = delete;
    // Precondition: no child is left.
    ~task_scope() { forget_names(); }

    // The scope of what is spawned under `parent`, made if need be. Errors: std::bad_alloc.
    static task_scope& of(const task_context& parent, team& crew);
    // The same, or null if nothing was spawned.
    static task_scope* existing(const task_context& parent) noexcept {
        task_scope* const known = parent.scope.load(memory_order::acquire); // C2 <- C1
        return known != late() ? known : nullptr;
    }
    // The parent's body has ended, and counts on its latch still, besides counts that the caller holds `ahead`. Not for
    // team::outside().
    static void body_ended(const task_context& parent, std::size_t ahead = 0) noexcept;
    // The body of a task has ended, but not all that was begun in it: the last of those calls `then`. False: they all
    // have meanwhile, and the caller completes the task.
    [[nodiscard]] static bool leave_to_last(dependent_task& task, void (*then)(completion*) noexcept) noexcept {
        task.ended = then;
        machine::publish_all(coherence_step::handed_over); // the last one inside may be another core
        return task.inside.arm(task.word()) && task.inside.arrive() == nullptr; // D1 -> D2: the task may be gone
    }
    // Ends the scope of a parent all of whose children have ended; nothing if there is none.
    static void close(const task_context& parent) noexcept;

    // Enters the task into the orders of its objects. True: it is ready. False: some finish() or poll() will list it.
    // Errors: std::bad_alloc; nothing has changed. std::logic_error in debug builds: an access that the parent has not.
    [[nodiscard]] bool submit(dependent_task& task);

    // A child that stands in no order: it has been ordered elsewhere.
    void adopt(dependent_task& task) noexcept;

    // The task and all that was begun in it have ended. Lists what becomes ready by that. The task may be gone then.
    static void finish(dependent_task& task, ready_list& ready) noexcept;

    // A task that the software orders has waited for all that the manager has; only that calls it.
    static void let_in(dependent_task& task, ready_list& ready) noexcept;
    // The turn of a task has come, and nobody else knows: what it is to be skipped for is known now.
    static void turn_came(dependent_task& task) noexcept;

    // A task with containers is about to begin, here or in another process.
    static void note_begin(dependent_task& task) noexcept;
    // All that was begun in a task with containers has ended, and it will not have been skipped: looks what has become
    // of those that it writes. It fails if elements are gone that a later task names, which is skipped then.
    static void look_for_changes(dependent_task& task) noexcept;

    // Keeps the running exception as one of `task`, a child.
    void fail(const dependent_task& task, std::exception_ptr error) noexcept;
    // The exception of the first child in program order from number `from` on that failed, and forgets all of those;
    // null: none did.
    [[nodiscard]] std::exception_ptr take_error(std::uint64_t from) noexcept;
    // That of one child, and forgets it; null if it has been taken.
    [[nodiscard]] std::exception_ptr take_error_of(std::uint64_t child) noexcept;
    // Whether a child was skipped or cut short by a cancel, and no wait has covered it since. Precondition: all
    // children have ended.
    [[nodiscard]] bool cut_short() const noexcept { return cut_short_until_.load(memory_order::acquire) != 0; }
    [[nodiscard]] const task_context& parent() const noexcept { return parent_; }
    // Whose workers run the children.
    [[nodiscard]] team& crew() const noexcept { return crew_; }

    // The number that the next child gets; another branch of the caller may be about to take it.
    [[nodiscard]] std::uint64_t next_number() const noexcept {
        return next_number_.load(memory_order::acquire);
    } // N5 <- N4

    // Children that have not ended.
    [[nodiscard]] std::uint32_t children() const noexcept {
        return static_cast<std::uint32_t>(children_.load(memory_order::acquire)); // N2 <- N1
    }

    // A wait for children() <= most. The bell rings at the first moment, or arm() is false.
    class few_children {
      public:
        few_children(task_scope& s, std::uint32_t most) noexcept : scope_(s), most_(most) {}
        few_children(const few_children&) = delete;
        few_children& operator=(const few_children&) = delete;

        [[nodiscard]] bool done() const noexcept { return scope_.children() <= most_; }
        [[nodiscard]] bool arm(event_count<machine>& b) noexcept;
        bool disarm() noexcept; // true: who rings does so under the lock that this takes

      private:
        friend class task_scope;
        void unlink() noexcept;

        task_scope& scope_;
        const std::uint32_t most_;
        event_count<machine>* bell_ = nullptr;
        few_children* next_ = nullptr;
    };

    // At the end of a wait for all children with numbers below `before`: what these have left unwritten counts as
    // written, and none of them as cut short. Forgets names, if no child is left and nobody stands in taskwait_on():
    // memory of tasks that are the last to have used a name is given back. Other branches may spawn meanwhile.
    void tidy(std::uint64_t before) noexcept;
    // At the end of a wait for the children counted on `cover`, which have numbers from `first` on: what these have
    // left unwritten counts as written. O(1) if they have left nothing so, else O(names).
    void end_unwritten(const latch<machine>& cover, std::uint64_t first) noexcept;
    // At the end of a wait that may not be the parent's for all: the same, but for names that are unwritten, and only
    // now and then, so that it costs O(1) for each name that has appeared: looks after `few_names` / 4 children, and
    // keeps at most `few_names`, or twice as many as appeared between two looks, besides those; more while children are
    // left. Other branches may spawn meanwhile.
    void tidy_at_times() noexcept;
    // How many names are known. Any thread.
    [[nodiscard]] std::size_t names() const noexcept;

    static constexpr std::size_t few_names = 1024;

  private:
    friend class software_order;

    struct failure {
        std::uint64_t number = no_child;
        std::exception_ptr error; // null: there is none
    };
    // In children_:
    static constexpr std::uint64_t watched = std::uint64_t{1} << 32; // somebody waits
    static constexpr std::uint64_t settled = std::uint64_t{1}
                                             << 33; // counts on the latch only while there are children

    // Stands in task_context::scope: the body has ended, and has left something behind that may spawn the first child.
    static task_scope* late() noexcept { return reinterpret_cast<task_scope*>(alignof(task_context)); }

    void settle() noexcept;
    void count_child() noexcept;
    [[nodiscard]] bool may_manage(const dependent_task& task, std::span<const touch> touched) const noexcept;
    [[nodiscard]] bool look_into(dependent_task& task, std::uint32_t container);
    void look_into_containers(dependent_task& task);
    void count_writes(const dependent_task& task, std::uint32_t by) noexcept;
    void look_again(dependent_task& task) noexcept;
    [[nodiscard]] static const dependent_task* skip_left_behind(dependent_task& by, const access& container,
                                                                const access& lost) noexcept;
    void note_change(dependent_task& task, const access& container, const access& was,
                     const elements_now& look) noexcept;
    void note_failure(const dependent_task& task, std::exception_ptr error) noexcept;
    void child_ended() noexcept;
    [[gnu::noinline]] void watched_child_ended(latch<machine>& parents) noexcept;
    // Of children_ before a child ended: whether the scope counts on its parent's latch no more.
    static bool was_the_last(std::uint64_t seen) noexcept {
        return (seen & settled) != 0 && static_cast<std::uint32_t>(seen) == 1;
    }
    void leave_unwritten(const dependent_task& task) noexcept;
    void look_for_unwritten(dependent_task& task) noexcept;
    void give_up_groups() noexcept;
    void forget_names() noexcept;
    [[nodiscard]] static bool give_up_if_over(const name_table::entry& e) noexcept;
    void reuse_names() noexcept;

    // Constant after construction.
    const task_context& parent_;
    team& crew_;

    // Any thread.
    machine::atomic<std::uint64_t> children_{settled};
    machine::atomic<std::uint64_t> next_number_{0}; // written under the lock
    machine::atomic<std::uint32_t> guests_{0};      // waiters of taskwait_on() that stand in the orders
    machine::atomic<bool> unwritten_{false};        // some name is; written under the lock
    machine::atomic<std::uint64_t> looked_at_{0};   // the next number when tidy_at_times() looked; under the lock
    // Written under the lock: one past the last child that has left a name unwritten; the same of those that were cut
    // short and that no finish covers, 0: there is none.
    machine::atomic<std::uint64_t> unwritten_until_{0};
    machine::atomic<std::uint64_t> cut_short_until_{0};

    mutable mutex<machine> mutex_; // guards what follows
    name_table names_;
    bool ordered_here_ = false; // invariant 1; only where the team has a manager
    // What nobody has taken: the first in program order, which is kept also without memory, and the others.
    failure first_failure_;
    std::vector<failure> later_failures_;
    few_children* waiters_ = nullptr;
    // For tidy_at_times(): names when it last looked, those of them that it could not forget, and how many have
    // appeared between two looks at most.
    std::size_t names_seen_ = 0;
    std::size_t names_kept_ = 0;
    std::size_t most_new_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
