// SPDX-License-Identifier: Apache-2.0
#pragma once

// What of a loop's arrays a device has to have, and what of them it gives back.
//
// Arrays that overlap lie in one piece of the device's memory, so that there, too, a byte is one byte.
//
// Thread safety: constant.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/frontend/kernel/argument.hpp>

#include "sched/split.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Bytes of the caller, for which a device has a piece of memory.
struct shared_bytes {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
};

// `rows` runs of bytes, each `pitch` behind the one before.
struct transfer {
    std::size_t piece = 0; // whose shared_bytes
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
    std::size_t rows = 1;
    std::size_t pitch = 0;

    friend bool operator==(const transfer&, const transfer&) noexcept = default;
};

class transfer_plan {
  public:
    static constexpr std::size_t no_piece = SIZE_MAX;

    // The call outlives it. Errors: std::bad_alloc.
    explicit transfer_plan(const kernel_call& call);

    // Whether iterations may run in two memories at the same time: all that is written is written by each(), and
    // overlaps nothing but by the same each().
    [[nodiscard]] bool can_split() const noexcept;
    // Whether some array is both read and written: run twice, an iteration may not give what it gives run once.
    [[nodiscard]] bool updates() const noexcept;

    [[nodiscard]] const std::vector<shared_bytes>& pieces() const noexcept { return pieces_; }
    // In which piece the argument's array lies; no_piece if it has no bytes.
    [[nodiscard]] std::size_t piece_of(std::size_t argument) const noexcept { return piece_of_[argument]; }

    // What every iteration may read, once before the first chunk. What is written without each() is among it: elements
    // that no iteration writes come back as they were. Errors: std::bad_alloc, as of the next two.
    [[nodiscard]] std::vector<transfer> before_all() const;
    // What these iterations read, or write, by each(); the second with what is written without it.
    [[nodiscard]] std::vector<transfer> before(const split_chunk& chunk) const;
    [[nodiscard]] std::vector<transfer> after(const split_chunk& chunk) const;

  private:
    void add_elements(std::vector<transfer>& to, std::size_t argument, std::size_t first, std::size_t last) const;
    void add_whole(std::vector<transfer>& to, std::size_t argument) const;

    const kernel_call& call_;
    std::vector<shared_bytes> pieces_;
    std::vector<std::size_t> piece_of_;
};

[[nodiscard]] std::uint64_t bytes_of(const std::vector<transfer>& transfers) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
