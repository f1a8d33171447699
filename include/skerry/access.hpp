// SPDX-License-Identifier: Apache-2.0
#pragma once

// The access words of dataflow tasks (OmpSs, Myrmics): what a task reads and writes is what its function takes.
//
//   spawn(gemm, in(a), in(b), inout(c));   // calls gemm(const tile&, const tile&, tile&)
//
// An access names an object by its first byte and its extent. A container is named itself, and so are its elements: the
// task may change how many there are and where, as long as no task after it names some of those that are gone. A view
// is its elements alone.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/access.hpp>
#include <skerry/detail/core/misuse.hpp>

namespace skerry::inline SKERRY_ABI {

namespace detail {

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

// What lies in the object itself is named with it.
template <class T>
concept elements_in_one_piece = std::ranges::contiguous_range<const T> && std::ranges::sized_range<const T> &&
                                !std::is_array_v<T> && !is_std_array<T>;

} // namespace detail

// Which bytes an access to a T touches. Specialise it for types whose data lie elsewhere: bytes(x) returns them, in one
// piece. The object itself is named besides, unless it cannot own them: then it is trivially copyable, or a view
// (std::ranges::enable_view). A type that stands for a region has region_number(x) instead; one that stands for a part
// of an array has is_part and a template access_type.
template <class T>
struct access_traits {
    static constexpr bool is_the_object = true; // nothing lies elsewhere
    static std::span<const std::byte> bytes(const T& x) noexcept {
        return std::as_bytes(std::span<const T, 1>(std::addressof(x), 1));
    }
};

// Containers and views over one block of memory: their elements.
template <detail::elements_in_one_piece T>
struct access_traits<T> {
    static std::span<const std::byte> bytes(const T& x) noexcept {
        return std::as_bytes(std::span(std::ranges::data(x), std::ranges::size(x)));
    }
};

namespace detail {

// What owns bytes that lie elsewhere.
template <class T>
concept container = !requires { requires access_traits<T>::is_the_object; } && !std::is_trivially_copyable_v<T> &&
                    !std::ranges::enable_view<T> && !std::ranges::enable_borrowed_range<T>;

inline bool lies_in(const void* at, const void* object, std::size_t bytes) noexcept {
    return reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(object) < bytes;
}

// What an access to an object names of it. What is no container and has elements inside of it, as an array of which
// only some are used, is named as a whole.
template <class T>
std::span<const std::byte> named_bytes(const T& x) noexcept {
    const std::span<const std::byte> whole = std::as_bytes(std::span<const T, 1>(std::addressof(x), 1));
    if constexpr (container<T>) {
        return whole;
    } else if constexpr (elements_in_one_piece<T> && !std::ranges::enable_view<T>) {
        return lies_in(std::ranges::data(x), whole.data(), whole.size()) ? whole : access_traits<T>::bytes(x);
    } else {
        return access_traits<T>::bytes(x);
    }
}

// Where the elements of a container are, with those for which it has room already.
template <class T>
elements_now elements_of(const void* object) noexcept {
    const T& x = *static_cast<const T*>(object);
    const std::span<const std::byte> used = access_traits<T>::bytes(x);
    std::size_t room = used.size();
    if constexpr (elements_in_one_piece<T> && requires {
                      { x.capacity() } -> std::convertible_to<std::size_t>;
                  }) {
        using element = std::ranges::range_value_t<const T>;
        const auto capacity = static_cast<std::size_t>(x.capacity());
        room = capacity * sizeof(element) > room ? capacity * sizeof(element) : room;
    }
    return {used, room};
}

// What in(), out() and inout() make of an object: its address, and how the task takes it.
template <access_mode Mode, class T>
class object_access {
  public:
    using argument = std::conditional_t<Mode == access_mode::in, const T&, T&>;

    explicit object_access(T& x) noexcept : object_(std::addressof(x)) {}

    [[nodiscard]] argument get() const noexcept { return *object_; }
    // Its elements are not looked for here: a task before this one may be changing them.
    [[nodiscard]] access describe() const noexcept {
        const std::span<const std::byte> bytes = named_bytes<std::remove_const_t<T>>(*object_);
        return {reinterpret_cast<std::uintptr_t>(bytes.data()), {bytes.size()}, Mode, access_kind::bytes};
    }
    // The object itself, which is more than its elements if it is a view.
    [[nodiscard]] std::span<const std::byte> object() const noexcept {
        return std::as_bytes(std::span<const T, 1>(object_, 1));
    }

