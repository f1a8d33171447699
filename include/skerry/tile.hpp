// SPDX-License-Identifier: Apache-2.0
#pragma once

// A view of a box of an array: what a task gets for a part of an array of two or three dimensions. For one dimension it
// gets a std::span.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <skerry/access.hpp>
#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/access.hpp>
#include <skerry/detail/core/part_name.hpp>

namespace skerry::inline SKERRY_ABI {

template <class T, std::size_t N>
class tile;
template <class T, std::size_t N>
class array_part;

namespace detail {

template <class T, std::size_t N>
struct view {
    using type = tile<T, N>;
};
template <class T>
struct view<T, 1> {
    using type = std::span<T>;
};

struct view_maker;

// "3 x 5"
template <std::size_t N>
[[nodiscard]] std::string text_of(const std::array<std::size_t, N>& numbers) {
    std::string text = std::to_string(numbers[0]);
    for (std::size_t d = 1; d < N; ++d) {
        text += " x " + std::to_string(numbers[d]);
    }
    return text;
}

} // namespace detail

// Elements (i, j) or (i, j, k), of which those with the same last index but one lie beside each other: row-major order,
// perhaps with gaps between the rows and the planes. It owns nothing, is copied freely, and has the same meaning in all
// processes if the elements lie in a region.
//
//   void scale(skerry::tile<double, 2> t, double by) {
//       for (std::size_t i = 0; i < t.extent(0); ++i)
//           for (std::size_t j = 0; j < t.extent(1); ++j) t(i, j) *= by;
//   }
//
// As an access, in(t), out(t) or inout(t), it is exactly its elements: the bytes between them may be other tasks'.
// Thread safety: as of its elements.
template <class T, std::size_t N>
class tile {
    static_assert(N == 2 || N == 3, "skerry: a tile has 2 or 3 dimensions; of one dimension it is a std::span");

  public:
    using element_type = T;

    // Of no elements.
    constexpr tile() noexcept = default;

    // Rows and planes beside each other. Errors: std::invalid_argument, more elements than memory can hold.
    constexpr tile(T* data, const std::array<std::size_t, N>& extents) : tile(data, extents, dense(extents)) {}

    // strides[d]: elements from one index to the next in dimension d; that of the last dimension is 1. The stride of a
    // matrix's rows is also known as its leading dimension.
    // Errors: std::invalid_argument, if rows or planes would overlap, or are more than memory can hold.
    constexpr tile(T* data, const std::array<std::size_t, N>& extents, const std::array<std::size_t, N - 1>& strides)
        : data_(data),
          extents_(extents),
          strides_(strides) {
        checked();
    }

    // Of constant elements, what a task gets for in().
    template <class U>
        requires(std::is_const_v<T> && std::same_as<const U, T>)
    constexpr tile(const tile<U, N>& other) noexcept // NOLINT(google-explicit-constructor): as std::span
        : data_(other.data()),
          extents_(other.extents_),
          strides_(other.strides_) {}

    [[nodiscard]] static constexpr std::size_t rank() noexcept { return N; }
    // The element whose indices are all 0.
    [[nodiscard]] constexpr T* data() const noexcept { return data_; }
    // How many indices dimension d has. Precondition: d < rank().
    [[nodiscard]] constexpr std::size_t extent(std::size_t d) const noexcept { return extents_[d]; }
    // Elements from one index to the next in dimension d.
    [[nodiscard]] constexpr std::size_t stride(std::size_t d) const noexcept { return d + 1 < N ? strides_[d] : 1; }
    // How many elements there are.
    [[nodiscard]] constexpr std::size_t size() const noexcept {
        std::size_t n = 1;
        for (const std::size_t e : extents_) {
            n *= e;
        }
        return n;
    }
    [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }

    // The element. Precondition: each index is less than its dimension's extent.
    template <std::integral... Index>
        requires(sizeof...(Index) == N)
    [[nodiscard]] constexpr T& operator()(Index... index) const noexcept {
        const std::array<std::size_t, N> at{static_cast<std::size_t>(index)...};
        std::size_t offset = at[N - 1];
        for (std::size_t d = 0; d + 1 < N; ++d) {
            offset += at[d] * strides_[d];
        }
        return data_[offset];
    }

  private:
    template <class, std::size_t>
    friend class tile;
    friend detail::view_maker;

    static constexpr std::array<std::size_t, N - 1> dense(const std::array<std::size_t, N>& extents) noexcept {
        std::array<std::size_t, N - 1> strides{};
        std::size_t n = 1;
        for (std::size_t d = N - 1; d-- > 0;) {
            n *= extents[d + 1];
            strides[d] = n;
        }
        return strides;
    }

