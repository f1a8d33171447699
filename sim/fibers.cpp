// SPDX-License-Identifier: Apache-2.0
#include "sim/fibers.hpp"

#include <new>
#include <stdexcept>
#include <string>

#include "base/panic.hpp"
#include "base/port/fixed_memory.hpp"
#include "base/port/memory.hpp"
#include "base/port/thread_area.hpp"
#include "base/text.hpp"

namespace skerry_sim::detail {

namespace port = skerry::port;

fiber_stacks::fiber_stacks(unsigned cores) : cores_(cores), pointer_offset_(area_size / 2) {
    const port::thread_area_size need = port::measure_thread_area();
    if (need.below > pointer_offset_ || need.above > area_size - pointer_offset_) {
        skerry::detail::panic("sim: ", need.below, " bytes of thread-local storage, and ", need.above,
                              " behind the thread pointer, do not fit into a thread area");
    }
    if (!port::map_memory_at(reinterpret_cast<void*>(base), cores_ * stride)) {
        skerry::detail::fixed_text<20> at;
        at << skerry::detail::hex{base};
        throw std::runtime_error("skerry: sim: the address space for simulated stacks, " +
                                 std::to_string(cores_ * stride) + " bytes at " + at.c_str() + ", is not free");
    }
}

fiber_stacks::~fiber_stacks() { port::unmap_memory(reinterpret_cast<void*>(base), cores_ * stride); }

void fiber_stacks::renew() {
    if (!port::renew_memory(reinterpret_cast<void*>(base), cores_ * stride)) {
        throw std::bad_alloc();
    }
    for (unsigned i = 0; i < cores_; ++i) {
        if (!port::allow_access(begin(i), area_size) ||
            !port::allow_access(begin(i) + area_size + guard_size, stack_size)) {
            throw std::bad_alloc();
        }
        port::copy_thread_area(thread_area(i));
    }
}

port::stack_guard fiber_stacks::guard() const noexcept {
    return {.begin = begin(0),
            .end = begin(cores_),
            .stack_size = stack_size,
            .name = "a simulated core's thread",
            .remedy = "simulated stacks cannot grow"};
}

} // namespace skerry_sim::detail
