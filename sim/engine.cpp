// SPDX-License-Identifier: Apache-2.0
#include "sim/engine.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstring>

#include "base/panic.hpp"
#include "base/port/loaded_code.hpp"
#include "base/port/overflow_scope.hpp"
#include "base/port/thread_area.hpp"
#include "sim/heap.hpp"

namespace skerry_sim::detail {

namespace port = skerry::port;
namespace context = boost::context::detail;

constinit thread_local hot* current [[gnu::tls_model("initial-exec")]] = nullptr;
constinit thread_local hot* observed [[gnu::tls_model("initial-exec")]] = nullptr;

namespace {

constexpr std::int64_t far_away = std::int64_t{1} << 50; // cycles

// What it leads to depends on how the C++ library was built: a block of the host's thread, which all cores share, or
// one in the static part of the thread area, of which each core has its own.
exception_globals* globals_of_thread() noexcept {
    return reinterpret_cast<exception_globals*>(abi::__cxa_get_globals());
}

} // namespace

engine::engine(const machine_description& machine, const settings& set, fiber_stacks& stacks)
    : machine_(machine),
      set_(set),
      protocol_(machine.l1.protocol->make(*this)),
      finds_stale_(!coherent() && set.stale != stale_mode::off),
      tracking_(finds_stale_ && !set.only_interest),
      emulate_(!coherent() && set.stale == stale_mode::emulate),
      outside_(set.only_interest),
      quantum_(static_cast<std::int64_t>(set.quantum != 0 ? set.quantum : machine.least_latency())),
      deaf_quantum_(set.quantum != 0 || coherent() ? quantum_ : far_ahead),
      entry_cycles_(machine.interrupts ? machine.interrupts->entry_cycles : 0),
      set_mask_(machine.l1.bytes / line_bytes / machine.l1.ways - 1),
      associativity_(machine.l1.ways),
      stacks_(stacks),
      cores_(machine.cores.count),
      ready_(machine.cores.count),
      frames_(finds_stale_),
      memory_(machine, set.seed),
      next_watch_(static_cast<std::int64_t>(set.livelock_cycles)) {
    const std::size_t ways = std::size_t{set_mask_ + 1} * associativity_;
    for (unsigned i = 0; i < size(); ++i) {
        core& c = cores_[i];
        c.owner = this;
        c.id = i;
        c.x = static_cast<int>(i % machine.cores.columns);
        c.y = static_cast<int>(i / machine.cores.columns);
        c.thread_area = stacks.thread_area(i);
        c.ways.resize(ways);
        c.used.resize(ways);
        c.swaps.reserve(ways);
        c.old.resize(emulate_ ? ways : 0);
        for (const scripted_death& d : set.deaths) {
            c.dies_at = d.core == i ? std::min(c.dies_at, static_cast<std::int64_t>(d.cycle)) : c.dies_at;
        }
        std::fill_n(c.read_line, filter_slots, no_line);
        std::fill_n(c.write_line, filter_slots, no_line);
        std::fill_n(c.dirty, filter_slots, 0);
        std::memset(c.writer, 0, sizeof c.writer);
    }
    frames_.own(fiber_stacks::base, stacks.end());
    frames_.own(heap_begin(), heap_end());
    for (const port::loaded_range& range : port::loaded_code()) {
        frames_.own(range.begin, range.end);
    }
}

void engine::run(void (*body)(void*), void* arg) {
    stacks_.renew();
    for (core& c : cores_) {
        hot* const itself = &c;
        std::memcpy(port::in_thread_area(c.thread_area, static_cast<const void*>(&current)),
                    static_cast<const void*>(&itself), sizeof(hot*));
        c.observed_at = static_cast<hot**>(port::in_thread_area(c.thread_area, static_cast<const void*>(&observed)));
    }
    observe(!outside_);
    core& first = cores_[0];
    begin_thread(first, body, arg, 0);
    ready_.set(0, ready_tree::never);
    set_limit(first);
    {
        const port::overflow_scope guard(stacks_.guard());
        // The copies were made before the guard stood; the fault handler runs with a core's variables.
        for (core& c : cores_) {
            port::share_stack_guard(c.thread_area);
        }
        host_area_ = port::thread_pointer();
        shared_globals_ = globals_of_thread();
        port::set_thread_pointer(first.thread_area);
        if (globals_of_thread() != shared_globals_) {
            shared_globals_ = nullptr;
        }
        if (shared_globals_ != nullptr) {
            host_exceptions_ = std::exchange(*shared_globals_, first.exceptions);
        }
        context::jump_fcontext(first.context, static_cast<void*>(&host_));
    }
    if (ending_ == ending::failed) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    if (ending_ == ending::stuck) {
        throw simulation_stuck(stuck_);
    }
}

void engine::begin_thread(core& c, void (*body)(void*), void* arg, std::int64_t at) {
    c.context = context::make_fcontext(stacks_.stack_top(c.id) - 64, fiber_stacks::stack_size - 64, fiber_main);
    c.body = body;
    c.argument = arg;
    c.doing = activity::running;
    c.exceptions = {};
    c.handler = nullptr;
    c.masks = 0;
    c.allow_stale = 0;
    make_ready(c, at);
}

// The last thing of a thread: it never comes back to its stack. Destructors of thread-local variables run on it.
void engine::fiber_main(context::transfer_t from) {
    *static_cast<context::fcontext_t*>(from.data) = from.fctx;
    core& c = static_cast<core&>(*current);
    c.owner->thread_main(c);
}

void engine::thread_main(core& c) {
    try {
        if (c.clock() != 0) {
            discard(c, 0, ~std::uint64_t{0});
        }
        c.body(c.argument);
        while (!c.at_exit.empty()) {
            exit_action last{};
            {
                const host_section host;
                last = c.at_exit.back();
                c.at_exit.pop_back();
            }
            last.call(last.object);
        }
    } catch (...) {
        failure_ = std::current_exception();
    }
    if (failure_ != nullptr) {
        finish(ending::failed);
    }
    publish(c, 0, ~std::uint64_t{0});
    order(c);
    end_thread(c);
}

void engine::end_thread(core& c) {
    c.doing = activity::ended;
    refuse_pending(c);
    bool all = true;
    for (core& other : cores_) {
        if (other.doing == activity::joining && other.other == c.id) {
            make_ready(other, c.clock() + memory_.between(at(c), at(other)));
        }
        all = all && (other.doing == activity::idle || other.doing == activity::ended);
    }
    if (all) {
        finish(ending::done);
    }
    block(c);
    skerry::detail::panic("sim: a thread that had ended was resumed on core ", c.id);
}

void engine::finish(ending how) {
    core& c = static_cast<core&>(*current);
    for (const std::uint32_t w : c.swaps) {
        swap(c, c.ways[w]);
    }
    ending_ = how;
    if (shared_globals_ != nullptr) {
        *shared_globals_ = host_exceptions_;
    }
    port::set_thread_pointer(host_area_);
    context::fcontext_t abandoned = nullptr;
    context::jump_fcontext(host_, static_cast<void*>(&abandoned));
    skerry::detail::panic("sim: a simulation that had ended was resumed");
}

void engine::make_ready(core& c, std::int64_t at) {
    c.wait_until(at);
    ready_.set(c.id, ready_tree::key(c.clock(), c.id));
}

void engine::set_limit(core& c) {
    const std::uint64_t next = ready_.least();
    std::int64_t limit = next == ready_tree::never ? c.clock() + far_away : ready_tree::clock_of(next) + ahead(c);
    if (c.pending_from >= 0 && limit > c.pending_at) {
        limit = c.pending_at;
    }
    limit = std::min(limit, c.dies_at - 1); // a core looks up when its clock has passed the limit
    if (next_watch_ != 0 && limit > next_watch_) {
        limit = next_watch_;
    }
    if (set_.most_cycles != 0 && limit > static_cast<std::int64_t>(set_.most_cycles)) {
        limit = static_cast<std::int64_t>(set_.most_cycles);
    }
    c.set_limit(limit);
}

void engine::switch_to_next(core& c) {
    const std::uint64_t next = ready_.least();
    if (next == ready_tree::never) {
        stuck("no core can go on");
    }
    core& n = cores_[ready_tree::core_of(next)];
    ready_.set(n.id, ready_tree::never);
    n.wait_until(ready_tree::clock_of(next));
    set_limit(n);
    if (&n != &c) {
        transfer(c, n);
    }
}

void engine::transfer(core& from, core& to) {
    ++switches_;
    for (const std::uint32_t w : from.swaps) {
        swap(from, from.ways[w]);
    }
    if (shared_globals_ != nullptr) {
        from.exceptions = *shared_globals_;
        *shared_globals_ = to.exceptions;
    }
    port::set_thread_pointer(to.thread_area);
    const context::transfer_t back = context::jump_fcontext(to.context, static_cast<void*>(&from.context));
    *static_cast<context::fcontext_t*>(back.data) = back.fctx;
    for (const std::uint32_t w : from.swaps) {
        swap(from, from.ways[w]);
    }
}

void engine::look_up(core& c) {
    if (c.clock() >= c.dies_at) {
        die(c);
    }
    due(c);
    watch(c);
    const std::uint64_t next = ready_.least();
    if (next != ready_tree::never && c.clock() > ready_tree::clock_of(next) + ahead(c)) {
        ready_.set(c.id, ready_tree::key(c.clock(), c.id));
        switch_to_next(c);
        due(c);
    }
    set_limit(c);
}

void engine::pause(core& c, std::uint64_t cycles) {
    c.spend(static_cast<std::int64_t>(std::min(cycles, static_cast<std::uint64_t>(far_away))));
    if (c.budget < 0) {
        look_up(c);
    }
}

std::uint64_t engine::writes() const {
    std::uint64_t sum = changes_;
    for (const core& c : cores_) {
        sum += c.stores;
    }
    return sum;
}

void engine::watch(core& c) {
    if (set_.most_cycles != 0 && c.clock() >= static_cast<std::int64_t>(set_.most_cycles)) {
        stuck("the clock has passed settings::most_cycles");
    }
    if (next_watch_ == 0 || c.clock() < next_watch_) {
        return;
    }
    if (outside_) { // whose stores nobody counts
        seen_at_ = c.clock();
        next_watch_ = c.clock() + static_cast<std::int64_t>(set_.livelock_cycles);
        return;
    }
    const std::uint64_t now = writes();
    if (now == seen_writes_ && c.clock() - seen_at_ >= static_cast<std::int64_t>(set_.livelock_cycles)) {
        stuck("no core has written anything since cycle ", seen_at_);
    }
    if (now != seen_writes_) {
        seen_writes_ = now;
        seen_at_ = c.clock();
    }
    next_watch_ = c.clock() + static_cast<std::int64_t>(set_.livelock_cycles);
}

void engine::stuck(const char* why, std::int64_t cycle) {
    {
        const host_section host;
        stuck_ = "skerry: sim: " + machine_.name + " is stuck: " + why;
        stuck_ += (cycle < 0 ? "" : std::to_string(cycle)) + describe();
    }
    finish(ending::stuck);
}

std::string engine::describe() const {
    std::string text;
    for (const core& c : cores_) {
        text += "\n  core " + std::to_string(c.id) + ", cycle " + std::to_string(c.clock()) + ": ";
        switch (c.doing) {
        case activity::idle: text += "no thread"; break;
        case activity::running: text += "running"; break;
        case activity::sleeping: {
            skerry::detail::fixed_text<20> word;
            word << static_cast<const void*>(c.word);
            text += std::string("sleeps on the word at ") + word.c_str();
            break;
        }
        case activity::interrupting:
            text += "waits for core " + std::to_string(c.other) + " to answer an interrupt";
            break;
        case activity::receiving: text += "waits for news from the message network"; break;
        case activity::joining: text += "waits for the end of the thread on core " + std::to_string(c.other); break;
        case activity::ended: text += "its thread has ended"; break;
        }
    }
    return text;
}

} // namespace skerry_sim::detail
