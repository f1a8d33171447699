// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dataflow tasks across a `copied` edge. A task is given away when its turn has come; its accesses say what goes with
// it, and what it has written comes back before its end is told. The thief fetches, the thief returns. Home is the
// process where the task was spawned, whichever that is: the first, or one that runs the task's parent.
//
//   home                                   away
//   give: parcel {type, accesses, lineage, closure}
//                                          take: exposes the objects' pages
//                                      <-  X1 pulls what it reads and does not hold yet
//                                          X2 makes the task, injects it; it may spawn, fork, anything; in debug
//                                             builds the pages of what it declares are open to it until it has ended
//                                      <-  X3 pushes what it wrote, or keeps it
//                                      <-  X4 done {how, error text}
//   ended: the task's end, as if here; or X5: it has not begun there, and lies in the queue here again
//   X6 brings what was kept, when something here needs it
//
// Versions: home has the current version of what its tasks access and no task has, or knows who keeps it. In the first
// process that is so at the beginning; in another one the parent of the task has come with its objects, and holds them
// until its children have ended. Held copies: home notes which bytes a process has in their current version, and
// forgets them when somebody else may write them: a task with such an access begins, or a wait gives the parent its
// objects back. It may forget too much, and home may be another one than last time. What a task here only reads is not
// fetched again, though: who would write it waits for the end of that task, so it is what would come, and must not be
// written while it is read. (What is kept comes first.)
//
// Kept: a task of the first process's own whose bytes that process can fetch (fabric.hpp) leaves them where it ran. The
// first process brings them before anything there, or any third process, touches them: a task with such an access
// begins, comes or goes, a wait gives the parent its objects back (all of them, if it has declared none). The process
// that keeps them changes them only in tasks that it is given, so it need not know when they are brought. What a task
// may write that is away is not kept: nobody brings it. Tasks that failed, that write regions, or come from elsewhere
// than the first process, send; so does a debug build, which closes the pages of what has ended, unless
// options::guard_accesses is off.
//
// No wait lasts (design note 0016 has the argument):
//  B1 A task that came stays on the stack that began it until all that was begun in it has ended.
//  B2 A task that came and lies in the queue where no worker may take it goes back (X5). Looked at by the one who puts
//     it there, and by each worker that falls asleep.
//  B3 A task from elsewhere stands in the contexts of this process where it belongs: below the task that was given away
//     from here and of which it descends. So whoever waits for that may run it.
//
// Thread safety: the members of holder by the driving thread of the steal; the rest as said.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/domain.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

#include "coherence/exposure.hpp"
#include "deps/byte_ranges.hpp"
#include "deps/held_copies.hpp"
#include "deps/task_scope.hpp"
#include "sched/message_steal.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class crossing_table;

// A task went from `home` to `thief`, which had asked for it by this ticket.
struct hop {
    domain_id home;
    domain_id thief;
    std::uint64_t ticket;
};
static_assert(sizeof(hop) == 16);

// Where a task that came from another process has to report.
struct imported_task {
    unsigned victim = 0;
    std::uint64_t ticket = 0;
    // Its own way here is the last hop; before that, those of its ancestors, outermost first.
    std::vector<hop> lineage;
    std::vector<fabric::extent> written;
    std::vector<access> regions; // that it wrote
    std::list<byte_ranges>::iterator reading;
    std::exception_ptr error;
    exposure::wish opens; // while it runs
    bool keeps = false;   // what it wrote: home brings it when it needs it
    imported_task* next_finished = nullptr;
    dependent_task* unbegun = nullptr; // the task itself, if it goes back as it came
};

// What the front end does with its tasks.
struct task_ends {
    void (*execute)(task_header*) noexcept; // task_header::run of a dependent_task that a worker may begin
    // A task that was away has ended there; `error`: the text of its exception, or null.
    void (*away)(dependent_task& task, const std::string* error) noexcept;
    // This process is about to end because another has died.
    void (*dying)() noexcept;
};

class crossing final : public outward, message_steal::holder {
  public:
    // The arena must be the same in all processes already. `guard`: whether watch_undeclared(). `track`: as
    // message_steal's.
    crossing(team& home, std::unique_ptr<fabric::endpoint> fabric, task_ends ends, bool guard,
             trace_buffer<machine>* track);
    crossing(const crossing&) = delete;
    crossing& operator=(const crossing&) = delete;
    ~crossing();

    // Of that team; null: it stands alone.
    static crossing* of(const team& t) noexcept {
        outward* const to = t.beyond();
        return to != nullptr && to->is == beyond_team::processes ? static_cast<crossing*>(to) : nullptr;
    }

    // The same of a team whose tasks come and go.
    static crossing& around(const team& t) noexcept { return *static_cast<crossing*>(t.beyond()); }

    // Whether the task can go to another process, as far as one can tell now.
    [[nodiscard]] bool can_go(const dependent_task& task) const noexcept;
    // A task that can go lies in the team's queue.
    void offer() noexcept;
    // The worker is about to begin the task.
    void begins_here(worker& self, const dependent_task& task) noexcept;
    // An imported task has ended. Any thread.
    void finished(dependent_task& task) noexcept;

