// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text in a fixed buffer: what a signal handler, a dying process or a thread without memory can still format.
//
// Thread safety: one thread per object. Async-signal-safe: no allocation, no locale, no stdio.
// Errors: none; text that does not fit is cut off.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Formats as a lower-case hexadecimal number with 0x.
struct hex {
    std::uint64_t value;
};

template <std::size_t Capacity>
class fixed_text {
  public:
    constexpr fixed_text& operator<<(std::string_view s) noexcept {
        for (const char c : s) {
            push(c);
        }
        return *this;
    }
    constexpr fixed_text& operator<<(const char* s) noexcept {
        return *this << (s != nullptr ? std::string_view(s) : std::string_view("(null)"));
    }
    constexpr fixed_text& operator<<(char c) noexcept {
        push(c);
        return *this;
    }
    constexpr fixed_text& operator<<(bool b) noexcept { return *this << (b ? "true" : "false"); }

    template <std::integral Integer>
    constexpr fixed_text& operator<<(Integer value) noexcept {
        auto magnitude = static_cast<std::uint64_t>(value);
        if constexpr (std::signed_integral<Integer>) {
            if (value < 0) {
                push('-');
                magnitude = std::uint64_t{0} - magnitude;
            }
        }
        number(magnitude, 10);
        return *this;
    }
    constexpr fixed_text& operator<<(hex h) noexcept {
        *this << "0x";
        number(h.value, 16);
        return *this;
    }
    fixed_text& operator<<(const void* p) noexcept { return *this << hex{reinterpret_cast<std::uintptr_t>(p)}; }

    constexpr std::string_view view() const noexcept { return {data_, size_}; }
    // Ends with a zero byte.
    constexpr const char* c_str() const noexcept { return data_; }

  private:
    constexpr void push(char c) noexcept {
        if (size_ < Capacity) {
            data_[size_++] = c;
            data_[size_] = '\0';
        }
    }
    constexpr void number(std::uint64_t value, unsigned radix) noexcept {
        char digits[20]{};
        std::size_t n = 0;
        do {
            digits[n++] = "0123456789abcdef"[value % radix];
            value /= radix;
        } while (value != 0);
        while (n != 0) {
            push(digits[--n]);
        }
    }

    char data_[Capacity + 1]{};
    std::size_t size_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
