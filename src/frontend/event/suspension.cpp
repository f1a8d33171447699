// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/suspension.hpp"

#include <new>
#include <type_traits>
#include <utility>

#include "base/panic.hpp"
#include "frontend/event/awaiting.hpp"
#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// While it lives, traces and the watchdog see nothing of the receive function that the calling core runs.
class unseen_call {
  public:
    explicit unseen_call(const receiving_state& call) noexcept
        : what_(naming_of(*call.inside)),
          id_(trace_id(event::of(call.received))) {
        self_.with_trace([&](auto trace) {
            if constexpr (!std::is_same_v<decltype(trace), null_trace>) {
                trace.end(id_);
                if (wait_observer* const to = self_.home.observer()) {
                    before_ = to->running(self_.slot);
                    to->runs(self_.slot, {});
                }
            }
        });
    }
    unseen_call(const unseen_call&) = delete;
    unseen_call& operator=(const unseen_call&) = delete;
    ~unseen_call() {
        self_.with_trace([&](auto trace) {
            if constexpr (!std::is_same_v<decltype(trace), null_trace>) {
                trace.start(id_, what_.address, what_.kind);
                if (wait_observer* const to = self_.home.observer()) {
                    before_.since = before_.task_since = port::now_ns();
                    to->runs(self_.slot, before_);
                }
            }
        });
    }

  private:
    const worker& self_ = worker::of(*current_page);
    const naming what_;
    const std::uint64_t id_;
    running_note before_;
};

} // namespace

// --- what there is --------------------------------------------------------------------------------------------------

core_fibers::core_fibers(event_machine& em, int core, call_fiber& first)
    : outside(current_page->ctx),
      overflow({}),
      loop(&first),
      dispatch(em, core, this) {}

core_fibers* event_machine::fibers(int core) const noexcept {
    return suspensions_ != nullptr ? suspensions_->cores[static_cast<std::size_t>(core)].get() : nullptr;
}

void core_fibers::end_running() noexcept {
    call_fiber& mine = *running;
    if (&mine == loop) { // em_dispatch() returns
        mine.stack.end_at(thread);
    }
    ended = &mine;
    mine.stack.end_at(*resumer);
}

suspensions::suspensions(unsigned at_most, std::size_t bytes)
    : most(at_most),
      stack_size(bytes),
      bucket_count_(std::bit_ceil(std::size_t{at_most} + 1)),
      buckets_(std::make_unique<bucket[]>(bucket_count_)) {}

suspensions::~suspensions() {
    call_fiber* after = nullptr;
    for (call_fiber* c = free_.first(); c != nullptr; c = after) {
        after = free_.after(*c);
        delete c;
    }
}

suspensions::bucket& suspensions::bucket_of(em_event_t event) const noexcept {
    constexpr std::uint64_t spread = 0x9e3779b97f4a7c15; // Knuth's multiplicative hashing
    const std::uint64_t key = reinterpret_cast<std::uintptr_t>(event);
    return buckets_[(key * spread >> 32) & (bucket_count_ - 1)];
}

void suspensions::add(call_fiber& c) noexcept {
    bucket_of(c.event).push_back(c);
    all_.push_back(c);
}

void suspensions::remove(call_fiber& c) noexcept {
    bucket_of(c.event).erase(c);
    all_.erase(c);
}

call_fiber* suspensions::find(em_event_t event, bool& resumed) const noexcept {
    const bucket& of = bucket_of(event);
    for (call_fiber* c = of.first(); c != nullptr; c = of.after(*c)) {
        if (c->event == event) {
            if (!c->resumed) {
                return c;
            }
            resumed = true;
        }
    }
    return nullptr;
}

call_fiber& suspensions::take_free() {
    call_fiber* const c = free_.first();
    if (c == nullptr) {
        return *new call_fiber(stack_size);
    }
    free_.erase(*c);
    return *c;
}

// --- cores ----------------------------------------------------------------------------------------------------------

