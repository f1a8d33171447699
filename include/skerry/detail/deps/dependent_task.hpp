// SPDX-License-Identifier: Apache-2.0
#pragma once

// A task that waits for the accesses of others. One block on the heap holds it, its closure and its place in the order
// of each object that it touches; src/deps/README.md has the protocol.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/access.hpp>
#include <skerry/detail/core/completion.hpp>
#include <skerry/detail/core/context.hpp>
#include <skerry/detail/core/loose_task.hpp>
#include <skerry/detail/sched/task_memory.hpp>
#include <skerry/detail/sync/latch.hpp>

namespace skerry::inline SKERRY_ABI::detail {

struct access_node;

// How the members of a group stand to each other. Members of one group run side by side, groups run one after another.
//
// | bit | its members                                                                                        |
// |-----|----------------------------------------------------------------------------------------------------|
// | 0   | only read                                                                                          |
// | 1   | touch the object by other names, which overlap it, and are ordered among each other by those names |
//
// A group is of the kind that its members have in common, and whoever has a bit in common with it may join.
enum class group_kind : std::uint8_t {
    single = 0, // one task alone
    readers = 1,
    parts = 2,
    part_readers = 3,
};

constexpr group_kind common(group_kind a, group_kind b) noexcept {
    return static_cast<group_kind>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

// Consecutive accesses to one object that need no order among each other. Lives with its object's name, if there is
// room, else in its first member's task.
struct access_group {
    static constexpr std::uint32_t vacant = ~std::uint32_t{0};

    // Members not ended, and one more while the group is the last of its object; vacant: this is no group.
    machine::atomic<std::uint32_t> unfinished{vacant};
    group_kind kind; // guarded by the scope
    // Members that wait for the group before this one, newest first; begun(): nobody waits any more.
    machine::atomic<access_node*> waiting;
    machine::atomic<access_group*> next; // written before the group stops being the last
    dependent_task* host;                // null: it lives with the name
};

struct access_node {
    access what;
    access_group* joined = nullptr; // null: it stands for nothing, or another access of the task stands for it
    machine::atomic<access_node*> older_waiting;
    dependent_task* task;
    access_group own; // used if the access begins a group
};

// Where a task is spawned: the context of the caller, whose child the task is, and the latch of a finish between the
// two, or null; and what may be asked to stop around the task and does not outlive it, or null.
struct spawn_place {
    const context& enclosing;
    const task_context& parent;
    latch<machine>* cover;
    const stop_state* left_by = nullptr;
};

struct crossing_type;

// What all tasks of one spawn expression's type have in common. Of static storage.
struct task_type {
    void (*execute)(task_header*) noexcept;                        // as task_header::run
    void (*call)(dependent_task&);                                 // calls the function; may throw
    void (*drop)(dependent_task&) noexcept;                        // destroys function and arguments, not the block
    void (*release)(dependent_task*) noexcept;                     // frees the block
    const crossing_type* crossing;                                 // how it goes to another process; null: it stays
    const char* words = nullptr;                                   // the compiler's for the type
    const void* (*code)(const dependent_task&) noexcept = nullptr; // the function, if the type does not say which
    // Its containers; null: it has none.
    const container_access* (*containers)(const dependent_task&) noexcept = nullptr;
    const char* given = nullptr; // the name that the function has by its type
};

struct imported_task;

// Stands for the number of a child where there is none.
inline constexpr std::uint64_t no_child = ~std::uint64_t{0};
// In the number of a child that is the reason why another is skipped: it has not failed, a group around it was
// cancelled. Such reasons come after all failures.
inline constexpr std::uint64_t by_cancel = std::uint64_t{1} << 62;

struct dependent_task : loose_task, completion, task_memory {
    SKERRY_EXPORT dependent_task(const task_type& t, const char* task_name, access_node* first, std::size_t count,
                                 const spawn_place& at) noexcept;

    // Constant after construction.
    const task_type& type;
    const char* const name;
    access_node* const nodes;
    const std::uint32_t node_count;
    // Where the task counts besides its scope: the latch of a finish inside the parent; null: nowhere.
    latch<machine>* const cover;

    // Guarded by the scope until submit() returns, then the task's own.
    access_node* more = nullptr; // for overlapping names; on the heap
    std::uint32_t more_count = 0;
    std::uint64_t number = no_child; // in the order in which its parent spawned; no_child: it was ordered elsewhere
    task_scope* home = nullptr;
    dependent_task* next_ready = nullptr;
    imported_task* import = nullptr; // of a task that came from another process

    machine::atomic<std::uint32_t> unmet{0};      // accesses whose turn has not come, and one until all are known
    machine::atomic<std::uint32_t> references{1}; // one for each group that lives here; the task's own if there is none
    // The child whose failure is the reason why the task has nothing to read, or no_child. Constant once it is ready.
    machine::atomic<std::uint64_t> reason{no_child};
    bool stays = false;      // it could not be packed for another process
    bool failed = false;     // the thread that ends the task
    bool cut_short = false;  // the same: a cancel has ended its body, or something that was begun in it was skipped
    bool unresolved = false; // nobody could look into a container when it was submitted; constant from then on
    bool managed = false;    // its order is a task manager's; constant from submit() on
    bool held = false;       // it waits until a task manager has finished all others; of the scope, under its lock
    // So many of the accesses are containers, whose elements are named by as many nodes behind the others: they stand
    // in no order, and name nothing until somebody could look, at the latest when the task is ready. Constant before
    // submit().
    std::uint8_t containers = 0;
    // Of a task with containers: how many tasks had been spawned, from this one on, when it began. What these name was
    // there then.
    std::uint32_t spawned_before = 0;
    std::uint32_t managed_as = 0; // the task manager's own: which of its tasks this is

    // What is begun inside the task, and the task itself.
    latch<machine> inside;
    const task_context own;

    // Calls f for each node that stands in an order, or would if another one of the task did not.
    template <class F>
    void for_each_ordered(F&& f) noexcept {
        for (std::uint32_t i = 0; i < node_count; ++i) {
            f(nodes[i]);
        }
        for (std::uint32_t i = 0; i < more_count; ++i) {
            f(more[i]);
        }
    }
    // The accesses, with the elements of containers.
    [[nodiscard]] std::span<access_node> all_nodes() const noexcept {
        return {nodes, std::size_t{node_count} + containers};
    }
    // Of the container with that number: where it is found, what the task names, and its elements.
    [[nodiscard]] const container_access& container(std::size_t i) const noexcept { return type.containers(*this)[i]; }
    [[nodiscard]] const access& container_name(std::size_t i) const noexcept { return nodes[container(i).node].what; }
    [[nodiscard]] access_node& elements(std::size_t i) const noexcept { return nodes[node_count + i]; }

    // The task is not to run, because a group around it was asked to stop.
    void cancel() noexcept { reason.store(number | by_cancel, memory_order::release); }
    // Precondition: as skipped().
    [[nodiscard]] bool lacks_cancelled() const noexcept {
        const std::uint64_t why = reason.load(memory_order::acquire);
        return why != no_child && (why & by_cancel) != 0;
    }
    // Precondition: the task is ready.
    [[nodiscard]] bool skipped() const noexcept { return reason.load(memory_order::acquire) != no_child; }

  protected:
    ~dependent_task() {
        if (const stop_state* const around = stop_word::state_of(own.stop.load(memory_order::relaxed))) {
            forget(*around);
        }
    }

  private:
    SKERRY_EXPORT static void forget(const stop_state& around) noexcept;
};

} // namespace skerry::inline SKERRY_ABI::detail
