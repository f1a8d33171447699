// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a loop runs over and in which pieces: grain, schedule, box. Light on purpose: every user of a fork includes it.

#include <skerry/detail/base/abi.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>

namespace skerry::inline SKERRY_ABI {

// Thrown by grain::fixed for a number below one.
class bad_grain : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "skerry: grain::fixed(n): n must be at least 1"; }
};

// Thrown by an algorithm over a source of which a copy gave fewer elements than the original.
class bad_source : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override {
        return "skerry: a copy of a source gave fewer elements than the source itself";
    }
};

// How many iterations make one task at most.
//   automatic  pieces are chosen by the number of workers, and split further when another worker asks for work.
//   fixed(n)   each task is n consecutive iterations (the last one may be shorter). The pieces, and so the shape of a
//              reduction, depend on n and the length only: floating-point results are the same for any number of
//              workers.
class grain {
  public:
    [[nodiscard]] static constexpr grain automatic() noexcept { return grain{0}; }

    template <std::integral N>
    [[nodiscard]] static constexpr grain fixed(N iterations) {
        if (iterations < N{1}) throw bad_grain{};
        return grain{static_cast<std::uint64_t>(iterations)};
    }

    [[nodiscard]] constexpr bool is_automatic() const noexcept { return iterations_ == 0; }
    // Zero for automatic().
    [[nodiscard]] constexpr std::uint64_t iterations() const noexcept { return iterations_; }

  private:
    explicit constexpr grain(std::uint64_t iterations) noexcept : iterations_{iterations} {}

    std::uint64_t iterations_;
};

// How a box is cut (forasync of the HC-K2H paper).
//   recursive  halved along its longest side until a piece has at most `grain` points.
//   chunked    cut beforehand into runs of `grain` points in row-major order, or into one run for each worker.
enum class schedule { recursive, chunked };

namespace detail {

// A bound of a box. Any integer converts to it, so box<2>{{0, 0}, {n, m}} compiles for n and m of unequal types. A
// value beyond the range of std::ptrdiff_t becomes its largest value: no loop can get there.
class coordinate {
  public:
    template <std::integral T>
    constexpr coordinate(T value) noexcept // NOLINT(google-explicit-constructor): a bound is written as a number
        : value_{static_cast<std::ptrdiff_t>(value)} {
        if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(std::ptrdiff_t)) {
            constexpr std::ptrdiff_t most = PTRDIFF_MAX;
            if (value > static_cast<T>(most)) value_ = most;
        }
    }

    // NOLINTNEXTLINE(google-explicit-constructor): and read as one
    constexpr operator std::ptrdiff_t() const noexcept { return value_; }

  private:
    std::ptrdiff_t value_;
};

} // namespace detail

// The points p with first[d] <= p[d] < last[d] in each dimension d; empty where first[d] >= last[d]. An aggregate:
// box<2>{{0, 0}, {rows, columns}}.
template <std::size_t N>
    requires(N >= 1 && N <= 3)
struct box {
    detail::coordinate first[N];
    detail::coordinate last[N];
};

} // namespace skerry::inline SKERRY_ABI
