// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a task goes to another process: as an index into a table that both have, and bytes. A task can go if its function
// has no state and its arguments are accesses or trivially copyable values; a code address goes as its offset in the
// program, since programs lie at different addresses.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <skerry/access.hpp>
#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

namespace skerry::inline SKERRY_ABI::detail {

class byte_writer {
  public:
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void put(const T& x) {
        const auto bytes = std::as_bytes(std::span<const T, 1>(&x, 1));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void put_bytes(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    [[nodiscard]] std::vector<std::byte>& bytes() noexcept { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

// Throws std::runtime_error if there are not enough bytes.
class byte_reader {
  public:
    explicit byte_reader(std::span<const std::byte> bytes) noexcept : rest_(bytes) {}

    template <class T>
        requires std::is_trivially_copyable_v<T>
    [[nodiscard]] T get() {
        std::array<std::byte, sizeof(T)> room;
        std::memcpy(room.data(), take(sizeof(T)).data(), sizeof(T));
        return std::bit_cast<T>(room);
    }
    [[nodiscard]] SKERRY_EXPORT std::span<const std::byte> take(std::size_t n);
    [[nodiscard]] std::span<const std::byte> rest() const noexcept { return rest_; }

  private:
    std::span<const std::byte> rest_;
};

// One for each type of task that can cross. They make themselves known before main() or when a plugin is opened, and
// are numbered when the processes meet.
struct crossing_type {
    // `text` tells types apart, in every process in the same way.
    SKERRY_EXPORT crossing_type(const char* text, bool (*p)(const dependent_task&, byte_writer&),
                                void (*o)(const dependent_task&, std::vector<std::span<const std::byte>>&),
                                dependent_task* (*m)(const spawn_place&, const char*, byte_reader&)) noexcept;

    const char* const name;
    // False: this one cannot go, its function lies outside the program.
    bool (*const pack)(const dependent_task&, byte_writer&);
    // What the task's arguments are besides the bytes that its accesses name: the containers themselves.
    void (*const objects)(const dependent_task&, std::vector<std::span<const std::byte>>&);
    // Throws what making the task throws. Precondition: the objects are there.
    dependent_task* (*const make)(const spawn_place&, const char* task_name, byte_reader&);

    const crossing_type* next; // constant once main() runs
    mutable std::uint32_t index = 0;

    // The one registered last.
    static const crossing_type* newest() noexcept;
};

// The offset of a function in the program; 0: it lies elsewhere.
[[nodiscard]] SKERRY_EXPORT std::uint64_t code_offset_of(const void* function) noexcept;
[[nodiscard]] SKERRY_EXPORT const void* code_at(std::uint64_t offset) noexcept;

template <class F>
inline constexpr bool is_function_pointer = std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>;

// Functions whose every object is the same.
template <class F>
inline constexpr bool is_stateless = is_function_pointer<F> || (std::is_empty_v<F> && std::is_trivially_copyable_v<F>);

template <class F>
bool pack_function(const F& f, byte_writer& out) {
    if constexpr (is_function_pointer<F>) {
        const std::uint64_t offset = code_offset_of(reinterpret_cast<const void*>(f));
        out.put(offset);
        return offset != 0;
    } else {
        static_cast<void>(f);
        return true;
    }
}

template <class F>
F unpack_function(byte_reader& in) {
    if constexpr (is_function_pointer<F>) {
        return reinterpret_cast<F>(reinterpret_cast<std::uintptr_t>(code_at(in.get<std::uint64_t>())));
    } else {
        static_cast<void>(in);
        return std::bit_cast<F>(std::byte{0});
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