void event_machine::add_fibers(int core) {
    if (suspensions_ == nullptr) {
        return;
    }
    const std::lock_guard lock(lock_);
    call_fiber& first = suspensions_->take_free();
    try {
        suspensions_->cores[static_cast<std::size_t>(core)] = std::make_unique<core_fibers>(*this, core, first);
    } catch (const std::bad_alloc&) {
        suspensions_->give_free(first);
        throw;
    }
}

void event_machine::remove_fibers(int core) noexcept {
    if (suspensions_ == nullptr) {
        return;
    }
    std::unique_ptr<core_fibers> gone;
    const std::lock_guard lock(lock_);
    gone = std::move(suspensions_->cores[static_cast<std::size_t>(core)]);
    suspensions_->give_free(*gone->loop);
    if (gone->spare != nullptr) {
        suspensions_->give_free(*gone->spare);
    }
}

bool event_machine::has_suspended(int core) noexcept {
    const std::lock_guard lock(lock_);
    const core_fibers* const mine = fibers(core);
    return mine != nullptr && mine->suspended != 0;
}

void event_machine::await_suspended() {
    if (const core_fibers* const mine = fibers(this_event_thread.core)) {
        await("suspended receive functions of the event machine", [&] { return mine->suspended == 0; });
    }
}

// --- suspend and resume ---------------------------------------------------------------------------------------------

void event_machine::move_place(ordered_place& from, ordered_place& to) noexcept {
    to.source = std::exchange(from.source, nullptr);
    to.source->places.replace(from, to);
    to.own = from.own.take_all();
    to.after = from.after.take_all();
}

// What the running one has in the core's lists and places, which are empty then.
void event_machine::take_along(call_fiber& c) noexcept {
    const auto core = static_cast<std::size_t>(c.core);
    c.local = locals_[core].take_all();
    local_ &= ~(std::uint64_t{1} << core);
    if (ordered_place& p = place_of(c.core); p.source != nullptr) {
        move_place(p, c.place);
    }
}

event_machine::suspended event_machine::suspend() noexcept {
    event_thread& self = this_event_thread;
    core_fibers& mine = suspensions_->of(self.core);
    call_fiber& c = *mine.running;
    const bool has_loop = mine.loop == &c;
    {
        const std::lock_guard lock(lock_);
        count_own(self.core);
        const auto event = reinterpret_cast<std::uintptr_t>(self.received);
        if (mine.receives.load(memory_order::relaxed) != event) { // it was resumed ahead
            mine.receives.store(event, memory_order::relaxed);
            return suspended::yes;
        }
        if (suspensions_->is_full()) {
            return suspended::too_many;
        }
        if (has_loop && mine.spare == nullptr) {
            try {
                mine.spare = &suspensions_->take_free();
            } catch (const std::bad_alloc&) {
                return suspended::no_memory;
            }
        }
        mine.receives.store(0, memory_order::relaxed);
        c.event = self.received;
        c.core = self.core;
        c.priority = self.scheduled != nullptr ? self.scheduled->priority : unsigned{EM_QUEUE_PRIO_NORMAL};
        c.resumed = false;
        suspensions_->add(c);
        ++mine.suspended;
        if (self.scheduled != nullptr) {
            ++self.scheduled->group->suspended[static_cast<std::size_t>(self.core)];
        }
        take_along(c);
        note();
    }
    {
        const unseen_call unseen(self);
        root_frame& frame = *self.frame;
        frame.leave();
        calls(self.core, nullptr);
        c.state = std::exchange(static_cast<receiving_state&>(self), {});
        if (has_loop) {
            mine.dispatch.move_to(*std::exchange(mine.spare, nullptr));
        } else {
            c.stack.go_to(*mine.resumer);
        }
        frame.come_back(); // and the thread has its state again: go_on_with()
        calls(self.core, current_page->ctx);
    }
    return suspended::yes;
}

