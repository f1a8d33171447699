// SPDX-License-Identifier: Apache-2.0

#include "runtime/watchdog.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "base/port/clock.hpp"
#include "base/port/lock_wait.hpp"
#include "base/port/peer_memory.hpp"
#include "base/port/process.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "sched/wanted.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::size_t own_stack = std::size_t{1} << 20; // libdw's

// A worker with nothing to do, or with something that runs, is not waiting.
bool is_wait(const wait_note& note) noexcept {
    return note.text != nullptr && std::strcmp(note.text, "running tasks") != 0;
}

bool lasts(std::uint64_t since, std::uint64_t now, std::uint64_t limit) noexcept {
    return since != 0 && now > since && now - since >= limit;
}

// Reads what a worker may change or free meanwhile: past the compiler, and without a fault.
template <class T, std::size_t N>
[[nodiscard]] bool read(const T* from, std::array<T, N>& to) noexcept {
    const port::peer_range range{
        .here = static_cast<void*>(&to), .there = reinterpret_cast<std::uintptr_t>(from), .bytes = sizeof to};
    return port::read_peer(port::process_id(), {&range, 1}) == sizeof to;
}

// context::within() for the context of another worker.
bool runs_within(const worker& w, const context* outer) noexcept {
    constexpr unsigned deepest = 100'000;
    using pointer = const context*;
    std::array<pointer, 1> at{};
    if (!read(&static_cast<const worker_page&>(w).ctx, at)) {
        return false;
    }
    for (unsigned depth = 0; at[0] != nullptr && depth < deepest; ++depth) {
        std::array<pointer, 4> c{}; // parent, pending, spawner, member_of: its layout
        std::array<pointer, 1> child_of{};
        if (at[0] == outer) {
            return true;
        }
        const auto* const words = reinterpret_cast<const pointer*>(at[0]);
        if (!read(words, c)) {
            return false;
        }
        const bool spawned = c[2] == at[0] && read(words + 5, child_of); // behind it, in a task_context
        if (c[3] == outer || (spawned && child_of[0] == outer)) {
            return true;
        }
        at[0] = c[0];
    }
    return false;
}

std::string worker_text(unsigned slot) { return "worker " + std::to_string(slot); }

std::string time_text(std::uint64_t since, std::uint64_t now) {
    return ", for " + std::to_string((now - std::min(since, now)) / 1'000'000) + " ms";
}

std::string address_text(std::uint64_t address) {
    fixed_text<24> text;
    text << hex{address};
    return std::string(text.view());
}

} // namespace

watchdog::watchdog(const team& crew, const wait_records& records, double seconds, std::function<lent_permits()> permits,
                   port::name_for told)
    : team_(crew),
      records_(records),
      limit_ns_(static_cast<std::uint64_t>(seconds * 1e9)),
      permits_(std::move(permits)) {
    thread_.start(own_stack, "skerry watchdog", &run, this, std::nullopt, told);
}

watchdog::~watchdog() {
    if (thread_.joinable()) {
        stop_.store(1, memory_order::release);
        machine::futex_wake(stop_, 1);
        thread_.join();
    }
}

void watchdog::run(void* self) {
    watchdog& w = *static_cast<watchdog*>(self);
    while (w.stop_.load(memory_order::acquire) == 0) {
        machine::futex_wait_for(w.stop_, 0, w.limit_ns_);
        const std::uint64_t now = port::now_ns();
        if (w.stop_.load(memory_order::acquire) != 0) {
            break;
        }
        try {
            if (const char* const why = w.overdue(now)) {
                w.report(now, why);
            }
        } catch (const std::exception& e) {
            fixed_text<200> text;
            text << "skerry watchdog: a wait lasts, and its report cannot be made: " << e.what() << '\n';
            port::write_stderr(text.view());
        }
    }
}

bool watchdog::lacks_permits() const {
    const lent_permits lent = permits_();
    return lent.blocked > lent.standing_in;
}

// In blocking() a worker may sleep, and so may one that has nothing to do.
void watchdog::look_at_sleep(unsigned slot, std::uint64_t now) {
    slot_memory& m = memory_[slot];
    const worker& w = team_.slot(slot);
    std::optional<port::thread_call> call;
    std::uint64_t sleeps = 0;
    if (w.taken.load(memory_order::acquire) && !w.sleeping.prepared() && !w.parked.load(memory_order::acquire) &&
        records_.blocked_since(slot) == 0) {
        sleeps = port::sleeps_of_thread(records_.thread(slot));
        call = port::call_of_thread(records_.thread(slot));
        if (call && call->running) {
            call.reset();
        }
    }
    if (!call) {
        m.asleep_since = 0;
    } else if (m.sleep != call || sleeps < m.sleeps || sleeps - m.sleeps > m.roused || m.asleep_since == 0) {
        m.asleep_since = now;
    }
    m.sleep = call;
    m.sleeps = sleeps;
    m.roused = 0;
}

