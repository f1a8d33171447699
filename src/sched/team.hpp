// SPDX-License-Identifier: Apache-2.0
#pragma once

// The workers of one runtime: who has a slot, who steals from whom, who sleeps and who wakes them. src/sched/README.md
// has the protocol of sleeping with its argument.
//
// Thread safety: any thread, but for what takes `self`, which is for the holder of that slot.
//
// Invariants
//  1. If somebody sleeps, every page that may get new work is rung, or a thread is awake that searches.
//  2. A slot, once made, lives as long as the team.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <skerry/detail/base/abi.hpp>

#include "base/port/process.hpp"
#include "base/port/topology.hpp"
#include "sched/wait_observer.hpp"
#include "sched/worker.hpp"
#include "sync/mutex.hpp"
#include "sync/shared_fence.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct team_settings {
    void* owner = nullptr; // whatever assembled the team
    unsigned workers = 1;  // threads that may run at a time
    unsigned max_slots = 1024;
    steal_protocol protocol = steal_protocol::asymmetric;
    std::size_t trace_records = 0;                              // newest events that each slot keeps; 0: no trace
    void (*tells_itself)(task_header*) noexcept = nullptr;      // tasks that run this write their own start and end
    naming (*naming_of)(const task_header&) noexcept = nullptr; // of any task; null: by the code that it runs
    wait_observer* observer = nullptr; // null: nobody looks at waits and tasks. Outlives the team
    bool crowded = false;              // more workers than CPUs: a thief that finds nothing makes room
    // Null: all equally far. Needed during construction and while slots are taken.
    std::shared_ptr<const port::topology> places;
};

// What lies beyond a team.
enum class beyond_team : std::uint8_t { processes, task_manager };

// What a team has to do with others: workers that find nothing look there, too.
class outward {
  public:
    const beyond_team is;

    // A worker that searches. Never waits. True: it has done something meanwhile, or another thread does, and that may
    // bring work: the search begins anew.
    virtual bool search() noexcept = 0;
    // From here on a worker finds nothing that it may run; from here on it does, or has stopped looking. In pairs.
    virtual void idles(wanted w) noexcept = 0;
    virtual void idles_no_more(wanted w) noexcept = 0;
    // A worker has announced that it will sleep, and has looked once more. True: it does not, but searches on.
    virtual bool keeps_awake() noexcept = 0;
    // It sleeps now.
    virtual void falls_asleep() noexcept = 0;
    // A wait for tasks is over: the calling thread goes on to touch what they have touched. `parent`: of all of them;
    // null: that is not known.
    virtual void waited(const task_context* parent) noexcept = 0;
    // Somebody is about to read these bytes of an object that tasks access. False: they cannot be brought here.
    [[nodiscard]] virtual bool will_read(const void* first, std::size_t bytes) noexcept = 0;

  protected:
    explicit outward(beyond_team kind) noexcept : is(kind) {}
    ~outward() = default;
};

class team {
  public:
    // Errors: std::bad_alloc.
    explicit team(const team_settings& settings);
    team(const team&) = delete;
    team& operator=(const team&) = delete;
    // Precondition: no slot is taken.
    ~team();

    // A free slot for the calling thread; `hint` is tried first. Null: all max_slots are taken.
    // Errors: std::bad_alloc.
    [[nodiscard]] worker* take_slot(worker* hint);
    // Sees to it that there are n slots, free or not. False: that is more than max_slots. Errors: std::bad_alloc.
    [[nodiscard]] bool make_slots(unsigned n);
    // Gives it back. What lies in its deque is left to the others.
    void free_slot(worker& self) noexcept;
    // The calling thread is the slot's holder from now on; where thieves interrupt, they do it here. `from_outside`: it
    // is no thread of the runtime.
    static void sit_down(worker& self, bool from_outside = false) noexcept;

    // The life of a background thread: runs what it finds until stop() or until `retired` says so.
    template <class Retired>
    void work(worker& self, Retired&& retired) noexcept;

