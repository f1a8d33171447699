// SPDX-License-Identifier: Apache-2.0
#pragma once

// What SKERRY_KERNEL makes of a loop body: one text, compiled by the host's compiler, and kept as text for devices.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The arithmetic types of a kernel's parameters, by what a device has to know of them.
enum class element_kind : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, none };

template <class T>
constexpr element_kind kind_of() noexcept {
    using type = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<type, float>) {
        return element_kind::f32;
    } else if constexpr (std::is_same_v<type, double>) {
        return element_kind::f64;
    } else if constexpr (std::is_integral_v<type> && !std::is_same_v<type, bool> && sizeof(type) <= 8) {
        constexpr int log2 = sizeof(type) == 1 ? 0 : sizeof(type) == 2 ? 1 : sizeof(type) == 4 ? 2 : 3;
        constexpr int first = static_cast<int>(std::is_signed_v<type> ? element_kind::i8 : element_kind::u8);
        return static_cast<element_kind>(first + log2);
    } else {
        return element_kind::none;
    }
}

constexpr std::size_t bytes_of(element_kind kind) noexcept {
    constexpr std::size_t bytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 0};
    return bytes[static_cast<std::size_t>(kind)];
}

struct kernel_parameter {
    element_kind kind; // of the elements, of a pointer
    bool pointer;
    bool constant; // a pointer to const
};

// A body as it stands in the source, with its braces.
struct kernel_text {
    const char* text; // null: there is none
    const char* file;
    int line;
};

// One kernel. All of it lives as long as the program.
struct kernel_code {
    const char* name;
    const char* parameter_list; // as in the source: "(const float* x, float* y, float a)"
    kernel_text body;
    kernel_text opencl; // in its place on devices of that kind
    const kernel_parameter* parameters;
    std::size_t count; // of parameters
    // Calls the body for first <= i < last, in order, on the host. values[k] points to the k-th argument: to a pointer,
    // if it is one, else to the value.
    void (*host)(long first, long last, const void* const* values);
};

} // namespace skerry::inline SKERRY_ABI::detail
