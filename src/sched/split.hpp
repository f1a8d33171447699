// SPDX-License-Identifier: Apache-2.0
#pragma once

// How two sides share the iterations of one loop, the workers from its low end and a device from its high end. It
// decides and measures nothing: clock and results come from outside, so that it can be simulated.
//
// A side takes a chunk of half its balanced share of what is left, at least so long that its overhead is a fiftieth of
// it. Balanced: if both ended at the same time. A side that would end after the other could have finished everything
// takes no more. The other one then has the rest. (Guided self-scheduling of Polychronopoulos and Kuck, with the
// earliest finish time of list schedulers.)
//
// Thread safety: the caller's lock.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What a side is expected to take, in nanoseconds.
struct split_side {
    double iteration = 0; // 0: not known
    double chunk = 0;     // for a chunk of any length: launch, transfers of no bytes
    double once = 0;      // before its first chunk
};

// Iterations first to last - 1, counted from the loop's first as 0.
struct split_chunk {
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    [[nodiscard]] std::uint64_t size() const noexcept { return last - first; }
    [[nodiscard]] bool empty() const noexcept { return first == last; }
};

class split {
  public:
    static constexpr std::size_t low = 0;
    static constexpr std::size_t high = 1;
    static constexpr double least_parts = 50; // overhead is at most one part in so many of a chunk

    split(std::uint64_t iterations, const split_side& at_low, const split_side& at_high) noexcept
        : rest_{0, iterations} {
        sides_[low].expected = at_low;
        sides_[high].expected = at_high;
    }

    // The next chunk of a side that has none now. Empty: it takes no more, unless the other gives back what it has or
    // takes no more either; then it has all the rest.
    [[nodiscard]] split_chunk take(std::size_t side, double now) noexcept;
    // The chunk of the side has been run, in so long after the once that belongs to the first.
    void ended(std::size_t side, double took) noexcept;
    // The chunk of the side has not been run, and the side takes no more.
    void give_back(std::size_t side) noexcept;
    // The side takes no more, and what it has had is over.
    void leave(std::size_t side) noexcept { sides_[side].left = true; }
    // Nobody takes anything any more.
    void stop() noexcept { stopped_ = true; }

  private:
    struct state {
        split_side expected;
        bool begun = false; // it has had a chunk
        bool left = false;  // it takes no more
        split_chunk chunk;  // what it has now
        double ends = 0;    // when its chunk will end
    };

    [[nodiscard]] std::uint64_t length(state& own, const state& other, double now) const noexcept;

    split_chunk rest_; // not handed out yet
    std::array<state, 2> sides_{};
    bool stopped_ = false;
};

// How long an iteration takes on one side: the median of the last five measurements, without the first, which pays for
// what is made once.
class rate {
  public:
    void add(double iteration_ns) noexcept;
    // 0: not known.
    [[nodiscard]] double median() const noexcept;

  private:
    static constexpr std::size_t kept = 5;

    std::array<double, kept> last_{};
    std::size_t seen_ = 0; // with the first
};

// Loops of a kernel whose lengths are of one class have one rate: a device that is not full is slower.
[[nodiscard]] unsigned size_class(std::uint64_t iterations) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
