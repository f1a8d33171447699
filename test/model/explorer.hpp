// SPDX-License-Identifier: Apache-2.0
#pragma once

// Walks every state of a world and its threads, breadth first, so that a failure comes with a shortest way to it. Or,
// if the options say so, every trace, which needs no memory for states.
//
//   struct world {                            // everything the threads share, made anew in the arena
//       machine::atomic<int> x{0};
//       void writer() { x.store(1, memory_order::release); }
//       void reader() { model::require(x.load(memory_order::acquire) >= 0, "x is negative"); }
//       void finally() {}                     // optional: looks at each final state, when all threads have ended
//       void always() {}                      // optional: looks at each state, and changes nothing
//   };
//   const result r = explore<world, &world::writer, &world::reader>();
//   EXPECT_TRUE(r.ok) << r.report;
//
// A failure is: a broken require(), a data race on a plain<T>, a deadlock, a state from which the end cannot be reached
// any more (a lost wake-up behind a spin loop, a livelock that no scheduler can leave), an access to freed memory, to a
// dead frame or outside the arena, a leak, a panic of the code under test, or a limit of the explorer.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <type_traits>

#include "engine.hpp"

namespace skerry::model {

struct result {
    bool ok = false;
    std::string kind;   // of the failure: "require", "race", "deadlock", "no end", "limit", ...
    std::string text;   // what was wrong
    std::string report; // what happened, step by step, and how to see it again
    std::string replay; // argument for --replay
    std::set<std::string> outcomes;
    std::set<std::string> goals;  // what reached() was called with
    std::uint64_t states = 0;     // by states
    std::uint64_t executions = 0; // by traces: all that were begun, of which
    std::uint64_t redundant = 0;  //   so many turned out to be others with commuting steps exchanged,
    std::uint64_t spins = 0;      //   so many ended in a loop that waits for what others had changed by then,
    std::uint64_t returns = 0;    //   so many came back to where they had been
    std::uint64_t transitions = 0;
    std::size_t steps = 0; // of the shortest way to the failure; what no other thread can notice is no step
    std::uint64_t full_buffers = 0;
    std::uint64_t faults = 0; // how often options::fault has changed something
    double seconds = 0;
};

// A test begins, and counts its explorations from here on; `run_alone`: the command that runs no other one.
void begin_test(const std::string& run_alone);
// --replay=TOKEN: of the explorations from here on, the one that the token names (replay.hpp) goes its way instead and
// prints it. Errors: std::runtime_error, the token is none.
void set_replay(const std::string& token);
// Nothing is replayed from here on. What is wrong if that exploration has not come, else empty.
[[nodiscard]] std::string end_replay();

// With --walk=traces all explorations go that way, whatever their options say.
void set_walk(walk_by how);

result explore_scenario(const scenario& s, const options& o);

inline void require(bool condition, const char* text) {
    if (!condition) {
        engine::instance().use_host_memory();
        engine::instance().fail("require", text);
    }
}

// For the report of a final state; the set of all is result::outcomes.
inline void outcome(std::string_view text) { engine::instance().outcome(text); }

// Marks a place that the exploration must have visited for the test to mean anything.
inline void reached(std::string_view text) { engine::instance().reached(text); }

template <class T>
void label(const T& object, std::string_view name) {
    engine::instance().label(&object, sizeof object, name);
}

template <class World, auto... Threads>
result explore(const options& o = {}) {
    scenario s;
    s.build = [] { return static_cast<void*>(new World); };
    s.threads = {[](void* w) { std::invoke(Threads, *static_cast<World*>(w)); }...};
    if constexpr (requires(World& w) { w.finally(); }) {
        s.finally = [](void* w) { static_cast<World*>(w)->finally(); };
    }
    if constexpr (requires(World& w) { w.always(); }) {
        s.always = [](void* w) { static_cast<World*>(w)->always(); };
    }
    s.destroy = [](void* w) { delete static_cast<World*>(w); };
    return explore_scenario(s, o);
}

} // namespace skerry::model
