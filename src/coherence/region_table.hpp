// SPDX-License-Identifier: Apache-2.0
#pragma once

// The regions that this process knows, by their ids: those that it has made, and those that came from other processes.
//
// Thread safety: any thread.
//
// Invariants
//  1. Slot 0 is the root's, for ever.
//  2. A slot's serial only grows, and a slot that has had the last serial is not used again: an id names one region.
//  3. A slot of another process holds the region that was heard of last. Its maker uses a slot again only after it has
//     heard that the region is gone, so a greater serial says that the older region is.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/region_id.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "coherence/region_state.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class region_table {
  public:
    static region_table& instance() noexcept;

    // The state that had this id a moment ago; null if there is none. Look at the id again under the state's lock.
    [[nodiscard]] region_state* find(region_id id) noexcept {
        if (process_of(id) != process_) [[unlikely]] {
            region_state* const s = find_guest(id);
            return s != nullptr && s->id.load(memory_order::acquire) == id ? s : nullptr; // T4 <- T3
        }
        const std::uint64_t slot = slot_of(id);
        const std::size_t k = static_cast<unsigned>(std::bit_width(slot / first_size + 1)) - 1;
        if (k >= segments) {
            return nullptr;
        }
        region_state* const segment = k == 0 ? first_.data() : segments_[k].load(memory_order::acquire); // T2 <- T1
        if (segment == nullptr) {
            return nullptr;
        }
        region_state& s = segment[slot - begin_of(k)];
        return s.id.load(memory_order::acquire) == id ? &s : nullptr; // T4 <- T3
    }

    // A state without an id, for the caller to fill; id_for() says which it shall have. Errors: std::bad_alloc.
    region_state& take();
    // For a state that take() gave, its new id: made known with `id.store(..., release)` (T3 -> T4).
    [[nodiscard]] region_id id_for(const region_state& s) const noexcept {
        return make_region_id(process_, s.serial, s.slot);
    }
    // A state whose id is `none` again.
    void give(region_state& s) noexcept;

    // The state for a region that another process has made, whatever it holds now. Errors: std::bad_alloc.
    region_state& guest(region_id id);
    // The same, null if there is none yet.
    [[nodiscard]] region_state* find_guest(region_id id) noexcept;

    // Which of the processes of a program this one is; from then on part of every new id, and the root region is
    // process 0's. False, without effect, if this process has made regions as another.
    bool set_process(std::uint64_t number) noexcept;
    [[nodiscard]] std::uint64_t process() const noexcept { return process_; }

    constexpr region_table() noexcept = default;
    region_table(const region_table&) = delete;
    region_table& operator=(const region_table&) = delete;

  private:
    // Segment k holds first_size << k slots.
    static constexpr std::uint64_t first_size = 64;
    static constexpr std::size_t segments = region_slot_bits - 6 + 1;
    static constexpr std::uint64_t begin_of(std::size_t k) noexcept {
        return first_size * ((std::uint64_t{1} << k) - 1);
    }

    // The slots of another process, in pieces, so that a far slot costs one piece.
    static constexpr std::uint64_t piece_size = 1024;
    struct guests {
        std::array<machine::atomic<region_state*>, (std::uint64_t{1} << region_slot_bits) / piece_size> pieces{};
    };

    std::uint64_t process_ = 0; // constant from the first region on
    std::array<machine::atomic<region_state*>, segments> segments_{};
    std::array<region_state, first_size> first_{{region_state(region_id::root)}};
    std::array<machine::atomic<guests*>, std::uint64_t{1} << region_process_bits> guests_{}; // written under the lock

    mutex<machine> mutex_;         // guards what follows
    region_state* free_ = nullptr; // given back, linked by next_free
    std::uint64_t next_slot_ = 1;  // above all slots used so far
};

} // namespace skerry::inline SKERRY_ABI::detail
