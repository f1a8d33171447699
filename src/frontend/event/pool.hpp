// SPDX-License-Identifier: Apache-2.0
#pragma once

// Events of up to four sizes, and a cache of them for each core.
//
// Thread safety: any thread, but for construction and destruction. Whoever makes a pool sets `handle` before others
// know it.
//
// Invariants
//  1. A free event is in one list: that of its subpool, guarded by lock_, or that of a cache, guarded by the cache's
//     gate, which its core owns. It moves from one to the other with both held.
//  2. Of a subpool that is scarce, caches have none.
//  3. Others than its core come through all gates together, with others_ held. lock_ comes last.
//  4. Who waits counts itself in waiting_ before it comes through all gates and looks under the lock (A2). Who has
//     freed an event looks at waiting_ behind the lock or the gate under which it became free (P5). So one of the two
//     sees the other.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include <event_machine/platform/event_machine_pool.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "frontend/event/event.hpp"
#include "sync/mutex.hpp"
#include "sync/owner_gate.hpp"
#include "sync/shared_fence.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class event_pool {
  public:
    static constexpr std::size_t most_user_area = 65'536;
    static constexpr std::uint32_t most_headroom = 65'536;
    using counters = std::array<em_pool_subpool_stats_selected_t, EM_MAX_SUBPOOLS>;

    // Cores 0 to `cores` - 1 have caches. Precondition: the numbers are within their limits. Errors: std::bad_alloc.
    event_pool(const char* called, const em_pool_cfg_t& config, int cores);
    event_pool(const event_pool&) = delete;
    event_pool& operator=(const event_pool&) = delete;

    // Constant.
    em_pool_t handle = EM_POOL_UNDEF;
    std::array<char, EM_POOL_NAME_LEN> name{};

    [[nodiscard]] em_event_type_t type() const noexcept { return type_; }
    [[nodiscard]] bool of_packets() const noexcept { return type_ == EM_EVENT_TYPE_PACKET; }
    [[nodiscard]] bool has_type(em_event_type_t type) const noexcept; // that its events may be of
    [[nodiscard]] std::uint32_t largest() const noexcept { return subpools_[count_ - 1].size; }
    [[nodiscard]] std::uint32_t align_offset() const noexcept { return align_offset_; }
    [[nodiscard]] std::size_t user_area() const noexcept { return user_area_; }
    [[nodiscard]] em_pool_stats_opt_t shown() const noexcept { return shown_; } // counters
    // Where headroom and payload of a new event begin: bytes from the event.
    [[nodiscard]] std::uint32_t headroom_begin() const noexcept { return headroom_begin_; }
    [[nodiscard]] std::uint32_t payload_begin() const noexcept { return payload_begin_; }

    struct subpool_shape {
        std::uint32_t size = 0;
        std::uint32_t events = 0;
        std::uint32_t cached = 0; // in a core's cache, at most
    };
    [[nodiscard]] unsigned count() const noexcept { return count_; }
    [[nodiscard]] const subpool_shape& at(unsigned i) const noexcept { return subpools_[i]; } // by size

    // Of the smallest size that has one in the core's cache or for all; else of one that other cores cache. Null: none
    // is free. Precondition: size <= largest(). `counts`: one that is not found.
    [[nodiscard]] event* take(std::uint32_t size, em_event_type_t type, bool counts = true) noexcept;
    void give(event& e) noexcept;

    // The same once there is one. Between begin_wait() and end_wait(), which keep the pool.
    enum class waited : std::uint8_t { yes, too_long, ended };
    [[nodiscard]] waited take_within(std::uint32_t size, em_event_type_t type, std::uint64_t deadline,
                                     event*& e) noexcept;
    void begin_wait() noexcept { waiting_.fetch_add(1, memory_order::relaxed); } // A1; what A2 comes through orders it
    void end_wait() noexcept { waiting_.fetch_sub(1, memory_order::release); }
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.load(memory_order::acquire); }
    // Those that wait, and those that come.
    void end_waits() noexcept;

    // Core `core` is gone.
    void give_back_cache(int core) noexcept;
    // Events that were taken and not given back.
    [[nodiscard]] std::size_t in_use() noexcept;

    [[nodiscard]] counters read() noexcept; // all of them, of one moment
    void reset(unsigned subpool) noexcept;

  private:
    struct list {
        event* first = nullptr;
        std::size_t count = 0;

        void push(event& e) noexcept {
            e.next = first;
            first = &e;
            ++count;
        }
        [[nodiscard]] event* pop() noexcept { // null: it is empty
            event* const e = first;
            if (e != nullptr) {
                first = e->next;
                --count;
            }
            return e;
        }
    };
    // Moves `n` events, or all there are.
    static void move(list& from, list& to, std::size_t n) noexcept;

    struct alignas(event::alignment) cache {
        struct part {
            list free;
            std::uint64_t taken = 0;
            std::uint64_t given = 0;
        };
        owner_gate<machine> gate{!machine::asymmetric()};
        std::array<part, EM_MAX_SUBPOOLS> parts; // guarded by it
    };
    struct shelf {
        list free;
        // Nothing of it is cached, since too few are free. Written with lock_ held, and to true with all gates closed.
        // relaxed: read with lock_ held or inside of a gate
        machine::atomic<bool> scarce{false};
        std::uint64_t asked = 0;
        std::uint64_t missed = 0;
        std::uint64_t given = 0;
    };
    class all_locks;

    [[nodiscard]] event* take_cached(cache& of, unsigned subpool) noexcept;
    void give_cached(cache& to, event& e) noexcept;
    // What takes a lock stands apart, so that the rest has no locked operation.
    [[nodiscard, gnu::noinline, gnu::cold]] event* take_shared(unsigned subpool) noexcept;
    [[nodiscard, gnu::noinline, gnu::cold]] event* take_anywhere(unsigned smallest, bool counts) noexcept;
    [[gnu::noinline, gnu::cold]] void fetch(cache::part& own, unsigned subpool) noexcept;
    [[gnu::noinline, gnu::cold]] void bring_back(cache::part& own, unsigned subpool) noexcept;
    [[gnu::noinline, gnu::cold]] void give_shared(event& e) noexcept;
    [[gnu::noinline, gnu::cold]] void wake() noexcept;
    void count_missed(unsigned subpool, bool counts) noexcept;
    void end_scarcity(unsigned subpool) noexcept;
    // Of how many events a cache and its subpool speak at a time.
    [[nodiscard]] std::size_t batch(unsigned subpool) const noexcept;
    // The calling core's; null: it is none, or caches none of these.
    [[nodiscard]] cache* mine(unsigned subpool) const noexcept;

    struct free_aligned {
        void operator()(std::byte* p) const noexcept { ::operator delete[](p, std::align_val_t{event::alignment}); }
    };

    // Constant.
    const em_event_type_t type_;
    std::uint32_t align_offset_ = 0;
    std::size_t user_area_ = 0;
    std::uint32_t headroom_begin_ = 0;
    std::uint32_t payload_begin_ = 0;
    em_pool_stats_opt_t shown_{};
    std::array<subpool_shape, EM_MAX_SUBPOOLS> subpools_;
    unsigned count_ = 0;
    const int cores_;
    const std::unique_ptr<cache[]> caches_;
    mutex<machine> others_; // who come through the gates of all caches
    shared_fence<machine> fence_;
    std::array<std::unique_ptr<std::byte[], free_aligned>, EM_MAX_SUBPOOLS> memory_;

    mutex<machine> lock_;
    std::array<shelf, EM_MAX_SUBPOOLS> shelves_; // guarded by it

    machine::atomic<std::uint32_t> waiting_{0}; // threads
    // What they sleep on, and whether some do: moves when an event is free, or the waits end.
    static constexpr std::uint32_t asleep = 1;
    machine::atomic<std::uint32_t> turn_{0};
    machine::atomic<bool> ended_{false};
};

} // namespace skerry::inline SKERRY_ABI::detail
