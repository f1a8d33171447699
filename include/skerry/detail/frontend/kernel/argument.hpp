// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arguments of a kernel's loop as the runtime sees them, and what is wrong with them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <skerry/access.hpp>
#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/kernel_code.hpp>
#include <skerry/partition.hpp>
#include <skerry/tile.hpp>

namespace skerry::inline SKERRY_ABI {

template <class T, bool Halo>
class each_range;

namespace detail {

// in(each(x)), out(each(x)), inout(each(x)). In spawn() it is the span.
template <access_mode Mode, class T>
class each_access : public span_access<Mode, T> {
  public:
    static constexpr bool writable = !std::is_const_v<T>;

    template <bool Halo>
    explicit each_access(const each_range<T, Halo>& x) noexcept
        : span_access<Mode, T>(x.elements()),
          stride(x.stride()),
          before(x.before()),
          after(x.after()) {
        static_assert(!Halo || Mode == access_mode::in,
                      "skerry: each(x, stride, before, after) goes with in(): what an iteration writes is its own");
    }

    std::size_t stride;
    std::size_t before;
    std::size_t after;
};
template <access_mode Mode, class T>
inline constexpr bool is_access<each_access<Mode, T>> = true;

// One argument: a value, or the elements that a pointer reaches.
struct kernel_argument {
    std::byte* data = nullptr;  // the first element; the value
    std::size_t element = 0;    // bytes of an element or of the value
    std::size_t count = 0;      // elements from the first to the last, with the gaps between rows; 0 of a value
    std::size_t row = 0;        // elements of a row in one piece; count, but for parts of matrices
    std::size_t rows[2]{1, 1};  // how many rows, in how many planes
    std::size_t pitch[2]{0, 0}; // elements from row to row, from plane to plane
    bool value = false;
    bool reads = false;
    bool writes = false;
    bool each = false; // iteration i touches elements i * stride - before to (i + 1) * stride + after, cut at the ends
    std::size_t stride = 0;
    std::size_t before = 0;
    std::size_t after = 0;
};

// A loop over a kernel. What it points to lives as long as the call.
struct kernel_call {
    const kernel_code* code;
    const kernel_argument* arguments; // code->count of them
    const void* const* values;        // as code->host takes them
    long first;
    long last; // > first

