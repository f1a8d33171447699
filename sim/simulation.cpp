// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation.hpp"

#include <algorithm>
#include <utility>

#include "sim/engine.hpp"
#include "sim/heap.hpp"
#include "sim/hooks.hpp"
#include "sim/symbols.hpp"

namespace skerry_sim {

namespace {

constinit bool running = false;

// Takes the place of the one simulation that may run.
class turn {
  public:
    turn() {
        if (__atomic_exchange_n(&running, true, __ATOMIC_ACQUIRE)) { // <- the release of the one before
            throw std::logic_error("skerry: sim: a simulation runs already in this process");
        }
    }
    ~turn() { __atomic_store_n(&running, false, __ATOMIC_RELEASE); }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
};

} // namespace

std::string stale_site::text() const {
    std::string at = "0x";
    for (int shift = 44; shift >= 0; shift -= 4) {
        at += "0123456789abcdef"[reinterpret_cast<std::uintptr_t>(address) >> shift & 15];
    }
    return "stale read on core " + std::to_string(reading_core) + " at cycle " + std::to_string(cycle) + ", " +
           std::to_string(bytes) + " bytes at " + at + ": read at " + reader + ", last written by core " +
           std::to_string(writing_core) + " at " + writer +
           (count > 1 ? "; " + std::to_string(count) + " times in all" : "");
}

struct simulation::parts {
    machine_description machine;
    settings set;
    statistics last;
};

simulation::simulation(machine_description machine, const settings& set)
    : parts_(std::make_unique<parts>(parts{std::move(machine), set, {}})) {
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    if (set.quantum > most) {
        throw std::invalid_argument("skerry: sim: settings::quantum is " + std::to_string(set.quantum) +
                                    "; accepted is 0 to " + std::to_string(most));
    }
    if (set.livelock_cycles > most) {
        throw std::invalid_argument("skerry: sim: settings::livelock_cycles is " + std::to_string(set.livelock_cycles) +
                                    "; accepted is 0 to " + std::to_string(most));
    }
    if (set.most_cycles > most) {
        throw std::invalid_argument("skerry: sim: settings::most_cycles is " + std::to_string(set.most_cycles) +
                                    "; accepted is 0 to " + std::to_string(most));
    }
    for (const scripted_death& d : set.deaths) {
        if (d.core >= parts_->machine.cores.count || d.cycle > most) {
            throw std::invalid_argument("skerry: sim: settings::deaths has core " + std::to_string(d.core) +
                                        " at cycle " + std::to_string(d.cycle) + "; accepted is a core below " +
                                        std::to_string(parts_->machine.cores.count) + " and a cycle from 0 to " +
                                        std::to_string(most));
        }
    }
    if (set.fault.what != message_fault::none &&
        (!parts_->machine.fabric || set.fault.from >= parts_->machine.cores.count)) {
        throw std::invalid_argument("skerry: sim: settings::fault is on messages of core " +
                                    std::to_string(set.fault.from) + "; accepted is a core of a machine with [fabric]");
    }
    if (set.heap_bytes > most) {
        throw std::invalid_argument("skerry: sim: settings::heap_bytes is " + std::to_string(set.heap_bytes) +
                                    "; accepted is 0 to " + std::to_string(most));
    }
}

simulation::~simulation() = default;

const statistics& simulation::last() const noexcept { return parts_->last; }
const machine_description& simulation::machine() const noexcept { return parts_->machine; }

const statistics& simulation::run(void (*body)(void*), void* arg) {
    const turn mine;
    parts_->last = {};
    detail::prepare_heap(parts_->set.heap_bytes);
    detail::block_cycles = parts_->machine.cores.block_cycles;
    detail::fiber_stacks stacks(parts_->machine.cores.count);
    detail::engine engine(parts_->machine, parts_->set, stacks);
    try {
        engine.run(body, arg);
    } catch (...) {
        engine.fill(parts_->last);
        throw;
    }
    engine.fill(parts_->last);
    return parts_->last;
}

namespace detail {

void engine::fill(statistics& into) const {
    into = {};
    std::int64_t latest = 0;
    for (const core& c : cores_) {
        latest = std::max(latest, c.clock());
    }
    add_seen(into, latest);
    for (const core_statistics& s : into.cores) {
        core_statistics& t = into.total;
        t.cycles = had_interest_ ? t.cycles : std::max(t.cycles, s.cycles);
        for (const auto member :
             {&core_statistics::instructions, &core_statistics::loads, &core_statistics::stores,
              &core_statistics::load_misses, &core_statistics::store_misses, &core_statistics::atomics,
              &core_statistics::discards, &core_statistics::lines_discarded, &core_statistics::publishes,
              &core_statistics::lines_published, &core_statistics::interrupts_sent,
              &core_statistics::interrupts_accepted, &core_statistics::interrupts_refused,
              &core_statistics::stale_reads, &core_statistics::stale_reads_allowed}) {
            t.*member += s.*member;
        }
    }
    std::vector<std::uint32_t> addresses;
    for (const site& s : sites_) {
        addresses.push_back(s.key.reader);
        addresses.push_back(s.key.writer);
    }
    if (!addresses.empty()) {
        const std::vector<std::string> lines = source_lines(addresses);
        for (std::size_t i = 0; i < sites_.size(); ++i) {
            into.stale_sites.push_back(sites_[i].first);
            into.stale_sites.back().reader = lines[2 * i];
            into.stale_sites.back().writer = lines[2 * i + 1];
        }
    }
    into.foreign_pages = frames_.foreign();
    into.switches = switches_;
}

} // namespace detail

} // namespace skerry_sim
