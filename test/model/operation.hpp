// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the operations have in common, whatever the memory.

#include <cstdint>

#include "engine.hpp"

namespace skerry::model {

constexpr std::uint64_t mask(unsigned size) {
    return size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1;
}

constexpr bool overlap(std::uintptr_t a, unsigned a_size, std::uintptr_t b, unsigned b_size) {
    return a < b + b_size && b < a + a_size;
}

// What a store or a read-modify-write leaves behind.
constexpr std::uint64_t modified(const request& r, std::uint64_t old) {
    switch (r.what) {
    case action::add: return (old + r.operand) & mask(r.size);
    case action::bit_and: return old & r.operand;
    case action::bit_or: return old | r.operand;
    case action::bit_xor: return old ^ r.operand;
    default: return r.operand;
    }
}

constexpr bool is_comparison(action a) { return a == action::compare_exchange || a == action::compare_exchange_weak; }

constexpr bool is_store(action a) { return a == action::store || a == action::plain_store; }

constexpr bool is_plain(action a) { return a == action::plain_load || a == action::plain_store; }

constexpr bool is_read_modify_write(action a) {
    switch (a) {
    case action::exchange:
    case action::compare_exchange:
    case action::compare_exchange_weak:
    case action::add:
    case action::bit_and:
    case action::bit_or:
    case action::bit_xor: return true;
    default: return false;
    }
}

} // namespace skerry::model