    [[nodiscard]] std::uint64_t iterations() const noexcept {
        return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    }
};

template <class T>
inline constexpr std::size_t dimensions_of_tile = 0; // of what is none
template <class T, std::size_t N>
inline constexpr std::size_t dimensions_of_tile<tile<T, N>> = N;

template <class A>
inline constexpr bool names_each = false;
template <access_mode Mode, class T>
inline constexpr bool names_each<each_access<Mode, T>> = true;

template <class A>
inline constexpr access_mode mode_of = access_mode::in;
template <template <access_mode, class> class A, access_mode Mode, class T>
inline constexpr access_mode mode_of<A<Mode, T>> = Mode;
template <access_mode Mode, class T, std::size_t N>
inline constexpr access_mode mode_of<part_access<Mode, T, N>> = Mode;

// A view of the elements of what an access names; void if it has none.
template <class A>
auto elements_named(const A& a) noexcept {
    using object = std::remove_cvref_t<decltype(a.get())>;
    if constexpr (dimensions_of_tile<object> != 0) {
        return a.get();
    } else if constexpr (std::ranges::contiguous_range<object> && std::ranges::sized_range<object>) {
        return std::span(std::ranges::data(a.get()), std::ranges::size(a.get()));
    } else if constexpr (std::is_arithmetic_v<object>) {
        return std::span(std::addressof(a.get()), 1);
    }
}
template <class A>
struct element_named {
    using type = void;
};
template <class A>
    requires(!std::is_void_v<decltype(elements_named(std::declval<const A&>()))>)
struct element_named<A> {
    using type = std::remove_const_t<typename decltype(elements_named(std::declval<const A&>()))::element_type>;
};

// What keeps an argument from being the parameter P, as a sentence; false: nothing does.
template <class P, class A>
constexpr bool kernel_takes() {
    if constexpr (std::is_pointer_v<P>) {
        static_assert(is_access<A>, "skerry: a kernel's pointer is given as in(x), out(x) or inout(x)");
        if constexpr (is_access<A>) {
            constexpr bool constant = std::is_const_v<std::remove_pointer_t<P>>;
            constexpr bool same_mode = constant == (mode_of<A> == access_mode::in);
            static_assert(same_mode,
                          "skerry: a kernel's pointer to const goes with in(x), any other with out(x) or inout(x)");
            constexpr bool same_type =
                std::is_same_v<std::remove_const_t<std::remove_pointer_t<P>>, typename element_named<A>::type>;
            static_assert(!same_mode || same_type,
                          "skerry: a kernel's pointer goes with an array of its type, in one piece: a std::span, "
                          "std::vector, an array or a part of one");
            return same_mode && same_type;
        } else {
            return false;
        }
    } else {
        static_assert(!is_access<A>, "skerry: a kernel's value is given without in(), out() or inout()");
        static_assert(is_access<A> || std::is_arithmetic_v<A>, "skerry: a kernel's value is given as a number");
        return !is_access<A> && std::is_arithmetic_v<A>;
    }
}

// An argument together with what the kernel takes of it.
template <class P>
struct bound_argument {
    P value;
    kernel_argument about;
};

template <class P, class A>
bound_argument<P> bind_argument(const A& a) noexcept {
    bound_argument<P> bound{};
    kernel_argument& about = bound.about;
    if constexpr (std::is_pointer_v<P>) {
        using element = std::remove_const_t<std::remove_pointer_t<P>>;
        const auto elements = elements_named(a);
        bound.value = const_cast<element*>(elements.data());
        about.data = reinterpret_cast<std::byte*>(const_cast<element*>(elements.data()));
        about.element = sizeof(element);
        about.reads = reads(mode_of<A>);
        about.writes = writes(mode_of<A>);
        constexpr std::size_t dimensions = dimensions_of_tile<std::remove_const_t<decltype(elements)>>;
        if constexpr (dimensions != 0) {
            about.row = elements.extent(dimensions - 1);
            about.count = about.row;
            for (std::size_t d = dimensions - 1; d-- != 0;) {
                about.rows[dimensions - 2 - d] = elements.extent(d);
                about.pitch[dimensions - 2 - d] = elements.stride(d);
                about.count += elements.extent(d) != 0 ? (elements.extent(d) - 1) * elements.stride(d) : 0;
            }
            if (elements.size() == 0) {
                about.count = about.row = 0;
            }
        } else {
            about.count = about.row = elements.size();
        }
        if constexpr (names_each<A>) {
            about.each = true;
            about.stride = a.stride;
            about.before = a.before;
            about.after = a.after;
        }
    } else {
        bound.value = static_cast<P>(a);
        about.element = sizeof(P);
        about.value = true;
    }
    return bound;
}

// Errors: std::out_of_range if an iteration of the loop would touch elements beyond an array, std::invalid_argument for
// a stride of 0. The texts name the kernel and the argument, counted from 1.
inline void check_arguments(const kernel_call& call) {
    for (std::size_t k = 0; k < call.code->count; ++k) {
        const kernel_argument& a = call.arguments[k];
        if (!a.each) {
            continue;
        }
        const auto who = [&] {
            return "skerry: kernel " + std::string(call.code->name) + ", argument " + std::to_string(k + 1);
        };
        if (a.stride == 0) {
            throw std::invalid_argument(who() + ": each(x, 0): the stride must be at least 1");
        }
        if (call.first < 0 || static_cast<std::size_t>(call.last) > a.count / a.stride) {
            throw std::out_of_range(who() + ": each() with iterations " + std::to_string(call.first) + " to " +
                                    std::to_string(call.last - 1) + ", " + std::to_string(a.stride) +
                                    (a.stride == 1 ? " element" : " elements") + " each, reaches beyond an array of " +
                                    std::to_string(a.count));
        }
    }
}

} // namespace detail

} // namespace skerry::inline SKERRY_ABI
