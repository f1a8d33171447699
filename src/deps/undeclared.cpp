// SPDX-License-Identifier: Apache-2.0

#include "deps/undeclared.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

#include <skerry/detail/core/context.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

#include "base/port/fault_watch.hpp"
#include "base/port/process.hpp"
#include "base/text.hpp"
#include "coherence/arena.hpp"
#include "coherence/exposure.hpp"
#include "coherence/extents.hpp"
#include "coherence/region_tree.hpp"
#include "deps/access_text.hpp"
#include "deps/crossing.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Everything here runs in place of a signal handler.

bool covers(const access& a, std::uintptr_t address) noexcept {
    if (a.kind == access_kind::region) {
        const extent block = try_block_around(reinterpret_cast<const void*>(address));
        return block.bytes != 0 && lies_within(region_of(block.first), region_id{a.first});
    }
    return !a.nothing() && box_of(a).touches(address, address + 1);
}

const access* covering(const dependent_task& task, std::uintptr_t address) noexcept {
    const access* found = nullptr;
    for (const access_node& n : task.all_nodes()) {
        if (covers(n.what, address) && (found == nullptr || writes(n.what.mode))) {
            found = &n.what;
        }
    }
    return found;
}

// How far an address lies outside of an access's bytes.
std::uintptr_t distance(const access& a, std::uintptr_t address) noexcept {
    return address < a.first ? a.first - address : address - (a.first + a.extent) + 1;
}

template <std::size_t N>
void put_nearest(fixed_text<N>& text, const dependent_task& task, std::uintptr_t address) noexcept {
    const access* nearest = nullptr;
    for (const access_node& n : task.all_nodes()) {
        const bool bytes = is_run(n.what.kind) && n.what.extent != 0;
        if (bytes && (nearest == nullptr || distance(n.what, address) < distance(*nearest, address))) {
            nearest = &n.what;
        }
    }
    if (nearest != nullptr) {
        text << "; the nearest is ";
        put(text, *nearest);
        text << ", " << (address < nearest->first ? "behind it by " : "before it by ") << distance(*nearest, address);
    }
}

template <std::size_t N>
void put_place(fixed_text<N>& text, const void* address) noexcept {
    const region_id region = region_of(address);
    const extent block = try_block_around(address);
    if (region == region_id::none) {
        text << ". No region that this process knows has the address";
    } else {
        text << ". The address lies in region " << hex{bits_of(region)};
    }
    if (block.bytes != 0) {
        text << ", in an object of " << block.bytes << " bytes at " << static_cast<const void*>(block.first);
    }
}

// The task around the calling thread's code, and the one in which it has crossed to this process; null: there is none.
struct culprit {
    const dependent_task* runs = nullptr;
    const dependent_task* crossed = nullptr;
};

culprit find_culprit() noexcept {
    culprit found;
    const context* const at = current_page != nullptr ? current_page->ctx : nullptr;
    for (const task_context* t = at != nullptr ? at->frame().spawner : nullptr; t != nullptr && t->task != nullptr;
         t = t->child_of) {
        found.runs = found.runs == nullptr ? t->task : found.runs;
        if (t->task->import != nullptr) {
            found.crossed = t->task;
            return found;
        }
    }
    return {};
}

void explain(const void* touched) noexcept {
    const auto [runs, crossed] = find_culprit();
    if (crossed == nullptr) {
        return; // no task's touch: the fault is not ours to explain
    }
    const auto address = reinterpret_cast<std::uintptr_t>(touched);
    const access* const declared = covering(*runs, address);
    fixed_text<1200> text;
    text << "skerry: ";
    put_with_type(text, *runs);
    if (declared == nullptr) {
        text << " touches " << touched << ", which it does not declare; it has " << runs->node_count
             << (runs->node_count == 1 ? " access" : " accesses");
        put_nearest(text, *runs, address);
        put_place(text, touched);
        text << "; name the object in in(), out() or inout() where the task is spawned\n";
    } else if (!writes(declared->mode)) {
        text << " writes " << touched << ", which it declares as ";
        put(text, *declared);
        put_place(text, touched);
        text << "; name it in out() or inout() where the task is spawned\n";
    } else {
        text << " touches " << touched << ", which it declares as ";
        put(text, *declared);
        text << ", but ";
        put_with_type(text, *crossed);
        text << ", in which it came to this process, does not";
        put_place(text, touched);
        text << "; name the object where that one is spawned\n";
    }
    port::abort_with(text.view());
}

} // namespace

void watch_undeclared() {
    if constexpr (accesses_are_guarded) {
        const auto& place = arena::existing()->place();
        exposure::begin();
        port::watch_faults(reinterpret_cast<const void*>(place.address), place.bytes, &explain);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