    bool search() noexcept override;
    void idles(wanted w) noexcept override; // hints, both
    void idles_no_more(wanted w) noexcept override { counted_idle(w).fetch_sub(1, memory_order::relaxed); }
    bool keeps_awake() noexcept override { return false; }
    void falls_asleep() noexcept override;
    void waited(const task_context* parent) noexcept override;
    bool will_read(const void* first, std::size_t bytes) noexcept override;

    // In a process that only helps: runs what comes until the first process has closed.
    void serve(worker& self) noexcept;
    // In the first process: the others may end.
    void close() noexcept;
    // One round of the thread that stands in while all workers compute.
    void stand_in() noexcept;

    // What another process has run so far, as it said when it last returned a task.
    struct peer_counts {
        unsigned process = 0;
        std::uint64_t tasks = 0;
        std::uint64_t taken = 0;
    };
    [[nodiscard]] std::vector<peer_counts> counts() const;

    [[nodiscard]] unsigned self() const noexcept { return steal_.self(); } // this process's number
    [[nodiscard]] message_steal& messages() noexcept { return steal_; }

  private:
    struct arrival;
    struct return_home;
    struct lent_task;

    std::optional<parcel> give(unsigned thief, std::uint64_t ticket, message_steal::wish w) override;
    message_steal::appetite wants(unsigned from) override;
    void take(unsigned victim, std::uint64_t ticket, std::span<const std::byte> what) override;
    void ended(unsigned thief, std::uint64_t ticket, std::span<const std::byte> what) override;
    void copied(std::uint64_t word, bool arrived) override;
    void closing() override;
    void lost(const fabric::failure& end) override;
    void errands() override;

    [[nodiscard]] bool bring_for(unsigned thief, const dependent_task& task);
    [[nodiscard]] parcel pack(unsigned thief, std::uint64_t ticket, dependent_task& task,
                              std::vector<fabric::extent>& kept);
    void keep_again(unsigned p, std::span<const fabric::extent> lent);
    [[nodiscard]] bool bring_ahead() noexcept;
    [[nodiscard]] bool hand_over(const dependent_task& task, trace_sink<machine> track);
    template <class Bring>
    void bring_or_end(Bring&& bring) noexcept;
    [[nodiscard]] std::vector<hop> lineage_of(const dependent_task& task) const;
    [[nodiscard]] bool may_have(unsigned thief, message_steal::wish w, const dependent_task& task) const;
    void end_here(return_home& home);
    void came_back(unsigned thief, dependent_task& task);
    void let_in();
    void arrive_here(const arrival& a);
    // The task that was given away from here and of which this lineage's descends; null: none.
    [[nodiscard]] dependent_task* lent_above(const std::vector<hop>& lineage) const;
    // What tasks here, or that were lent away, only read; with the bytes of the containers that they look into.
    [[nodiscard]] byte_ranges known_here(const std::vector<hop>& lineage) const;
    [[nodiscard]] spawn_place place_of(const std::vector<hop>& lineage) const;
    // Takes those out of the queue that nobody here may take (B2), for errands(). True: there were some.
    bool return_stranded() noexcept;
    void leave(imported_task& import) noexcept;
    void report(imported_task& import);
    void drop_unbegun(imported_task& import);

    [[nodiscard]] bool all_compute() const noexcept;
    [[nodiscard]] machine::atomic<unsigned>& counted_idle(wanted w) noexcept {
        return w.is_any() ? idle_ : w.ctx() != nullptr ? waiting_ : joining_;
    }

    team& home_;
    const task_ends ends_;
    const crossing_table& types_; // which numbers them: before the first task goes or comes
    const task_context imports_context_;
    task_scope imports_;

    const std::uint64_t look_every_; // ticks, both
    const std::uint64_t often_;
    machine::atomic<std::uint64_t> searched_at_{0}; // port::now_ns() of the last search
    machine::atomic<bool> closing_{false};          // this process has told the others that there is no more work
    // Workers that find nothing: of those that take anything, that wait for what descends from a task, that wait for a
    // branch and take nothing out of the queue.
    machine::atomic<unsigned> idle_{0};
    machine::atomic<unsigned> waiting_{0};
    machine::atomic<unsigned> joining_{0};
    machine::atomic<unsigned> unbegun_{0}; // tasks that are coming or lie in the queue
    join_word<machine> closed_;            // finished when the first process has

    mutex<machine> finished_mutex_; // guards what follows
    imported_task* finished_ = nullptr;

    mutable mutex<machine> copies_mutex_; // guards what follows
    std::vector<peer_counts> counts_;     // by process
    held_copies copies_;

    // The driving thread's.
    std::map<std::pair<unsigned, std::uint64_t>, lent_task> away_;
    std::deque<std::unique_ptr<arrival>> arriving_; // in the order of the grants
    // Of each task that came, until home is told its end: what it only reads, with the containers that it looks into.
    std::list<byte_ranges> reading_;
    // Of each process: tasks that it sent back, since it last ended one, if only by their places. It does not get them
    // when it asks for its own: else they would come and go as long as it waits for something else.
    std::vector<std::set<const dependent_task*>> came_back_;

    message_steal steal_; // last: its thread may call as soon as it stands
};

} // namespace skerry::inline SKERRY_ABI::detail
