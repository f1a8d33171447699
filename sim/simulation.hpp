// SPDX-License-Identifier: Apache-2.0
#pragma once

// A simulated machine, seen from the host program that runs something on it.
//
//     skerry_sim::simulation machine(skerry_sim::read_machine("machines/tiny4-gwb.toml"), {});
//     const auto& result = machine.run([](void*) { program(); }, nullptr);
//
// What runs there is compiled with the flags of the target skerry_sim_flags; sim/README.md says what that sees and what
// it does not. One simulation runs at a time in a process, and while it does, only the thread that called run() may
// execute code compiled with these flags.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/machine_description.hpp"

namespace skerry_sim {

// A read of a byte whose latest value is elsewhere: it was written by another core and not published, or published
// after this core had read it and not discarded since.
enum class stale_mode {
    off,     // not looked for
    report,  // reported; the program gets the latest value
    emulate, // reported; the program gets the value that the machine would give it
};

// A core that dies as from a bolt: it executes no instruction from this cycle on.
struct scripted_death {
    unsigned core = 0;
    std::uint64_t cycle = 0;
};

// What goes wrong with a message of a core: the one of this number, from 1, or all.
struct message_fault {
    enum kind : std::uint8_t {
        none,
        lost,
        doubled,
        overtaken, // by the next one to the same core
        one_lane,  // all replies go where requests go
    };
    kind what = none;
    unsigned from = 0;
    std::uint64_t number = 0;
};

struct settings {
    stale_mode stale = stale_mode::report;
    // How far a core may run ahead of the others on hits alone, in cycles. 0: so far that nothing arrives late, which
    // is the machine's least latency for a core that takes interrupts, or whose cache hardware keeps coherent. More is
    // faster; interrupts are then taken up to so many cycles late.
    std::uint64_t quantum = 0;
    // Stuck if no core has written anything for so many cycles. 0: never.
    std::uint64_t livelock_cycles = 100'000'000;
    // Stuck when a core's clock passes this. 0: never.
    std::uint64_t most_cycles = 0;
    // Not 0: adds up to 7 cycles to each trip to the shared cache, at random from this seed. Another seed is another
    // interleaving; each is as repeatable as any.
    std::uint64_t seed = 0;
    // The program has a region of interest, and what comes before it is not simulated either. Otherwise that is, until
    // the region begins, and then is forgotten.
    bool only_interest = false;
    std::vector<scripted_death> deaths = {};
    message_fault fault = {};
    std::size_t heap_bytes = std::size_t{4} << 30; // address space for the program's heap
};

struct core_statistics {
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
    std::uint64_t loads = 0;
    std::uint64_t stores = 0;
    std::uint64_t load_misses = 0;
    std::uint64_t store_misses = 0;
    std::uint64_t atomics = 0; // at the shared cache
    std::uint64_t discards = 0;
    std::uint64_t lines_discarded = 0;
    std::uint64_t publishes = 0;
    std::uint64_t lines_published = 0;
    std::uint64_t interrupts_sent = 0;
    std::uint64_t interrupts_accepted = 0; // of those sent
    std::uint64_t interrupts_refused = 0;  // of those sent
    std::uint64_t stale_reads = 0;
    std::uint64_t stale_reads_allowed = 0;

    std::uint64_t hits() const noexcept { return loads + stores - load_misses - store_misses; }
};

struct stale_site {
    std::string reader; // "file:line (function)"
    std::string writer;
    std::uint64_t count = 0;
    // Of the first:
    unsigned reading_core = 0;
    unsigned writing_core = 0;
    std::uint64_t cycle = 0;
    const void* address = nullptr;
    unsigned bytes = 0;

    std::string text() const;
};

// Of the whole run, or of its regions of interest together if it had one.
struct statistics {
    core_statistics
        total; // cycles: the latest core's clock; of regions, the clock of the core that began and ended them
    std::vector<core_statistics> cores;
    std::vector<stale_site> stale_sites; // one per pair of source lines, in the order of their first appearance
    std::uint64_t l2_misses = 0;
    // Pages that the program touched outside its heap, stacks and static data. The system places them, so while there
    // are any, cycles may differ from run to run.
    std::uint64_t foreign_pages = 0;
    std::uint64_t switches = 0;
};

// No core can go on, or none gets anywhere. The text names each core, its clock and what it waits for.
class simulation_stuck : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class simulation {
  public:
    // Throws std::invalid_argument for settings that this machine cannot have.
    explicit simulation(machine_description machine, const settings& set = {});
    ~simulation();
    simulation(const simulation&) = delete;
    simulation& operator=(const simulation&) = delete;

    // Runs body(arg) on core 0 and returns when every thread has ended. An exception that leaves a thread ends the
    // simulation and arrives here, as simulation_stuck does; the stacks of other threads are then abandoned, without
    // destructors. Every run begins with cold caches. Throws std::logic_error if a simulation runs already.
    const statistics& run(void (*body)(void*), void* arg);

    // Of the last run, also of one that threw.
    const statistics& last() const noexcept;
    const machine_description& machine() const noexcept;

  private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace skerry_sim
