// SPDX-License-Identifier: Apache-2.0

#include "runtime/processes.hpp"

#include <utility>
#include <vector>

#include <skerry/detail/frontend/dataflow/spawned_task.hpp>

#include "base/port/code.hpp"
#include "base/port/environment.hpp"
#include "coherence/arena.hpp"
#include "deps/crossing_table.hpp"
#include "fabric/shm/shm.hpp"
#include "frontend/dataflow/ends.hpp"
#include "runtime/trace_file.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::size_t stand_in_stack = std::size_t{256} << 10;

constinit machine::atomic<bool> has_joined{false};

} // namespace

std::unique_ptr<processes> processes::join(team& crew, bool guard, trace_buffer<machine>* track) {
    const bool alone = port::environment("SKERRY_RANKS") == "1"; // there is nobody to join
    if (alone || !fabric::shm::launched() || has_joined.exchange(true, memory_order::relaxed)) {
        return nullptr;
    }
    const crossing_table& types = crossing_table::instance();
    fabric::shm::connection c = fabric::shm::connect(
        {.table = {.hash = types.hash(), .entries = types.size(), .code = port::program_identity()}});
    const unsigned self = c.fabric->describe().self;
    arena::adopt(std::move(c.arena), self, c.fabric->describe().peers);
    return std::unique_ptr<processes>(new processes(crew, std::move(c.fabric), guard, track));
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