    // Waits until c.done(), and meanwhile runs what `w` allows. A Condition has
    //   bool done()       whether the wait is over
    //   bool arm(bell&)   from now on, whoever makes done() true rings the bell; false: it is true already
    //   bool disarm()     takes arm() back; false: it is true, and whoever made it true delivers to the bell
    //   time_left_ns()    if it has that: done() is true when so many nanoseconds have passed
    // Newer tasks of its own are those from depth `base` on. `text`: what the wait is called; null: it is idleness, of
    // which neither the trace nor the watchdog tells.
    template <class Condition>
    void wait(worker& self, wanted w, std::size_t base, Condition& c, const char* text, const void* subject) noexcept;

    // The same, where loose tasks that `w` allows may lie in the own deque below frames of the caller: those go first.
    template <class Condition>
    void wait_from_here(worker& self, wanted w, Condition& c, const char* text, const void* subject) noexcept;

    // Runs a task on the calling worker. `what_follows`: where the tasks that become ready by its end may run.
    void execute(worker& self, task_header& task, successors what_follows = successors::elsewhere) noexcept;
    // The same, for a caller that knows what worker::with_trace() says.
    template <class Trace>
    void execute(worker& self, Trace trace, task_header& task, successors what_follows) noexcept;

    // For a task from a thread without a slot. `anybody`: sleepers cannot tell from the context that the task joined
    // whether it is for them; all that wait for something look.
    void inject(loose_task& task, bool anybody = false) noexcept;
    // Of the oldest few injected tasks, or of all, the oldest that `w` accepts, or null. The queue is locked meanwhile,
    // so who searches looks at few, and at all before it sleeps.
    enum class queue_part : bool { few, all };
    [[nodiscard]] task_header* take_injected(worker& self, wanted w, queue_part part) noexcept;

    // Of the newest few injected tasks that score() likes, the one it likes best, or null: of those that it does not
    // like it gives no number. The workers here begin with the oldest; who begins at the other end shares fewest
    // objects with them. Any thread.
    template <class Score>
    [[nodiscard]] loose_task* take_injected_best(Score&& score) noexcept;

    // The oldest injected tasks that pick() likes, all of them, in their order; each is the caller's then. Any thread.
    template <class Pick, class Take>
    void take_injected_if(Pick&& pick, Take&& take) noexcept;

    // Whether a worker may take this task from the queue sooner or later: one that sleeps and is not waiting for such a
    // task does not, but it may wake and wait for something else. A worker that has announced its sleep has looked at
    // the queue afterwards or will. Any thread; the task lies in the queue or nowhere.
    [[nodiscard]] bool may_be_taken(const loose_task& task) const noexcept;

    // Set before the first task: one that runs already, and what follows on its stack, would not look there.
    void look_outward(outward* to) noexcept {
        outward_.store(to, memory_order::release);
        watched_.store(to != nullptr || observed(), memory_order::release); // O1 -> O2
    }
    [[nodiscard]] outward* beyond() const noexcept { return outward_.load(memory_order::acquire); }
    // The caller's wait for tasks is over: outward::waited().
    void tell_waited(const task_context* parent) const noexcept {
        if (outward* const to = beyond()) {
            to->waited(parent);
        }
    }
    // Whether anybody but the workers is interested in what tasks do: other processes, a trace, or the watchdog. One
    // look for all, so that what is off costs a task nothing.
    [[nodiscard]] bool watched() const noexcept { return watched_.load(memory_order::acquire); } // O2 <- O1
    // Whether beginning a loose task is no more than a push: no trace wants to know, and check_process() would return.
    [[nodiscard]] bool begins_silently() const noexcept { return silent_generation_ == port::process_generation(); }

