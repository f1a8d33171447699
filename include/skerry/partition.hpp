// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arrays cut into parts that tasks access: blocks of a vector, tiles of a matrix, bricks of a grid.
//
//   auto p = partition(std::span(x), 1000);                          // parts of 1,000 elements; the last may be short
//   auto q = partition(tile<double, 2>(m, {n, n}, {ld}), {64, 64});  // tiles of a matrix whose rows lie ld apart
//   spawn(scale, inout(p(3)), 2.0);           // void scale(std::span<double>, double)
//   spawn(gemm, in(q(i, k)), inout(q(i, j))); // void gemm(tile<const double, 2>, tile<double, 2>)
//
// The parts of one partition are disjoint, and the analysis knows it: no part is compared with another. Names of
// different kinds on one array, as parts of two partitions, or a part and the whole, or a part and one element of it,
// are ordered as their bytes overlap; that is looked for when a name first appears. Source: the array regions of OmpSs,
// the regions of Myrmics (Lyberis et al., IEEE TPDS 2014, section II), with identity by place and shape, as in
// access.hpp.

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <skerry/access.hpp>
#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/part_name.hpp>
#include <skerry/tile.hpp>

namespace skerry::inline SKERRY_ABI {

template <class T, std::size_t N>
class array_partition;

// One part, as p(i, j) names it: what in(), out() and inout() take. Where a view is wanted it is one, so that the
// program without `spawn` and the access words is the serial program.
template <class T, std::size_t N>
class array_part {
  public:
    using view_type = typename detail::view<T, N>::type; // tile<T, N>, or std::span<T>

    [[nodiscard]] view_type view() const noexcept { return detail::view_of<T, N>(name_); }
    // NOLINTNEXTLINE(google-explicit-constructor): a part stands where the serial program has a view
    operator view_type() const noexcept { return view(); }
    // NOLINTNEXTLINE(google-explicit-constructor): the same
    operator typename detail::view<const T, N>::type() const noexcept
        requires(!std::is_const_v<T>)
    {
        return detail::view_of<const T, N>(name_);
    }

    // For the runtime.
    [[nodiscard]] const detail::part_name& name() const noexcept { return name_; }

  private:
    friend class array_partition<T, N>;
    explicit array_part(const detail::part_name& name) noexcept : name_(name) {}

    detail::part_name name_;
};

template <class T, std::size_t N>
struct access_traits<array_part<T, N>> {
    static constexpr bool is_part = true;
    template <detail::access_mode Mode>
    using access_type = detail::part_access<Mode, T, N>;
};

// An array and how it is cut. It owns nothing and is copied freely, also into tasks and to other processes; two that
// are equal name the same parts, whoever made them.
// Thread safety: constant.
template <class T, std::size_t N>
class array_partition {
  public:
    using part_type = array_part<T, N>;
    using view_type = typename part_type::view_type;

    // How many parts lie beside each other in dimension d. Precondition: d < N.
    [[nodiscard]] std::size_t count(std::size_t d) const noexcept { return counts_[d]; }
    // How many parts there are.
    [[nodiscard]] std::size_t size() const noexcept {
        std::size_t n = 1;
        for (const std::size_t c : counts_) {
            n *= c;
        }
        return n;
    }
    // The whole array. As an access it overlaps every part.
    [[nodiscard]] view_type whole() const noexcept {
        return detail::view_of<T, N>({{cut_.first, cut_.extent, cut_.extent, cut_.pitch}, {}});
    }

    // The part at these places in the grid of parts. O(1).
    // Errors: std::out_of_range names the index and the dimension.
    template <std::integral... Index>
    [[nodiscard]] part_type operator()(Index... index) const {
        static_assert(sizeof...(Index) == N,
                      "skerry: partition: a part has as many indices as the array has dimensions");
        detail::part_name name{cut_, {}};
        std::size_t d = 0;
        const auto place = [&](auto i) {
            if (static_cast<std::size_t>(i) >= counts_[d]) {
                throw std::out_of_range("skerry: partition: there is no part " + std::to_string(i) + " in dimension " +
                                        std::to_string(d) + ", which has " + std::to_string(counts_[d]) +
                                        (counts_[d] == 1 ? " part" : " parts"));
            }
            name.at[d + 3 - N] = static_cast<std::size_t>(i);
            ++d;
        };
        (place(index), ...);
        return part_type(name);
    }

