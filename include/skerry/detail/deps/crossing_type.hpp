// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a task goes to another process: as an index into a table that both have, and bytes. A task can go if its function
// has no state and its arguments are accesses or trivially copyable values; a code address goes as its offset in the
// program, since programs lie at different addresses. Pointers among the values go only if they lead into the arena:
// nothing else has the same address in both.

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <variant>
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
        const auto bytes = std::as_bytes(std::span<const T, 1>(std::addressof(x), 1));
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
    SKERRY_EXPORT crossing_type(const char* text, void (*p)(const dependent_task&, byte_writer&),
                                bool (*g)(const dependent_task&, bool (*)(const void*) noexcept) noexcept,
                                void (*o)(const dependent_task&, std::vector<std::span<const std::byte>>&),
                                dependent_task* (*m)(const spawn_place&, const char*, byte_reader&)) noexcept;

    const char* const name;
    void (*const pack)(const dependent_task&, byte_writer&);
    // Whether this one can go: its function lies in the program, and `in_arena` holds for each pointer among its
    // values. Null: all can.
    bool (*const goes)(const dependent_task&, bool (*in_arena)(const void*) noexcept) noexcept;
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
void pack_function(const F& f, byte_writer& out) {
    if constexpr (is_function_pointer<F>) {
        out.put(code_offset_of(reinterpret_cast<const void*>(f)));
    } else {
        static_cast<void>(f);
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

// Whether the type of a value says that it holds pointers. Of other classes nobody can tell.
template <class T>
consteval bool has_pointers() noexcept;

// Classes of std that hold values of types that they name. every() calls f for each value until that returns false, and
// returns whether it never did.
template <class T>
struct held_values {};
template <class T, std::size_t N>
struct held_values<std::array<T, N>> {
    static constexpr bool have_pointers = has_pointers<T>();
    template <class F>
    static bool every(const std::array<T, N>& x, F f) {
        return std::ranges::all_of(x, f);
    }
};
template <class T>
struct held_values<std::optional<T>> {
    static constexpr bool have_pointers = has_pointers<T>();
    template <class F>
    static bool every(const std::optional<T>& x, F f) {
        return !x || f(*x);
    }
};
template <class... T>
struct held_values<std::variant<T...>> {
    static constexpr bool have_pointers = (has_pointers<T>() || ...);
    template <class F>
    static bool every(const std::variant<T...>& x, F f) {
        return x.valueless_by_exception() || std::visit(f, x);
    }
};
template <class It, class End, std::ranges::subrange_kind Kind>
struct held_values<std::ranges::subrange<It, End, Kind>> {
    static constexpr bool have_pointers = has_pointers<It>() || has_pointers<End>();
    template <class F>
    static bool every(const std::ranges::subrange<It, End, Kind>& x, F f) {
        return f(x.begin()) && f(x.end());
    }
};
template <class It>
struct held_values<std::reverse_iterator<It>> {
    static constexpr bool have_pointers = has_pointers<It>();
    template <class F>
    static bool every(const std::reverse_iterator<It>& x, F f) {
        return f(x.base());
    }
};
template <class T>
concept holds_values = requires { held_values<T>::have_pointers; };

template <class T>
concept views_elements = std::is_class_v<T> && requires(const T& x) {
    { x.data() } noexcept -> std::convertible_to<const volatile void*>;
};
template <class T>
concept refers_to_one = std::is_class_v<T> && requires(const T& x) {
    typename T::type;
    { std::addressof(x.get()) } noexcept;
};
template <class T>
concept leads_to_elements = std::is_class_v<T> && std::contiguous_iterator<T>;

template <class T>
consteval bool has_pointers() noexcept {
    if constexpr (holds_values<T>) {
        return held_values<T>::have_pointers;
    } else {
        return std::is_pointer_v<T> || std::is_member_function_pointer_v<T> || views_elements<T> || refers_to_one<T> ||
               leads_to_elements<T>;
    }
}

// Whether it leads to nothing but where in_arena() holds, or into itself.
template <class T>
bool leads_inside(const T& x, bool (*in_arena)(const void*) noexcept) noexcept {
    [[maybe_unused]] const auto inside = [&x, in_arena](const volatile void* at) {
        const std::uintptr_t within =
            reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(std::addressof(x));
        return at == nullptr || within < sizeof x || in_arena(const_cast<const void*>(at));
    };
    if constexpr (!has_pointers<T>()) {
        return true;
    } else if constexpr (holds_values<T>) {
        return held_values<T>::every(x, [in_arena](const auto& e) { return leads_inside(e, in_arena); });
    } else if constexpr (std::is_member_function_pointer_v<T> || is_function_pointer<T>) {
        return x == nullptr; // code lies elsewhere in each process
    } else if constexpr (std::is_pointer_v<T>) {
        return inside(x);
    } else if constexpr (views_elements<T>) {
        return inside(x.data());
    } else if constexpr (refers_to_one<T>) {
        return inside(std::addressof(x.get()));
    } else {
        return inside(std::to_address(x));
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
