// SPDX-License-Identifier: Apache-2.0
#include "sched/split.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Of what is left, a side of which nothing is known takes one part in so many.
constexpr std::uint64_t first_parts = 32;

} // namespace

std::uint64_t split::length(state& own, const state& other, double now) const noexcept {
    const std::uint64_t rest = rest_.size();
    if (other.left || rest == 0) {
        return rest;
    }
    if (own.left) {
        return 0;
    }
    if (own.expected.iteration == 0) {
        return (rest - 1) / first_parts + 1;
    }
    if (other.expected.iteration == 0) {
        return (rest - 1) / 2 + 1;
    }
    const double own_begin = now + own.expected.chunk + (own.begun ? 0 : own.expected.once);
    const double other_begin =
        std::max(now, other.ends) + other.expected.chunk + (other.begun ? 0 : other.expected.once);
    const auto all = static_cast<double>(rest);
    const double other_alone = other_begin + all * other.expected.iteration;
    const double share =
        std::clamp((other_alone - own_begin) / (own.expected.iteration + other.expected.iteration), 0.0, all);
    const double least = (least_parts - 1) * own.expected.chunk / own.expected.iteration;
    const double wanted = std::min(all, std::ceil(std::max({share / 2, least, 1.0})));
    return own_begin + wanted * own.expected.iteration > other_alone ? 0 : static_cast<std::uint64_t>(wanted);
}

split_chunk split::take(std::size_t side, double now) noexcept {
    state& own = sides_[side];
    const std::uint64_t n = length(own, sides_[1 - side], now);
    if (n == 0 || stopped_) {
        own.left = true;
        return {};
    }
    if (side == low) {
        own.chunk = {rest_.first, rest_.first + n};
        rest_.first += n;
    } else {
        own.chunk = {rest_.last - n, rest_.last};
        rest_.last -= n;
    }
    own.ends = now + own.expected.chunk + (own.begun ? 0 : own.expected.once) +
               static_cast<double>(n) * own.expected.iteration;
    own.begun = true;
    return own.chunk;
}

void split::ended(std::size_t side, double took) noexcept {
    state& own = sides_[side];
    if (own.expected.iteration == 0) {
        const auto n = static_cast<double>(own.chunk.size());
        own.expected.iteration = std::max(took - own.expected.chunk, took / least_parts) / n;
    }
    own.chunk = {};
    own.ends = 0;
}

void split::give_back(std::size_t side) noexcept {
    state& own = sides_[side];
    // The chunks of a side lie beside each other, from its end of the loop to the rest.
    (side == low ? rest_.first : rest_.last) = side == low ? own.chunk.first : own.chunk.last;
    own.chunk = {};
    own.ends = 0;
    own.left = true;
}

void rate::add(double iteration_ns) noexcept {
    if (seen_ != 0) {
        last_[(seen_ - 1) % kept] = iteration_ns;
    }
    ++seen_;
}

double rate::median() const noexcept {
    if (seen_ < 2) {
        return 0;
    }
    const std::size_t n = std::min(seen_ - 1, kept);
    std::array<double, kept> sorted = last_;
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(n));
    return sorted[n / 2];
}

unsigned size_class(std::uint64_t iterations) noexcept { return static_cast<unsigned>(std::bit_width(iterations)); }

} // namespace skerry::inline SKERRY_ABI::detail
