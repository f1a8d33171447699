// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which steps of an execution are ordered, and which could have come the other way round: the happens-before of
// partial-order reduction, kept along one execution.
//
// A *process* is a thread, or what brings its stores to memory: one for each thread's buffer, or in partial order one
// for each word in it (the auxiliary threads of Zhang, Kusano and Wang, PLDI 2015). A *step* is a transition of the
// engine: one visible event and what is local behind it. Two events of different processes
//   - are in *conflict*: each order is possible and may lead elsewhere; a pair of them without another between in the
//     order is a race, and the other order is to be tried;
//   - or are in *order*: the second is not possible before the first (a store and its way to memory, that and the fence
//     that waits for it; a wake-up and what the sleeper does next);
//   - or commute.
// A thread's load and the same thread's stores reaching memory commute: the load finds the value here or there.

#include <array>
#include <cstdint>
#include <vector>

#include "engine.hpp"

namespace skerry::model {

inline constexpr unsigned max_processes = 64;

using process_set = std::uint64_t;
inline process_set only(unsigned process) { return process_set{1} << process; }

// How many steps of each process come before, or are it.
class clock_vector {
  public:
    std::uint16_t operator[](unsigned process) const { return at_[process]; }
    void set(unsigned process, std::uint16_t n) { at_[process] = n; }
    void join(const clock_vector& other) {
        for (unsigned i = 0; i < max_processes; ++i) {
            at_[i] = at_[i] < other.at_[i] ? other.at_[i] : at_[i];
        }
    }

  private:
    std::array<std::uint16_t, max_processes> at_{};
};

// A store that is under way.
struct stored {
    std::uintptr_t address;
    std::uint32_t number; // of the thread's stores
    std::uint32_t fenced; // so many of its stores lay before its last light fence
    int step;             // in which it was made; -1: before the first
    bool release;
};

// The visible event of a step.
struct visible_event {
    event what;
    std::uint8_t process = 0;
    std::uint32_t number = 0;                         // of a flush: the store's
    std::uint32_t fenced = 0;                         // of a flush: the store's
    std::array<std::uint32_t, max_threads> covered{}; // of a heavy fence: each thread's stores before its light fences
};

// Whether the order of the two matters. Of events of one process it does.
bool conflict(const visible_event& a, const visible_event& b);

struct happened_step {
    transition by;
    visible_event visible;
    clock_vector clock;       // of the visible event
    std::uint16_t index = 0;  // among the steps of its process, from 1
    std::vector<event> lives; // probes and ends of memory that happened in it
};

// The same of whole steps: also, one may end memory that the other finds alive.
bool conflict(const visible_event& a, const std::vector<event>& a_lives, const happened_step& b);

// Where an execution stands after some of its steps.
struct standing {
    std::array<clock_vector, max_threads> threads;
    std::array<clock_vector, max_threads> flushed; // what has left the thread's buffer
    std::array<std::vector<stored>, max_threads> buffers;
    std::array<std::uint32_t, max_threads> stores{};
    std::array<std::uint32_t, max_threads> fenced{};
};

class happens_before {
  public:
    void begin(const options& o);

    // What the world's threads did before the first step.
    void start(const std::vector<event>& events);
    // What the step did that is the one after the first `depth`; steps that followed earlier are forgotten. Fills
    // `races` with the steps before it that could have come after it.
    void add(std::size_t depth, const transition& by, const std::vector<event>& events,
             std::vector<std::size_t>& races);

    unsigned process_of(std::size_t depth, const transition& t);
    const happened_step& step(std::size_t i) const { return steps_[i]; }
    bool ordered(std::size_t before, std::size_t after) const {
        const happened_step& first = steps_[before];
        return steps_[after].clock[first.visible.process] >= first.index;
    }

  private:
    clock_vector order(std::size_t depth, const visible_event& e, std::vector<std::size_t>& races) const;
    bool before_by_rule(const visible_event& first, const visible_event& second,
                        const std::array<std::uint32_t, max_threads>* covered) const;
    void note_local(standing& s, const event& e, int step) const;
    void find_lost_lives(std::size_t depth, std::vector<std::size_t>& races) const;

    options options_;
    std::vector<happened_step> steps_;
    std::vector<standing> standings_;                        // before each step
    std::vector<std::pair<unsigned, std::uintptr_t>> words_; // of partial order: process 2 * max_threads + i
};

} // namespace skerry::model