    constexpr void checked() const {
        if (empty_dimension()) {
            return;
        }
        constexpr std::size_t most = (std::numeric_limits<std::ptrdiff_t>::max)() / sizeof(T);
        std::size_t span = 1; // elements from the first to behind the last of the dimensions from d on
        for (std::size_t d = N; d-- > 0;) {
            if (stride(d) < span) {
                throw std::invalid_argument("skerry: tile: the stride of dimension " + std::to_string(d) + " is " +
                                            std::to_string(stride(d)) + ", but dimension " + std::to_string(d + 1) +
                                            " spans " + std::to_string(span) + " elements: they would overlap");
            }
            if (extents_[d] - 1 > (most - span) / stride(d)) {
                throw std::invalid_argument("skerry: tile: " + detail::text_of(extents_) +
                                            " elements, with these strides, are more than memory can hold");
            }
            span += (extents_[d] - 1) * stride(d);
        }
    }
    [[nodiscard]] constexpr bool empty_dimension() const noexcept {
        bool none = false;
        for (const std::size_t e : extents_) {
            none = none || e == 0;
        }
        return none;
    }

    T* data_ = nullptr;
    std::array<std::size_t, N> extents_{};
    std::array<std::size_t, N - 1> strides_{};
};

template <class T, std::size_t N>
tile(T*, const std::size_t (&)[N]) -> tile<T, N>;
template <class T, std::size_t N>
tile(T*, const std::size_t (&)[N], const std::size_t (&)[N - 1]) -> tile<T, N>;

namespace detail {

struct view_maker {
    template <class T, std::size_t N>
    [[nodiscard]] static typename view<T, N>::type of(const part_name& part) noexcept {
        T* const data = reinterpret_cast<T*>(part.first());
        if constexpr (N == 1) {
            return {data, part.extent(2) / sizeof(T)};
        } else {
            tile<T, N> t;
            t.data_ = data;
            for (std::size_t d = 0; d + 1 < N; ++d) {
                t.extents_[d] = part.extent(d + 3 - N);
                t.strides_[d] = part.of.pitch[d + 3 - N] / sizeof(T);
            }
            t.extents_[N - 1] = part.extent(2) / sizeof(T);
            return t;
        }
    }
};

// The view of a part's elements.
template <class T, std::size_t N>
[[nodiscard]] typename view<T, N>::type view_of(const part_name& part) noexcept {
    return view_maker::of<T, N>(part);
}

// An array of N dimensions in bytes, cut into tiles of so many elements in each. Tiles larger than the array are as
// large as the array, so that equal cuts have equal names.
template <class T, std::size_t N>
[[nodiscard]] tiling tiling_of(const T* data, const std::array<std::size_t, N>& extents,
                               const std::array<std::size_t, N>& strides,
                               const std::array<std::size_t, N>& tiles) noexcept {
    tiling cut{reinterpret_cast<std::uintptr_t>(data), {1, 1, 1}, {1, 1, 1}, {}};
    for (std::size_t d = 0; d < N; ++d) {
        const std::size_t bytes = d + 1 == N ? sizeof(T) : 1;
        const std::size_t greatest = extents[d] != 0 ? extents[d] : 1;
        cut.extent[d + 3 - N] = extents[d] * bytes;
        cut.tile[d + 3 - N] = (tiles[d] < greatest ? tiles[d] : greatest) * bytes;
    }
    cut.pitch[1] = N > 1 ? strides[N > 1 ? N - 2 : 0] * sizeof(T) : cut.extent[2];
    cut.pitch[0] = N > 2 ? strides[0] * sizeof(T) : cut.extent[1] * cut.pitch[1];
    return cut;
}

// What in(), out() and inout() make of a part: its name, and how the task takes its elements.
template <access_mode Mode, class T, std::size_t N>
class part_access {
  public:
    static constexpr bool writable = !std::is_const_v<T>;
    using element = std::conditional_t<Mode == access_mode::in, const T, T>;
    using argument = typename view<element, N>::type;

    explicit part_access(const array_part<T, N>& part) noexcept : name_(part.name()) {}
    // A whole tile is the only part of itself.
    explicit part_access(const tile<T, N>& t) noexcept
        requires(N > 1)
    {
        std::array<std::size_t, N> extents{};
        std::array<std::size_t, N> strides{};
        for (std::size_t d = 0; d < N; ++d) {
            extents[d] = t.extent(d);
            strides[d] = t.stride(d);
        }
        name_ = {tiling_of(t.data(), extents, strides, extents), {}};
    }

    [[nodiscard]] argument get() const noexcept { return view_of<element, N>(name_); }
    // Valid as long as this stays where it is.
    [[nodiscard]] access describe() const noexcept {
        if (name_.of.extent[0] == 0 || name_.of.extent[1] == 0 || name_.of.extent[2] == 0) {
            return {name_.of.first, {0}, Mode, access_kind::bytes};
        }
        access a{name_.first(), {0}, Mode, access_kind::part};
        a.part = &name_;
        return a;
    }

  private:
    part_name name_;
};

template <access_mode Mode, class T, std::size_t N>
inline constexpr bool is_access<part_access<Mode, T, N>> = true;

} // namespace detail

template <class T, std::size_t N>
struct access_traits<tile<T, N>> {
    static constexpr bool is_part = true;
    template <detail::access_mode Mode>
    using access_type = detail::part_access<Mode, T, N>;
};

} // namespace skerry::inline SKERRY_ABI