  private:
    T* object_;
};

// What stands for a region, of which the task gets a copy.
template <class T>
concept region_handle = requires(const T& x) {
    { access_traits<T>::region_number(x) } -> std::same_as<std::uint64_t>;
};

template <access_mode Mode, region_handle T>
class region_access {
  public:
    using argument = std::conditional_t<Mode == access_mode::in, const T&, T&>;

    explicit region_access(const T& x) noexcept : handle_(x) {}

    [[nodiscard]] argument get() const noexcept { return handle_; }
    [[nodiscard]] access describe() const noexcept {
        return {access_traits<T>::region_number(handle_), {0}, Mode, access_kind::region};
    }

  private:
    mutable T handle_; // the task's own: a copy that names the same region
};

// The same of a view, which the task takes by value.
template <access_mode Mode, class T>
class span_access {
  public:
    using argument = std::conditional_t<Mode == access_mode::in, std::span<const T>, std::span<T>>;

    explicit span_access(argument x) noexcept : view_(x) {}

    [[nodiscard]] argument get() const noexcept { return view_; }
    [[nodiscard]] access describe() const noexcept {
        return {reinterpret_cast<std::uintptr_t>(view_.data()), {view_.size_bytes()}, Mode, access_kind::bytes};
    }

  private:
    argument view_;
};

// How a task finds out where the elements are of the container that an access names; null: it names none.
template <class A>
inline constexpr std::nullptr_t look_of = nullptr;
template <access_mode Mode, class T>
    requires container<std::remove_const_t<T>>
inline constexpr decltype(container_access::look) look_of<object_access<Mode, T>> =
    &elements_of<std::remove_const_t<T>>;
template <class A>
inline constexpr bool names_container = !std::is_null_pointer_v<decltype(look_of<A>)>; // as has_name

template <access_mode Mode, class T>
inline constexpr bool is_access<object_access<Mode, T>> = true;
template <access_mode Mode, class T>
inline constexpr bool is_access<span_access<Mode, T>> = true;
template <access_mode Mode, class T>
inline constexpr bool is_access<region_access<Mode, T>> = true;

template <class T>
inline constexpr bool is_span = false;
template <class T, std::size_t N>
inline constexpr bool is_span<std::span<T, N>> = true;

// What stands for a part of an array, of which the task gets a view.
template <class T>
concept part_handle = access_traits<T>::is_part;

template <access_mode Mode, class X>
[[nodiscard]] auto make_access(X&& x) noexcept {
    using type = std::remove_reference_t<X>;
    if constexpr (part_handle<std::remove_const_t<type>>) {
        using part = typename access_traits<std::remove_const_t<type>>::template access_type<Mode>;
        static_assert(Mode == access_mode::in || part::writable,
                      "skerry: out() and inout() need a part of an array whose elements can be written");
        return part(x);
    } else if constexpr (is_span<std::remove_const_t<type>>) {
        using element = typename type::element_type;
        static_assert(Mode == access_mode::in || !std::is_const_v<element>,
                      "skerry: out() and inout() need a span of elements that can be written");
        return span_access<Mode, std::conditional_t<Mode == access_mode::in, std::remove_const_t<element>, element>>(x);
    } else if constexpr (region_handle<std::remove_const_t<type>>) {
        return region_access<Mode, std::remove_const_t<type>>(x);
    } else {
        static_assert(std::is_lvalue_reference_v<X>,
                      "skerry: an access needs an object that lives until the task has ended, not a temporary: give a "
                      "value without in()");
        static_assert(!std::is_pointer_v<std::remove_const_t<type>>,
                      "skerry: an access names an object, not a pointer to it: write in(*p), or in(std::span(p, n))");
        static_assert(Mode == access_mode::in || !std::is_const_v<type>,
                      "skerry: out() and inout() need an object that can be written");
        return object_access<Mode, type>(x);
    }
}

} // namespace detail

// The task reads x. The function takes const T&; of a span std::span<const T>.
template <class X>
[[nodiscard]] auto in(X&& x) noexcept {
    return detail::make_access<detail::access_mode::in>(std::forward<X>(x));
}

// The task writes x and does not look at what it held before. The function takes T&; of a span std::span<T>.
template <class X>
[[nodiscard]] auto out(X&& x) noexcept {
    return detail::make_access<detail::access_mode::out>(std::forward<X>(x));
}

// The task reads and writes x. The function takes T&; of a span std::span<T>.
template <class X>
[[nodiscard]] auto inout(X&& x) noexcept {
    return detail::make_access<detail::access_mode::inout>(std::forward<X>(x));
}

} // namespace skerry::inline SKERRY_ABI