event_machine::resumed event_machine::resume(em_event_t event) noexcept {
    wake_ups w;
    const std::lock_guard lock(lock_);
    bool before = false;
    if (call_fiber* const c = suspensions_->find(event, before)) {
        c->resumed = true;
        suspensions_->of(c->core).resumed.put(*c);
        resumed_ |= std::uint64_t{1} << c->core;
        note();
        wake(c->core, w);
        changed_.notify_all(); // a core that waits for others
        return resumed::yes;
    }
    // All who have it: without verification another core may have sent it on, and not have returned yet.
    const auto running = reinterpret_cast<std::uintptr_t>(event);
    bool ahead = false;
    for (const std::unique_ptr<core_fibers>& core : suspensions_->cores) {
        if (core == nullptr) {
            continue;
        }
        std::uintptr_t seen = running;
        if (core->receives.compare_exchange_strong(seen, running | core_fibers::resumed_ahead, memory_order::relaxed,
                                                   memory_order::relaxed)) {
            ahead = true;
        }
        before = before || seen == (running | core_fibers::resumed_ahead);
    }
    return ahead ? resumed::yes : before ? resumed::before : resumed::nobody;
}

// Its event is that of the core's receive function, and what it has taken along lies in the core's lists and places
// again. Precondition: they are empty.
call_fiber& event_machine::take_resumed(int core, unsigned priority) noexcept {
    const auto at = static_cast<std::size_t>(core);
    const std::uint64_t bit = std::uint64_t{1} << core;
    core_fibers& mine = suspensions_->of(core);
    call_fiber& c = mine.resumed.take(priority);
    if (mine.resumed.priorities() == 0) {
        resumed_ &= ~bit;
    }
    suspensions_->remove(c);
    mine.receives.store(reinterpret_cast<std::uintptr_t>(c.event), memory_order::relaxed);
    --mine.suspended;
    if (c.state.scheduled != nullptr) {
        --c.state.scheduled->group->suspended[at];
    }
    locals_[at] = c.local.take_all();
    if (locals_[at].empty()) {
        local_ &= ~bit;
    } else {
        local_ |= bit;
    }
    if (c.place.source != nullptr) {
        move_place(c.place, place_of(core));
    }
    return c;
}

// Where the core waits for others. It stands in no receive function.
void event_machine::run_resumed(int core) noexcept {
    const auto at = static_cast<std::size_t>(core);
    kept_events kept;
    call_fiber* c = nullptr;
    core_fibers* mine = nullptr;
    {
        const std::lock_guard lock(lock_);
        mine = fibers(core);
        if (mine == nullptr || mine->resumed.priorities() == 0 || current_page != this_event_thread.page) {
            return;
        }
        kept.all = locals_[at].take_all();
        mine->around.push_back(kept);
        c = &take_resumed(core, mine->resumed.highest());
        note();
    }
    go_on_with(*c);
    {
        const std::lock_guard lock(lock_);
        mine->around.erase(kept);
        kept.all.append(locals_[at]);
        locals_[at] = kept.all.take_all();
        local_ |= locals_[at].empty() ? 0 : std::uint64_t{1} << core;
        note();
    }
    pass_on();
}

void event_machine::go_on_with(call_fiber& c) noexcept {
    event_thread& self = this_event_thread;
    core_fibers& mine = suspensions_->of(self.core);
    call_fiber* const here = std::exchange(mine.running, &c);
    port::fiber& from = here != nullptr ? here->stack : mine.thread;
    port::fiber* const before = std::exchange(mine.resumer, &from);
    const receiving_state state = std::exchange(static_cast<receiving_state&>(self), c.state);
    from.go_to(c.stack);
    static_cast<receiving_state&>(self) = state;
    mine.resumer = before;
    mine.running = here;
    if (call_fiber* const ended = std::exchange(mine.ended, nullptr)) {
        if (mine.spare == nullptr) {
            mine.spare = ended;
        } else {
            const std::lock_guard lock(lock_);
            suspensions_->give_free(*ended);
        }
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
