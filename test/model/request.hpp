// SPDX-License-Identifier: Apache-2.0
#pragma once

// What threads ask of the machine.

#include <cstdint>
#include <string_view>

#include <skerry/detail/base/memory_order.hpp>

namespace skerry::model {

using detail::memory_order;

inline constexpr unsigned max_threads = 4;

enum class action : std::uint8_t {
    none,
    load,
    store,
    exchange,
    compare_exchange,
    compare_exchange_weak,
    add,
    bit_and,
    bit_or,
    bit_xor,
    full_fence,
    fence, // acquire, release or both
    light_fence,
    heavy_fence,
    heavy_fence_end,
    futex_wait,
    futex_wake,
    choose,
    plain_load,
    plain_store,
    publish, // operand: the step, and from bit 8 on how many bytes, 0 for all; expected: from where on
    discard, // the same
    mask,
    unmask,
    on_interrupt,
    interrupt,
    interrupt_end,
    thread_end,
};

constexpr std::uint8_t to_byte(memory_order o) { return static_cast<std::uint8_t>(o); }
constexpr bool acquires(std::uint8_t order) {
    return order == to_byte(memory_order::acquire) || order == to_byte(memory_order::acq_rel) ||
           order == to_byte(memory_order::seq_cst);
}
constexpr bool releases(std::uint8_t order) {
    return order == to_byte(memory_order::release) || order == to_byte(memory_order::acq_rel) ||
           order == to_byte(memory_order::seq_cst);
}

// One operation that a thread asks for. No padding: requests are part of the state.
struct request {
    std::uintptr_t address = 0;
    std::uint64_t operand = 0;
    std::uint64_t expected = 0;
    const char* file = nullptr;
    const char* function = nullptr;
    std::uint32_t line = 0;
    action what = action::none;
    std::uint8_t size = 0;
    std::uint8_t order = 0;   // memory_order
    std::uint8_t failure = 0; // of a comparison that fails

    bool acquires() const { return model::acquires(order); }
    bool releases() const { return model::releases(order); }
    // Of a load: whether it acquires; of anything else: whether it releases.
    bool ordered() const { return what == action::load ? acquires() : releases(); }

    // Whether the function of that name asks.
    bool in(std::string_view name) const;

    bool operator==(const request&) const = default;
};

struct reply {
    std::uint64_t value = 0; // what was read; for a read-modify-write the value before
    bool done = true;        // false: a comparison failed
};

} // namespace skerry::model
