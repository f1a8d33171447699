// SPDX-License-Identifier: Apache-2.0
#pragma once

// A ring of cache lines from one writer to one reader, in memory that both reach: of one process, or of two.
//
// A slot is its own news: the stamp in its first word says for which turn it was written, so that a message costs the
// reader one line and no index is shared. The reader's count comes back in a line of its own, which the writer reads
// only when its credits are used up.
//
//   head of a slot:  63..32  note: the user's      31..0  stamp: number of the message, from 1, modulo 2^32
//
// Thread safety: one ring_writer, one ring_reader.
//
// Invariants
//  1. taken <= the reader's next_ <= messages written <= taken + capacity.
//  2. The slot of message n (n mod capacity) holds stamp n + 1 from its W3 to the W3 of message n + capacity, and that
//     comes after the reader's R3 of message n.
//  3. A slot's stamp never equals the one that the reader waits for before W3: it holds 0 or that of n - capacity.

#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/cache_line.hpp>
#include <skerry/detail/sync/machine.hpp> // memory orders

namespace skerry::inline SKERRY_ABI::fabric {

// All-zero bytes are a fresh slot and a fresh count, so that fresh shared memory needs no construction.
template <class M, class Body>
struct alignas(detail::cache_line) ring_slot {
    typename M::template atomic<std::uint64_t> head{0};
    Body body{};
};

template <class M>
struct alignas(detail::cache_line) ring_count {
    typename M::template atomic<std::uint32_t> taken{0};
};

inline constexpr unsigned note_shift = 32;

template <class M, class Body>
class ring_writer {
  public:
    using slot = ring_slot<M, Body>;

    ring_writer() = default;
    // `capacity` is a power of two. The slots and the count are fresh.
    ring_writer(slot* slots, std::uint32_t capacity, ring_count<M>& count) noexcept
        : slots_(slots),
          count_(&count),
          capacity_(capacity) {}

    // False: all slots hold messages that were not taken.
    [[nodiscard]] bool push(std::uint32_t note, const Body& body) noexcept {
        if (!has_room()) {
            return false;
        }
        slot& s = slots_[next_ & (capacity_ - 1)];
        s.body = body; // W2, published by W3
        ++next_;
        s.head.store((std::uint64_t{note} << note_shift) | next_, detail::memory_order::release); // W3 -> R1
        return true;
    }

    [[nodiscard]] bool has_room() noexcept {
        if (next_ - taken_ < capacity_) {
            return true;
        }
        taken_ = count_->taken.load(detail::memory_order::acquire); // W1 <- R3: the slot was read
        return next_ - taken_ < capacity_;
    }

  private:
    slot* slots_ = nullptr;
    ring_count<M>* count_ = nullptr;
    std::uint32_t capacity_ = 0;
    std::uint32_t next_ = 0;
    std::uint32_t taken_ = 0; // the count as last seen: never more than it is
};

template <class M, class Body>
class ring_reader {
  public:
    using slot = ring_slot<M, Body>;

    ring_reader() = default;
    ring_reader(slot* slots, std::uint32_t capacity, ring_count<M>& count) noexcept
        : slots_(slots),
          count_(&count),
          capacity_(capacity) {}

    [[nodiscard]] bool ready() const noexcept {
        return stamp(slots_[next_ & (capacity_ - 1)].head.load(detail::memory_order::acquire)) == next_ + 1;
    }

    // False: nothing has come.
    [[nodiscard]] bool pop(std::uint32_t& note, Body& body) noexcept {
        const slot& s = slots_[next_ & (capacity_ - 1)];
        const std::uint64_t head = s.head.load(detail::memory_order::acquire); // R1 <- W3
        if (stamp(head) != next_ + 1) {
            return false;
        }
        note = static_cast<std::uint32_t>(head >> note_shift);
        body = s.body; // R2
        ++next_;
        count_->taken.store(next_, detail::memory_order::release); // R3 -> W1: R2 is over
        return true;
    }

  private:
    static std::uint32_t stamp(std::uint64_t head) noexcept { return static_cast<std::uint32_t>(head); }

    slot* slots_ = nullptr;
    ring_count<M>* count_ = nullptr;
    std::uint32_t capacity_ = 0;
    std::uint32_t next_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::fabric