std::uint64_t watchdog::newest_overdue(unsigned slot, std::uint64_t now) const {
    const running_note running = records_.running(slot);
    for (const std::uint64_t since : {running.since, running.task_since}) {
        if (lasts(since, now, limit_ns_)) {
            return since;
        }
    }
    return 0;
}

const char* watchdog::overdue(std::uint64_t now) {
    memory_.resize(team_.slots());
    const bool lacking = lacks_permits();
    bool wait = false;
    bool asleep = false;
    bool task = false;
    bool any = false; // told or not
    bool waiting = false;
    const auto told = [&](std::uint64_t since, std::uint64_t& known) {
        const bool lasting = lasts(since, now, limit_ns_);
        any = any || lasting;
        return lasting && std::exchange(known, since) != since;
    };
    for (unsigned i = 0; i < memory_.size(); ++i) {
        look_at_sleep(i, now);
        slot_memory& m = memory_[i];
        const wait_note note = records_.note(i);
        wait = (is_wait(note) && told(note.since, m.wait_told)) || wait;
        wait = (lacking && told(records_.blocked_since(i), m.blocking_told)) || wait;
        if (m.asleep_since <= reported_) { // the last report has told where
            m.sleep_told = m.asleep_since;
        }
        asleep = told(m.asleep_since, m.sleep_told) || asleep;
        waiting = waiting || is_wait(note);
    }
    for (unsigned i = 0; i < memory_.size() && !wait; ++i) {
        slot_memory& m = memory_[i];
        const std::uint64_t since = records_.blocked_since(i) == 0 ? newest_overdue(i, now) : 0;
        if (since == 0) {
            continue;
        }
        any = true;
        if (waiting && std::exchange(m.task_seen, since) != since) {
            continue; // perhaps for this task: then that wait is overdue, too, at the next look
        }
        task = m.task_told < since || task; // what began earlier lies around what was told
        m.task_told = std::max(m.task_told, since);
    }
    if (wait) {
        return "a wait has lasted longer than ";
    }
    if (asleep) {
        return "a worker has slept in a call of the program longer than ";
    }
    if (task) {
        return "a task has run for longer than ";
    }
    if (any && !circle().empty() && circle() != circle_told_) {
        return "workers have waited for each other longer than ";
    }
    return nullptr;
}

std::string watchdog::waits_for(unsigned slot, std::vector<unsigned>& others) const {
    const worker& w = team_.slot(slot);
    if (!w.taken.load(memory_order::relaxed)) {
        return {};
    }
    if (!w.sleeping.prepared()) {
        const std::optional<port::lock_wait> found = port::lock_wait_of(records_.thread(slot));
        if (!found) {
            return {};
        }
        const std::string lock = "wants the lock " + address_text(found->lock) + " that ";
        for (unsigned i = 0; i < team_.slots(); ++i) {
            if (team_.slot(i).taken.load(memory_order::relaxed) && records_.thread(i) == found->holder) {
                others.push_back(i);
                return lock + (i == slot ? "it holds itself" : worker_text(i) + " holds");
            }
        }
        return lock + "thread " + std::to_string(found->holder) + " holds, which is no worker";
    }
    if (!is_wait(records_.note(slot))) {
        return {};
    }
    const wanted what = wanted::from_word(w.announced.load(memory_order::acquire));
    if (const worker_page* const executor = what.executor()) {
        others.push_back(static_cast<const worker*>(executor)->slot);
        return "which " + worker_text(others.back()) + " runs";
    }
    // Who waits for all that is left waits for whoever has begun anything: a stolen task, or a wait inside of one.
    const auto runs = [&](unsigned i) {
        return what.is_any() ? records_.note(i).text != nullptr : runs_within(team_.slot(i), what.ctx());
    };
    std::string text;
    for (unsigned i = 0; i < team_.slots(); ++i) {
        if (i != slot && team_.slot(i).taken.load(memory_order::relaxed) && runs(i)) {
            others.push_back(i);
            text += (text.empty() ? "which " : " and ") + worker_text(i);
        }
    }
    return text.empty() ? "which nobody runs" : text + (others.size() == 1 ? " runs" : " run");
}