    // Takes this task out of wherever it lies, for the caller to run. False: somebody has begun it.
    // Precondition: it was pushed or injected here.
    [[nodiscard]] bool withdraw(worker& self, loose_task& task) noexcept;
    // The newest loose task of the own deque below depth `at` that `w` accepts, or null; moves `at` down to it.
    [[nodiscard]] task_header* take_own(worker& self, wanted w, std::size_t& at) noexcept;

    // The owner has pushed and was told that somebody wants attention: wakes who can use it. `joined`: the context
    // that the pushed task was begun under, where it is not the running one's. False: the owner is asked to stop.
    bool answer_push(worker& self, const context* joined = nullptr) noexcept;

    // After a request to stop: sees to it that the next push and the next pop of every worker go the slow way, which
    // looks for requests. Any thread, under the lock of requests.
    void alert() noexcept;
    // The same for the caller's own next push and pop.
    static void alert_itself(worker& self) noexcept {
        self.ring();
        self.mine().share_all();
    }
    team* next_alerted = nullptr; // of those that requests look at; under their lock

    // Wakes all; work() returns.
    void stop() noexcept;
    [[nodiscard]] bool stopping() const noexcept { return stopping_.load(memory_order::acquire); }

    // Differs from that of every other team of this process, before and after.
    [[nodiscard]] std::uint64_t serial() const noexcept { return serial_; }
    [[nodiscard]] void* owner() const noexcept { return settings_.owner; }
    [[nodiscard]] wait_observer* observer() const noexcept { return settings_.observer; }
    [[nodiscard]] unsigned workers() const noexcept { return settings_.workers; }
    [[nodiscard]] unsigned max_slots() const noexcept { return settings_.max_slots; }
    [[nodiscard]] steal_protocol protocol() const noexcept { return settings_.protocol; }
    // Slots made so far; slot(i) is valid below. K5 <- K4, both.
    [[nodiscard]] unsigned slots() const noexcept { return made_.load(memory_order::acquire); }
    [[nodiscard]] worker& slot(unsigned i) const noexcept { return *table_[i].load(memory_order::acquire); }
    // Ends the process if it is a child that was forked inside a task: the tasks of the team run on threads that the
    // child does not have.
    void check_process() const noexcept;
    [[nodiscard]] bool orphaned() const noexcept;
    // What a task inherits that is begun outside any task.
    [[nodiscard]] const context& root() const noexcept { return root_; }
    // The parent of what is spawned outside tasks and outside run().
    [[nodiscard]] const task_context& outside() const noexcept { return outside_; }
    [[nodiscard]] latch<machine>& detached() noexcept { return detached_; }
    // Names that have appeared and overlap others. Any thread.
    void count_overlaps(std::uint64_t n) noexcept { overlaps_.fetch_add(n, memory_order::release); }
    [[nodiscard]] std::uint64_t overlaps() const noexcept { return overlaps_.load(memory_order::acquire); }
    [[nodiscard]] bool any_injected() const noexcept { return injected_count_.load(memory_order::acquire) != 0; }

    // Something is there that search() finds, and nobody may be looking: wakes one that does, if one sleeps.
    void rouse() noexcept;
    // What the caller may have been called for is the others' concern, though it has not searched.
    void pass_on(worker& self) noexcept {
        self.roused = true; // R1
        relay(self);
    }

  private:
    // One thief looking for work. Times are in ticks.
    struct search {
        std::uint64_t began = 0;        // of the search, or the last sign of life
        worker* asked = nullptr;        // who owes an answer,
        std::uint64_t asked_at = 0;     // and since when
        worker* suspect = nullptr;      // who seems to have work for others, and is not asked yet:
        std::uint32_t entry = 0;        // in which of its regions, as for the other,
        std::uint64_t suspected_at = 0; // and since when
        bool declined = false;          // somebody was forced and had nothing for this search
        unsigned turn = 0;
    };

