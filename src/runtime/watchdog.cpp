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
        if (w.stop_.load(memory_order::acquire) == 0 && w.overdue(now)) {
            try {
                w.report(now);
            } catch (const std::exception& e) {
                fixed_text<200> text;
                text << "skerry watchdog: a wait lasts, and its report cannot be made: " << e.what() << '\n';
                port::write_stderr(text.view());
            }
        }
    }
}

bool watchdog::lacks_permits() const {
    const lent_permits lent = permits_();
    return lent.blocked > lent.standing_in;
}

bool watchdog::overdue(std::uint64_t now) const {
    const bool lacking = lacks_permits();
    for (unsigned i = 0; i < team_.slots(); ++i) {
        const wait_note note = records_.note(i);
        if ((is_wait(note) && lasts(note.since, now, limit_ns_)) ||
            (lacking && lasts(records_.blocked_since(i), now, limit_ns_))) {
            return true;
        }
    }
    return false;
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

std::string watchdog::line_of(unsigned slot, std::uint64_t now) const {
    const worker& w = team_.slot(slot);
    const wait_note note = records_.note(slot);
    std::string text = "  " + worker_text(slot) + ": ";
    if (!w.taken.load(memory_order::relaxed)) {
        return text + "not in use\n";
    }
    if (const std::uint64_t since = records_.blocked_since(slot); since != 0) {
        text += "inside blocking()" + time_text(since, now);
    } else if (is_wait(note)) {
        text += "waits for " + std::string(note.text) + ' ' +
                address_text(reinterpret_cast<std::uintptr_t>(note.subject)) + time_text(note.since, now);
    } else if (note.text != nullptr) {
        text += note.text + time_text(note.since, now);
    } else {
        text += w.sleeping.prepared() ? "idle" : "runs the program's own code";
    }
    std::vector<unsigned> others;
    if (const std::string whom = waits_for(slot, others); !whom.empty()) {
        text += ", " + whom;
    }
    text += w.sleeping.prepared() ? ", asleep" : "";
    text += w.tasks.looks_busy() ? ", has tasks\n" : "\n";
    const std::string place = records_.blocked_since(slot) != 0 ? records_.place_of_blocking(slot)
                              : is_wait(note)                   ? records_.place_of_wait(slot)
                                                                : std::string();
    return place.empty() ? text : text + "    at " + place + "\n";
}

void watchdog::report(std::uint64_t now) const {
    std::string text =
        "skerry watchdog: a wait has lasted longer than " + std::to_string(limit_ns_ / 1'000'000) + " ms\n";
    for (unsigned i = 0; i < team_.slots(); ++i) {
        text += line_of(i, now);
    }
    // What was read piece by piece may never have been so at one time; what stands in a circle stays.
    const std::vector<unsigned> cycle = find_cycle(look());
    port::sleep_ns(1'000'000);
    if (!cycle.empty() && cycle == find_cycle(look())) {
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
