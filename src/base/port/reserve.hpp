// SPDX-License-Identifier: Apache-2.0
#pragma once

// Address space at a chosen place: the arena, which lies at the same address in every process of a program.
//
// A reservation holds no memory: its pages cannot be touched before commit(). It is left out of core dumps, and costs
// neither swap nor overcommit, but it counts against `ulimit -v`.
// Preconditions: addresses and sizes are multiples of the page size; sizes are not 0; all but reserve_at's lie within
// one reservation.
// Thread safety: any thread. Errors: return values, with errno as the system left it; nothing else is changed.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/port/watched.hpp>

namespace skerry::inline SKERRY_ABI::port {

// ThreadSanitizer knows few address ranges, and ends the process that maps others: a build with it must not try around.
inline constexpr bool addresses_may_be_tried = !detail::accesses_are_watched;

// Where an arena may lie.
struct arena_place {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;

    friend bool operator==(const arena_place&, const arena_place&) = default;
};

inline constexpr std::size_t most_arena_places = 8;

// The places that this build of this process may try, best first. A thread sanitizer ends the process when a mapping
// lands outside of what it allows, so there the list has no other place: never try one that is not in it.
std::span<const arena_place> arena_places() noexcept;

// Reserves exactly [address, address + bytes): any access faults, no core dump holds it. False: something lies there
// (EEXIST), or a limit is reached.
[[nodiscard]] bool reserve_at(std::uint64_t address, std::uint64_t bytes) noexcept;

void release_reserved(std::uint64_t address, std::uint64_t bytes) noexcept;

// Owns a reservation. Thread safety: one thread per object.
class reservation {
  public:
    reservation() = default;
    // Takes over what reserve_at(place) reserved.
    explicit reservation(const arena_place& place) noexcept : place_(place) {}
    reservation(reservation&& other) noexcept : place_(std::exchange(other.place_, {})) {}
    reservation& operator=(reservation&& other) noexcept {
        std::swap(place_, other.place_);
        return *this;
    }
    ~reservation() {
        if (place_.bytes != 0) {
            release_reserved(place_.address, place_.bytes);
        }
    }

    // Zero bytes: nothing is reserved.
    [[nodiscard]] const arena_place& place() const noexcept { return place_; }
    [[nodiscard]] std::byte* begin() const noexcept { return reinterpret_cast<std::byte*>(place_.address); }

  private:
    arena_place place_;
};

// Makes a part readable and writable; fresh pages are zero. False without memory.
[[nodiscard]] bool commit(void* begin, std::size_t bytes) noexcept;

// What may be done with a committed part from now on.
enum class access { none, read, read_write };
[[nodiscard]] bool protect(void* begin, std::size_t bytes, access allowed) noexcept;

// Gives the memory behind a committed part back; it stays accessible and reads as zeros.
void release(void* begin, std::size_t bytes) noexcept;

// Bytes of address space that this process may have (ulimit -v); the greatest number if there is no limit.
[[nodiscard]] std::uint64_t address_space_limit() noexcept;

} // namespace skerry::inline SKERRY_ABI::port
