// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels: a loop body that is written once and runs on workers and on devices (HC-K2H, where one source is compiled
// for both processors).
//
//   SKERRY_KERNEL(axpy, (const float* x, float* y, float a), { y[i] = a * x[i] + y[i]; })
//
//   parallel_for(0, n, axpy, in(each(x)), inout(each(y)), 2.0F);
//   parallel_for(place::device, 0, n, axpy, in(each(x)), inout(each(y)), 2.0F);
//
// The range of such a loop is split between the workers and a device, which is sent what its part reads and gives back
// what that part wrote. All data are at home when the loop returns. Without a device all of it runs on workers.

#include <cmath> // what a body may call
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

#include <skerry/access.hpp>
#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/frontend/kernel/argument.hpp>
#include <skerry/detail/frontend/kernel/kernel_loop.hpp>

// SKERRY_KERNEL(name, (parameters), {body}), at namespace scope: declares the kernel `name`. The body is run for each
// index `i`, a long, and is what C and OpenCL C have in common: no names of C++, no macros, no globals, no calls but
// C's mathematics (sqrtf, exp, fabs, ...). Fixed-width integers (uint32_t) can be used. A parameter is a number
// (integers of up to 64 bits, float, double) or a pointer to such numbers, to const if the body only reads through it.
// A pointer that the body makes of a parameter is `SKERRY_GLOBAL T*`. An iteration may not look at what another one
// writes. A sum of products is rounded twice on every processor, so that integers and + - * of floats are equal to the
// last bit. A body that throws means nothing to a device's compiler: it runs on workers.
#define SKERRY_KERNEL(name, parameters, ...)                                                                           \
    struct skerry_kernel_##name {                                                                                      \
        static constexpr const char* skerry_name = #name;                                                              \
        static constexpr const char* skerry_parameters = #parameters;                                                  \
        static constexpr ::skerry::detail::kernel_text skerry_body{#__VA_ARGS__, __FILE__, __LINE__};                  \
        SKERRY_DETAIL_UNCONTRACTED static void skerry_at(                                                              \
            [[maybe_unused]] const long i SKERRY_DETAIL_AFTER_THE_INDEX parameters) {                                  \
            SKERRY_DETAIL_UNCONTRACTED_BODY __VA_ARGS__                                                                \
        } /* the braces are for the pragma */                                                                          \
    };                                                                                                                 \
    inline constexpr ::skerry::kernel<skerry_kernel_##name> name{};

// SKERRY_DEVICE_BODY(name, opencl, {body}), in the kernel's namespace and behind it: the text that devices of that kind
// build in place of the kernel's. Nobody checks that the two do the same.
#define SKERRY_DEVICE_BODY(name, kind, ...)                                                                            \
    constexpr ::skerry::detail::kernel_text skerry_device_body(skerry_kernel_##name,                                   \
                                                               ::skerry::detail::device_kinds::kind) {                 \
        return {#__VA_ARGS__, __FILE__, __LINE__};                                                                     \
    }

// In a body, in front of a pointer into a parameter's array: SKERRY_GLOBAL const float* row = x + 8 * i;
#define SKERRY_GLOBAL

#define SKERRY_DETAIL_AFTER_THE_INDEX(...) __VA_OPT__(, ) __VA_ARGS__

namespace skerry::inline SKERRY_ABI {

// An array of which each iteration touches its own elements, as each() makes it.
// Thread safety: constant.
template <class T, bool Halo>
class each_range {
  public:
    explicit each_range(std::span<T> elements, std::size_t stride, std::size_t before, std::size_t after) noexcept
        : elements_(elements),
          stride_(stride),
          before_(before),
          after_(after) {}

    [[nodiscard]] std::span<T> elements() const noexcept { return elements_; }
    [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
    [[nodiscard]] std::size_t before() const noexcept { return before_; }
    [[nodiscard]] std::size_t after() const noexcept { return after_; }

  private:
    std::span<T> elements_;
    std::size_t stride_;
    std::size_t before_;
    std::size_t after_;
};

template <class T, bool Halo>
struct access_traits<each_range<T, Halo>> {
    static constexpr bool is_part = true;
    template <detail::access_mode Mode>
    using access_type = detail::each_access<Mode, T>;
};

namespace detail {

template <bool Halo, class R>
auto make_each(R&& array, std::size_t stride, std::size_t before, std::size_t after) noexcept {
    static_assert(std::ranges::contiguous_range<R> && std::ranges::sized_range<R>,
                  "skerry: each(x): the elements of x must lie in one piece, as those of a std::span or std::vector");
    static_assert(std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>,
                  "skerry: each(x): x must live until the loop is over, it cannot be a temporary");
    if constexpr (std::ranges::contiguous_range<R> && std::ranges::sized_range<R>) {
        using element = std::remove_reference_t<std::ranges::range_reference_t<R>>;
        return each_range<element, Halo>(std::span<element>(std::ranges::data(array), std::ranges::size(array)), stride,
                                         before, after);
    }
}

} // namespace detail

// in(each(x)): iteration i touches the elements from i * stride to before (i + 1) * stride of x, and no other. x lies
// in one piece and lives as long as the loop. Whatever a kernel writes is split between workers and a device only if it
// is written so, and overlaps nothing else but by the same each(): else the loop runs on one side. In spawn() it is the
// span of x.
// Errors of the loop: std::out_of_range if x has fewer elements, std::invalid_argument if stride is 0. Complexity:
// O(1).
template <class R>
[[nodiscard]] auto each(R&& x, std::size_t stride = 1) noexcept {
    return detail::make_each<false>(static_cast<R&&>(x), stride, 0, 0);
}
// The same with `before` elements more below and `after` more above, as far as x has them. In in() only.
template <class R>
[[nodiscard]] auto each(R&& x, std::size_t stride, std::size_t before, std::size_t after = 0) noexcept {
    return detail::make_each<true>(static_cast<R&&>(x), stride, before, after);
}

} // namespace skerry::inline SKERRY_ABI