    // The loop of wait(), and that of wait_from_here().
    template <class Trace, class Condition>
    void wait_as(worker& self, Trace trace, wanted w, std::size_t base, Condition& c, const char* text,
                 const void* subject) noexcept;
    template <class Trace, class Condition>
    void run_own(worker& self, Trace trace, wanted w, Condition& c) noexcept;
    // The loop of work().
    template <class Trace, class Retired>
    void work_as(worker& self, Trace trace, Retired&& retired) noexcept;

    // One round over the victims. Null: nothing this time.
    task_header* look(worker& self, wanted w, search& s) noexcept;
    // The look of somebody who has announced that it will sleep. `unsure`: a gate was closed, do not sleep yet.
    task_header* last_look(worker& self, wanted w, bool& unsure) noexcept;
    // A loose task from the middle of the victim's deque.
    answer extract_from(worker& self, worker& victim, wanted w, task_header*& task) noexcept;
    // The first search of a loop, or one behind a task or a sleep. What has passed since the worker searched last, if
    // it has not slept, was work (also what a thread from outside has done there): so much may be searched, in all,
    // until the worker has slept.
    void begin_search(worker& self, search& s, bool has_slept) const noexcept;
    // Whether the search has taken long enough for a sleep. What has been searched is paid for here.
    [[nodiscard]] bool expired(worker& self, const search& s) const noexcept;
    void relax(search& s) noexcept;
    [[nodiscard]] bool worth_asking(const worker& self, worker& victim, search& s, std::uint64_t now) const noexcept;
    // Whether its work has lately been more than its searches.
    [[nodiscard]] bool has_paid(const worker& self) const noexcept;
    // How long a region is left alone by this one, in ticks.
    [[nodiscard]] std::uint64_t youth(const worker& self) const noexcept;
    answer steal_from(worker& self, worker& victim, wanted w, bool force, task_header*& task) noexcept;

    // The interrupt protocol (steal_interrupt.cpp). One round of a search asks one victim.
    task_header* interrupt_one(worker& self, wanted w, search& s) noexcept;
    // alert() there. Of a thread that holds no slot here nobody would take an interrupt.
    void alert_cores() noexcept;
    // Sends a request and waits for the reply, which is then in self.request. Busy: the victim had masked interrupts.
    static answer request(worker& self, worker& victim, steal_request::kind what, wanted w,
                          loose_task* subject) noexcept;
    // On the victim's core: the handler, and what it does for one thief.
    static void on_interrupt(unsigned sender) noexcept;
    static void serve(steal_request& r) noexcept;
    [[nodiscard]] bool interrupts() const noexcept { return settings_.protocol == steal_protocol::interrupt; }
    [[nodiscard]] bool traced() const noexcept { return takes_events<machine> || settings_.trace_records != 0; }
    [[nodiscard]] bool observed() const noexcept { return traced() || settings_.observer != nullptr; }
    [[nodiscard]] naming naming_of(const task_header& task) const noexcept {
        return settings_.naming_of != nullptr ? settings_.naming_of(task)
                                              : naming{trace_id(task.run), task_naming::code};
    }

    // Whether a thief may take this, and if so marks it as the thief's. Inside the door of the deque.
    static bool accept_for(worker& thief, const worker& victim, wanted w, std::size_t depth, task_header& task,
                           std::size_t index) noexcept;

    // As slots(), for a thief: what it will read of new workers is not older than they are.
    unsigned known_slots(worker& self) const noexcept;
    [[nodiscard]] worker& choose(const worker& self, unsigned turn, unsigned n) const noexcept;

    // Sleeps if `arm` succeeds and a last look finds nothing; returns what it finds.
    template <class Condition>
    [[nodiscard]] task_header* sleep(worker& self, wanted w, Condition& c) noexcept;
    // Rings whoever could push what `w` wants; says whether the rings are ordered before what follows. They are not if
    // the wait for that was long and `over` says that it need not go on.
    template <class Over>
    bool ring_for(wanted w, Over&& over) noexcept;
    bool ring_pages(wanted w) noexcept; // false: in this protocol there is nothing to ring

