// SPDX-License-Identifier: Apache-2.0

#include "runtime/processes.hpp"

#include <utility>
#include <vector>

#include <skerry/detail/frontend/dataflow/spawned_task.hpp>

#include "base/port/code.hpp"
#include "base/port/environment.hpp"
#include "coherence/arena.hpp"
#include "deps/crossing_table.hpp"
#include "fabric/mpi/mpi.hpp"
#include "fabric/shm/shm.hpp"
#include "frontend/dataflow/ends.hpp"
#include "runtime/trace_file.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::size_t stand_in_stack = std::size_t{256} << 10;

constinit machine::atomic<bool> has_joined{false};

// By which launcher this process was started as one of several.
enum class start : std::uint8_t { alone, skerry, mpi };

start started_by(const std::string& mpi) {
    // What was launched as one process may be a launcher of MPI's, which hands the variables on.
    if (fabric::shm::launched() && port::environment("SKERRY_RANKS") != "1") {
        return start::skerry;
    }
    if constexpr (!takes_events<machine>) {
        return fabric::mpi::launched_as(mpi).ranks > 1 ? start::mpi : start::alone;
    }
    return start::alone;
}

fabric::connection connect(start by, const std::string& mpi) {
    const crossing_table& types = crossing_table::instance();
    const fabric::table_identity table{.hash = types.hash(), .entries = types.size(), .code = port::program_identity()};
    if constexpr (!takes_events<machine>) {
        if (by == start::mpi) {
            return fabric::mpi::connect({.table = table, .choice = mpi});
        }
    }
    return fabric::shm::connect({.table = table});
}

} // namespace

fabric::place_in_line processes::started_as(const std::string& mpi) {
    switch (started_by(mpi)) {
    case start::skerry: return fabric::shm::launched_as();
    case start::mpi:
        if constexpr (!takes_events<machine>) {
            return fabric::mpi::launched_as(mpi);
        }
        break;
    case start::alone: break;
    }
    return {};
}

std::unique_ptr<processes> processes::join(team& crew, const options& o, trace_buffer<machine>* track) {
    const start by = started_by(o.mpi);
    if (by == start::alone || has_joined.exchange(true, memory_order::relaxed)) {
        return nullptr;
    }
    fabric::connection c = connect(by, o.mpi);
    const unsigned self = c.fabric->describe().self;
    arena::adopt(std::move(c.arena), self, c.fabric->describe().peers);
    return std::unique_ptr<processes>(new processes(crew, std::move(c.fabric), o.guard_accesses, track));
}

processes::processes(team& crew, std::unique_ptr<fabric::endpoint> endpoint, bool guard, trace_buffer<machine>* track)
    : crossing_(crew, std::move(endpoint), {&execute_spawned, &end_away, &write_traces_before_the_end}, guard, track) {
    stand_in_.start(stand_in_stack, "skerry messages", &stand_in, this, std::nullopt);
}

processes::~processes() {
    if (!helps()) {
        crossing_.close();
    }
    stopping_.store(true, memory_order::release);
    crossing_.messages().wake();
    stand_in_.join();
}

void processes::stand_in(void* self) {
    auto& mine = *static_cast<processes*>(self);
    port::run_promptly(); // before the worker that computes on the same CPU
    while (!mine.stopping_.load(memory_order::acquire)) {
        mine.crossing_.stand_in();
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
