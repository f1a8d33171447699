// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/part_name.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What a task does with an object. The content of an `out` object is undefined on entry.
enum class access_mode : std::uint8_t { in, out, inout };

constexpr bool reads(access_mode m) noexcept { return m != access_mode::out; }
constexpr bool writes(access_mode m) noexcept { return m != access_mode::in; }

// What an access names.
enum class access_kind : std::uint8_t {
    bytes,    // `extent` bytes from `first` on
    elements, // the same: where the elements of a container lie that the task names, too, and that stands for them
    region,   // everything in the region whose number is `first`, also what is made there later
    part,     // the bytes of `part`, the first of which is `first`
};

// Whether it is some bytes in one piece.
constexpr bool is_run(access_kind k) noexcept { return k <= access_kind::elements; }

// One access of one task: an object by its first byte and extent, a region by its number, or a part of an array. Equal
// names are the fast path of the analysis; different names that overlap are found when a name first appears.
struct access {
    std::uintptr_t first;
    union {
        std::size_t extent;    // bytes; 0 for a region
        const part_name* part; // of access_kind::part; not owned
    };
    access_mode mode;
    access_kind kind;

    [[nodiscard]] constexpr bool nothing() const noexcept { return is_run(kind) && extent == 0; }
};
// It crosses to other processes as it is.
static_assert(std::is_trivially_copyable_v<access> && std::is_standard_layout_v<access> && sizeof(access) == 24);
static_assert(offsetof(access, first) == 0 && offsetof(access, extent) == 8 && offsetof(access, mode) == 16 &&
              offsetof(access, kind) == 17);

// Whether two accesses name the same in the same way.
constexpr bool same_name(const access& a, const access& b) noexcept {
    return a.first == b.first && a.kind == b.kind &&
           (a.kind == access_kind::part ? *a.part == *b.part : a.extent == b.extent);
}

// The bytes of an access as a box. Precondition: it names memory, and some.
constexpr byte_box box_of(const access& a) noexcept {
    return a.kind == access_kind::part ? a.part->shape() : byte_box{a.first, 1, 1, a.extent, a.extent, a.extent};
}

// Calls f(first byte, bytes) for each piece of memory that an access names; for none of a region.
template <class F>
constexpr void for_each_run(const access& a, F&& f) {
    if (a.kind == access_kind::part) {
        a.part->shape().every_run([&f](std::uintptr_t first, std::size_t bytes) { return f(first, bytes), true; });
    } else if (is_run(a.kind) && a.extent != 0) {
        f(a.first, a.extent);
    }
}

// Where the elements of a container are.
struct elements_now {
    std::span<const std::byte> used;
    std::size_t room; // bytes from the first element on that are the container's; no fewer than those of the elements
};

// The access to them that goes with one of that mode to the container.
inline access elements_access(const elements_now& now, access_mode mode) noexcept {
    return {reinterpret_cast<std::uintptr_t>(now.used.data()), {now.used.size()}, mode, access_kind::elements};
}

// A container among the accesses of a task. It may be looked into only when nobody writes it: else it would not say
// where its elements are.
struct container_access {
    std::uint32_t node; // which access it is
    elements_now (*look)(const void* container) noexcept;
};

} // namespace skerry::inline SKERRY_ABI::detail
