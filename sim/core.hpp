// SPDX-License-Identifier: Apache-2.0
#pragma once

// One simulated core: its private cache, its thread, and what it waits for. Every core has a thread area of its own
// (base/port/thread_area.hpp), so `current` is constant for each, and the program's thread-local variables are the
// core's.

#include <cstdint>
#include <limits>
#include <vector>

#include <boost/context/detail/fcontext.hpp>

#include "sim/hot.hpp"
#include "sim/simulation.hpp"

namespace skerry_sim::detail {

class engine;

enum class line_state : std::uint8_t { none, shared, exclusive, modified }; // of protocols that have one for a line

// One place of a private cache.
struct way {
    std::uint64_t line = no_line; // by the program's address
    std::uint32_t frame_line = 0; // by the simulated machine's
    line_state state = line_state::none;
    bool swapped = false;    // emulation: the stale bytes stand in host memory whenever this core runs
    std::uint64_t valid = 0; // clean bytes that are present
    std::uint64_t dirty = 0;
    std::uint64_t stale = 0; // of valid | dirty: bytes that another core has written since
};

struct old_values {
    unsigned char bytes[line_bytes];
};

enum class activity { idle, running, sleeping, receiving, interrupting, joining, ended };

// What a switch saves besides the registers: libstdc++ keeps caught and uncaught exceptions per thread.
struct exception_globals {
    void* caught = nullptr;
    unsigned uncaught = 0;
};

struct core : hot {
    // Constant during a run.
    engine* owner = nullptr;
    unsigned id = 0;
    int x = 0;
    int y = 0;
    void* thread_area = nullptr;
    hot** observed_at = nullptr; // its copy of `observed`

    // The private cache: way w of set s is ways[s * associativity + w].
    std::vector<way> ways;
    std::vector<std::uint32_t> used;  // when each way was last touched
    std::vector<old_values> old;      // emulation only: the stale bytes of each way
    std::vector<std::uint32_t> swaps; // ways that are `swapped`
    std::uint32_t touch_clock = 0;
    std::uint32_t write_way[filter_slots] = {};

    // The thread.
    boost::context::detail::fcontext_t context = nullptr;
    exception_globals exceptions;
    activity doing = activity::idle;
    void (*body)(void*) = nullptr;
    void* argument = nullptr;
    std::vector<struct exit_action> at_exit; // destructors of thread-local variables
    unsigned allow_stale = 0;

    // What it waits for.
    const std::uint32_t* word = nullptr;
    std::uint64_t sleep_number = 0;
    bool woken = false;
    unsigned other = 0; // the core that it interrupts or joins
    bool answer = false;

    // Interrupts: at most one stands before a core at a time.
    void (*handler)(unsigned) = nullptr;
    unsigned masks = 0;
    bool in_handler = false;
    int pending_from = -1;
    std::int64_t pending_at = 0;

    std::int64_t dies_at = std::numeric_limits<std::int64_t>::max();

    std::int64_t stalled = 0; // cycles in which no instruction ended
    core_statistics counts;

    std::int64_t clock() const noexcept { return limit - budget; }
    void spend(std::int64_t cycles) noexcept {
        budget -= cycles;
        stalled += cycles;
    }
    void wait_until(std::int64_t time) noexcept {
        if (time > clock()) {
            spend(time - clock());
        }
    }
    void set_limit(std::int64_t new_limit) noexcept {
        budget += new_limit - limit;
        limit = new_limit;
    }
};

struct exit_action {
    void (*call)(void*);
    void* object;
};

// Code of the engine that may allocate, or call inline functions that the program shares with it and that the linker
// may have taken from an instrumented object: hooks and heap see no simulation meanwhile.
class host_section {
  public:
    host_section() noexcept : was_(current), was_observed_(observed) { current = observed = nullptr; }
    ~host_section() {
        current = was_;
        observed = was_observed_;
    }
    host_section(const host_section&) = delete;
    host_section& operator=(const host_section&) = delete;

  private:
    hot* was_;
    hot* was_observed_;
};

} // namespace skerry_sim::detail