wait_graph watchdog::look() const {
    wait_graph graph(team_.slots());
    for (unsigned i = 0; i < graph.size(); ++i) {
        static_cast<void>(waits_for(i, graph[i]));
        std::erase_if(graph[i], [&graph](unsigned to) { return to >= graph.size(); });
    }
    return graph;
}

std::vector<unsigned> watchdog::circle() const {
    // What was read piece by piece may never have been so at one time; what stands in a circle stays.
    std::vector<unsigned> found = find_cycle(look());
    if (!found.empty()) {
        port::sleep_ns(1'000'000);
        if (found != find_cycle(look())) {
            found.clear();
        }
    }
    return found;
}

std::string watchdog::place_of(unsigned slot) {
    const worker& w = team_.slot(slot);
    port::place_in_program place;
    bool exact = true;
    if (records_.blocked_since(slot) != 0) {
        place = records_.place_of_blocking(slot);
    } else if (w.sleeping.prepared()) {
        place = is_wait(records_.note(slot)) ? records_.place_of_wait(slot) : port::place_in_program();
    } else {
        const port::thread_stack now = stacks_.read(records_.thread(slot));
        ++memory_[slot].roused;
        exact = now.exact;
        place = port::place_in_task(now.calls, exact);
        if (place.call.empty() && is_wait(records_.note(slot))) {
            place = records_.place_of_wait(slot);
            exact = true;
        }
    }
    std::string text = place.call.empty() ? "" : (exact ? "    at " : "    near ") + place.call + "\n";
    return place.task.empty() ? text : text + "    in a task that begins at " + place.task + "\n";
}

std::string watchdog::line_of(unsigned slot, std::uint64_t now) {
    const worker& w = team_.slot(slot);
    const wait_note note = records_.note(slot);
    const running_note running = records_.running(slot);
    std::string text = "  " + worker_text(slot) + ": ";
    if (!w.taken.load(memory_order::relaxed)) {
        return text + "not in use\n";
    }
    const bool awake = !w.sleeping.prepared();
    const bool blocks = records_.blocked_since(slot) != 0;
    if (blocks) {
        text += "inside blocking()" + time_text(records_.blocked_since(slot), now);
    } else if (is_wait(note)) {
        text += "waits for " + std::string(note.text) + ' ' +
                address_text(reinterpret_cast<std::uintptr_t>(note.subject)) + time_text(note.since, now);
    } else if (note.text != nullptr) {
        text += note.text + time_text(note.since, now);
    } else {
        text += awake ? "runs the program's own code" : "idle";
        if (awake && running.what.address == 0 && running.since != 0) {
            text += time_text(running.since, now);
        }
    }
    if (running.what.address != 0 && (awake || is_wait(note))) {
        text += (awake || blocks ? ", runs " : ", inside ") + printable(name_of(running.what)) +
                time_text(running.since, now);
    }
    std::vector<unsigned> others;
    if (const std::string whom = waits_for(slot, others); !whom.empty()) {
        text += ", " + whom;
    } else if (const std::uint64_t since = memory_[slot].asleep_since; since != 0 && since < now && awake && !blocks) {
        text += ", asleep in a call of its own" + time_text(since, now);
    }
    text += awake ? "" : ", asleep";
    text += w.tasks.looks_busy() ? ", has tasks\n" : "\n";
    return text + place_of(slot);
}

void watchdog::report(std::uint64_t now, const char* why) {
    reported_ = now;
    for (unsigned i = 0; i < memory_.size(); ++i) { // what a line tells is told, whatever the report is for
        memory_[i].task_told = std::max(memory_[i].task_told, newest_overdue(i, now));
    }
    std::string text = std::string("skerry watchdog: ") + why + std::to_string(limit_ns_ / 1'000'000) + " ms\n";
    for (unsigned i = 0; i < memory_.size(); ++i) {
        text += line_of(i, now);
    }
    circle_told_ = circle();
    if (const std::vector<unsigned>& cycle = circle_told_; !cycle.empty()) {
        text += "  deadlock:";
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            text += (i == 0 ? " " : ", ") + worker_text(cycle[i]) + " waits for " +
                    (cycle.size() == 1 ? "itself" : worker_text(cycle[(i + 1) % cycle.size()]));
        }
        text += "\n";
    }
    if (const lent_permits lent = permits_(); lent.blocked > lent.standing_in) {
        text += "  " + std::to_string(lent.blocked) + " workers are inside blocking() and " +
                std::to_string(lent.standing_in) + " threads stand in for them, of at most " +
                std::to_string(lent.most) + ": raise options::blocking_threads or SKERRY_BLOCKING_THREADS\n";
    }
    port::write_stderr(text);
}

} // namespace skerry::inline SKERRY_ABI::detail
