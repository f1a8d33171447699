// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many iterations a leaf of a loop without a grain runs between two looks whether another worker asks for work, and
// whether a group around was cancelled: the loop ends within a millisecond of bodies then. Bodies of nanoseconds run in
// blocks of a sixteenth of a leaf, so that compilers vectorise them, or of a microsecond, if that is longer. Bodies
// that take long run one by one.
//
// The first leaf finds out by the clock, and tells the others.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Of one loop. Thread safety: any thread; what it holds is a hint.
class loop_pace {
  public:
    // As far as is known, at most `most`, or what is run in a microsecond.
    [[nodiscard]] std::uint64_t block(std::uint64_t most) const noexcept {
        machine::allow_stale_begin(); // old lengths are hints, too
        const std::uint64_t known = known_.load(memory_order::relaxed);
        const std::uint64_t brief = brief_.load(memory_order::relaxed);
        machine::allow_stale_end();
        if (most < brief) most = brief;
        return known < most ? known : most;
    }
    // Whether a block of this length is looked at the clock for: not one of few iterations that are known to be short.
    [[nodiscard]] static bool is_timed(std::uint64_t block, std::uint64_t most) noexcept {
        return block < most || block >= long_block;
    }
    // The length of the next block after one that has begun at `since`, which becomes now.
    SKERRY_EXPORT std::uint64_t after(std::uint64_t block, std::uint64_t most, std::uint64_t& since) noexcept;

    [[nodiscard]] SKERRY_EXPORT static std::uint64_t now() noexcept;

  private:
    static constexpr std::uint64_t long_block = 1024;

    machine::atomic<std::uint64_t> known_{1};
    machine::atomic<std::uint64_t> brief_{1}; // how many are run in a microsecond
};

// A leaf of `count` iterations on its way.
class leaf_pace {
  public:
    leaf_pace(loop_pace& loop, std::uint64_t count, std::uint64_t shares, std::uint64_t least) noexcept
        : loop_(loop),
          most_(count / shares > least ? count / shares : least),
          block_(loop.block(most_)),
          since_(loop_pace::is_timed(block_, most_) ? loop_pace::now() : 0) {}

    [[nodiscard]] std::uint64_t block() const noexcept { return block_; }
    // A block has been run, or so many iterations in its place.
    void next() noexcept { next(block_); }
    void next(std::uint64_t count) noexcept {
        if (since_ != 0) {
            block_ = loop_.after(count, most_, since_);
        }
    }

  private:
    loop_pace& loop_;
    const std::uint64_t most_;
    std::uint64_t block_;
    std::uint64_t since_; // 0: nobody looks at the clock
};

} // namespace skerry::inline SKERRY_ABI::detail
