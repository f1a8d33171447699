// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// A region's name, the same in every process of a program, so that it may lie inside objects that cross.
//
// | bits     | what                                                                              |
// |----------|-----------------------------------------------------------------------------------|
// | 0 to 23  | slot in the table of the process that made the region                             |
// | 24 to 51 | how many regions the slot has had: at least 1, so that no two regions share an id |
// | 52 to 63 | the process that made the region                                                  |
//
// The root region is 0 in every process; all ones names nothing.
enum class region_id : std::uint64_t { root = 0, none = ~std::uint64_t{0} };

inline constexpr unsigned region_slot_bits = 24;
inline constexpr unsigned region_serial_bits = 28;
inline constexpr unsigned region_process_bits = 12;
static_assert(sizeof(region_id) == 8);
static_assert(region_slot_bits + region_serial_bits + region_process_bits == 64);

constexpr std::uint64_t bits_of(region_id id) noexcept { return static_cast<std::uint64_t>(id); }

// One past the last slot and the last serial; the very last of each stays unused, since `none` would be its id.
inline constexpr std::uint64_t region_slots = (std::uint64_t{1} << region_slot_bits) - 1;
inline constexpr std::uint64_t region_serials = (std::uint64_t{1} << region_serial_bits) - 1;

constexpr region_id make_region_id(std::uint64_t process, std::uint64_t serial, std::uint64_t slot) noexcept {
    return region_id{process << (region_slot_bits + region_serial_bits) | serial << region_slot_bits | slot};
}
constexpr std::uint64_t slot_of(region_id id) noexcept {
    return bits_of(id) & ((std::uint64_t{1} << region_slot_bits) - 1);
}
constexpr std::uint64_t process_of(region_id id) noexcept {
    return bits_of(id) >> (region_slot_bits + region_serial_bits);
}

} // namespace skerry::inline SKERRY_ABI::detail