    friend bool operator==(const array_partition&, const array_partition&) noexcept = default;

    // For partition(). Errors: as there.
    array_partition(T* data, const std::array<std::size_t, N>& extents, const std::array<std::size_t, N>& strides,
                    const std::array<std::size_t, N>& tile) {
        for (std::size_t d = 0; d < N; ++d) {
            if (tile[d] == 0) {
                throw std::invalid_argument("skerry: partition: tiles of " + detail::text_of(tile) +
                                            " elements: dimension " + std::to_string(d) + " needs at least 1");
            }
            counts_[d] = extents[d] / tile[d] + (extents[d] % tile[d] != 0 ? 1 : 0);
        }
        cut_ = detail::tiling_of(data, extents, strides, tile);
    }

  private:
    detail::tiling cut_{};
    std::array<std::size_t, N> counts_{};
};

// Parts of `tile` elements, the last perhaps of fewer; none of an empty array. What the task gets is a std::span. The
// elements stay where they are as long as tasks access parts of them.
// Errors: std::invalid_argument if `tile` is 0. Complexity: O(1).
template <class R>
[[nodiscard]] auto partition(R&& array, std::size_t tile) {
    static_assert(
        std::ranges::contiguous_range<R> && std::ranges::sized_range<R>,
        "skerry: partition: the array's elements must lie in one piece, as those of a std::span or std::vector");
    static_assert(std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>,
                  "skerry: partition: the array must live until the tasks have ended, it cannot be a temporary");
    if constexpr (std::ranges::contiguous_range<R> && std::ranges::sized_range<R>) {
        using element = std::remove_reference_t<std::ranges::range_reference_t<R>>;
        return array_partition<element, 1>(std::ranges::data(array), {std::ranges::size(array)}, {1}, {tile});
    }
}

// Tiles of a matrix or bricks of a grid, those at the upper ends perhaps short. What the task gets is a skerry::tile.
//   partition(tile<double, 2>(m, {rows, columns}, {ld}), {64, 64})
// Errors: std::invalid_argument names a size that is 0. Complexity: O(1).
template <class T, std::size_t N>
[[nodiscard]] array_partition<T, N> partition(const skerry::tile<T, N>& array, const std::size_t (&tile)[N]) {
    std::array<std::size_t, N> extents{};
    std::array<std::size_t, N> strides{};
    std::array<std::size_t, N> tiles{};
    for (std::size_t d = 0; d < N; ++d) {
        extents[d] = array.extent(d);
        strides[d] = array.stride(d);
        tiles[d] = tile[d];
    }
    return {array.data(), extents, strides, tiles};
}

// The same of elements in one piece, in row-major order: partition(v, {rows, columns}, {64, 64}).
// Errors: std::invalid_argument, also if there are not as many elements as the extents say.
template <class R, std::size_t N>
[[nodiscard]] auto partition(R&& array, const std::size_t (&extents)[N], const std::size_t (&tile)[N]) {
    static_assert(N == 2 || N == 3, "skerry: partition: an array has 1 to 3 dimensions");
    static_assert(
        std::ranges::contiguous_range<R> && std::ranges::sized_range<R>,
        "skerry: partition: the array's elements must lie in one piece, as those of a std::span or std::vector");
    static_assert(std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>,
                  "skerry: partition: the array must live until the tasks have ended, it cannot be a temporary");
    if constexpr (std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && (N == 2 || N == 3)) {
        using element = std::remove_reference_t<std::ranges::range_reference_t<R>>;
        const std::array<std::size_t, N> shape = std::to_array(extents);
        const skerry::tile<element, N> whole(std::ranges::data(array), shape);
        if (whole.size() != std::ranges::size(array)) {
            throw std::invalid_argument("skerry: partition: " + detail::text_of(shape) + " elements are " +
                                        std::to_string(whole.size()) + ", but the array has " +
                                        std::to_string(std::ranges::size(array)));
        }
        return skerry::partition(whole, tile);
    }
}

} // namespace skerry::inline SKERRY_ABI