    // The caller searches no more: it has found a task, its wait is over, or it waits for something and goes to sleep.
    // If it was roused, what it was roused for may be still there: R2 to R5 of the README.
    void relay(worker& self) noexcept {
        if (std::exchange(self.roused, false) && sleepers_.load(memory_order::acquire) != 0) [[unlikely]] { // R2
            rouse_another(self);
        }
    }
    void rouse_another(worker& self) noexcept;
    // Whether anybody's deque or the queue looks as if it held a task.
    [[nodiscard]] bool any_work(worker& self) const noexcept;
    // Calls f(worker, what it waits for) for those who have announced that they will sleep, until it returns true.
    template <class F>
    bool any_sleeper(F&& f) noexcept;
    // Wakes one who can use what the owner has pushed.
    void call_sleeper(worker& self, const context* joined) noexcept;
    // Wakes one worker that takes anything, if one sleeps. Precondition: a full fence since the work was made visible.
    bool wake_any() noexcept;
    // Wakes all who wait for something and might find a task for them.
    void wake_waiters() noexcept;
    void unlink(loose_task& task) noexcept;

    void ring_all() noexcept;
    worker* make_slot(unsigned number);
    // One more, taken, or null. Precondition: mutex_ is held.
    worker* add_slot();

    // Constant after construction.
    const team_settings settings_;
    const std::uint32_t generation_;
    const std::uint64_t silent_generation_; // the same, or with a trace none
    const std::uint64_t serial_;
    const std::uint64_t patience_;     // ticks that an owner may take to answer
    const std::uint64_t least_youth_;  // ticks of a region's life in which nobody asks,
    const std::uint64_t youth_;        // and of those in which nobody does who has found little to do
    const std::uint64_t spin_time_;    // ticks of search before sleep, at least,
    const std::uint64_t most_earned_;  // and those that work may have earned,
    const std::uint64_t least_earned_; // of which more are left to who has paid for its searches
    const std::unique_ptr<machine::atomic<worker*>[]> table_;

    // Any thread.
    latch<machine> detached_; // tasks that nothing inside the team waits for
    machine::atomic<unsigned> made_{0};
    machine::atomic<unsigned> sleepers_{0};
    shared_fence<machine> fence_;
    machine::atomic<bool> stopping_{false};
    machine::atomic<std::size_t> injected_count_{0};
    machine::atomic<std::uint64_t> overlaps_{0};
    machine::atomic<outward*> outward_{nullptr};
    machine::atomic<bool> watched_{observed()};
    const context root_{nullptr, &detached_, &outside_};
    const task_context outside_{&root_, nullptr, nullptr, nullptr};

    mutex<machine> mutex_; // guards what follows
    loose_task* oldest_injected_ = nullptr;
    loose_task* newest_injected_ = nullptr;
};

template <class Score>
loose_task* team::take_injected_best(Score&& score) noexcept {
    constexpr int most_liked = 32;
    const std::lock_guard lock(mutex_);
    loose_task* best = nullptr;
    std::optional<std::int64_t> most;
    int seen = 0;
    int liked = 0;
    for (loose_task* task = newest_injected_; task != nullptr && seen < machine::queue_looks && liked < most_liked;
         task = task->older, ++seen) {
        const std::optional<std::int64_t> s = score(*task);
        liked += s ? 1 : 0;
        if (s && (!most || *s > *most)) {
            best = task;
            most = s;
        }
    }
    if (best != nullptr) {
        unlink(*best);
    }
    return best;
}

template <class Pick, class Take>
void team::take_injected_if(Pick&& pick, Take&& take) noexcept {
    const std::lock_guard lock(mutex_);
    for (loose_task* task = oldest_injected_; task != nullptr;) {
        loose_task* const next = task->newer;
        if (pick(*task)) {
            unlink(*task);
            take(*task);
        }
        task = next;
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
