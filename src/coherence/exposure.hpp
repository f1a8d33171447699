// SPDX-License-Identifier: Apache-2.0
#pragma once

// In debug builds, a process that runs tasks of others holds them to what they declare: all that came from elsewhere is
// closed, and open while a task that declared it runs here; for reading only as long as all of those declared `in`. A
// touch of anything else faults, and deps/undeclared.hpp says whose it was.
//
// The grain is the system's page: a neighbour in the same page is not told from what was declared. Tasks that run here
// at the same time share what is open.
//
// Thread safety: any thread.
//
// Invariants
//  1. A page that came from elsewhere may be touched exactly as the holds that name it say. Pages that this process has
//     handed out itself are open, until the region that they are part of was held and is not any more.
//  2. A hold of a region for writing names its pages, but for those that this process has handed out meanwhile: a hold
//     that never ends names those, so that one that reads there closes nothing.
//  3. No hold names a page after arena::give(): whoever gets it next is not closed out by an older task's end.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/access.hpp>
#include <skerry/detail/core/region_id.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

#ifdef NDEBUG
inline constexpr bool accesses_are_guarded = false;
#else
inline constexpr bool accesses_are_guarded = true;
#endif

class exposure {
  public:
    // From now on. Precondition: the arena is there, and nothing has come from elsewhere yet.
    static void begin();
    // Null: everything is open. In release builds the compiler knows that.
    static exposure* active() noexcept {
        if constexpr (accesses_are_guarded) {
            return the_one.load(memory_order::acquire); // E2 <- E1
        } else {
            return nullptr;
        }
    }

    // What a task needs. Of the thread that brings regions here, which are no whole while another parcel of them
    // arrives.
    struct wish {
        struct part {
            std::uintptr_t first; // whole pages of the system
            std::uintptr_t last;
            bool written;

            auto operator<=>(const part&) const = default;
        };
        std::vector<part> parts;
        std::vector<region_id> regions; // for writing
    };
    // `others`: for reading. Errors: std::bad_alloc.
    [[nodiscard]] static wish wish_of(std::span<const access> accesses,
                                      std::span<const std::span<const std::byte>> others);

    // Opens that until close(holder), which also closes what was made meanwhile in the regions. The holder is only
    // compared; close() of one that holds nothing has no effect.
    void open(const void* holder, const wish& what) noexcept;
    void close(const void* holder) noexcept;

    // What there is of a region has come back here, perhaps with pages that were made elsewhere: whoever holds a region
    // around it for writing may touch them. On the thread that brought it.
    void came_back(region_id id) noexcept;

    // This process has handed out the pages: they are open. The second: they have no owner any more. The third: they
    // are another process's matter.
    void handed_out(std::byte* first, std::size_t bytes) noexcept;
    void given_back(const std::byte* first, std::size_t bytes) noexcept;
    void forgotten(const std::byte* first, std::size_t bytes) noexcept;

    // What may be done with the byte now. For tests.
    enum class right : std::uint8_t { none, read, write };
    [[nodiscard]] right of(const void* address) noexcept;

    exposure(const exposure&) = delete;
    exposure& operator=(const exposure&) = delete;

  private:
    using part = wish::part;
    struct hold {
        const void* holder;
        wish what;
    };

    exposure();

    static constinit machine::atomic<exposure*> the_one;

    static void gate_open(const void* key, const void* first, std::size_t bytes) noexcept;
    static void gate_close(const void* key) noexcept;

    [[nodiscard]] std::vector<part>& handed_out() noexcept { return holds_.front().what.parts; }
    [[nodiscard]] static part whole_pages(std::uintptr_t first, std::size_t bytes, bool written) noexcept;
    [[nodiscard]] right right_of(std::uintptr_t address) const noexcept;
    void add(const void* holder, wish what);
    static void append_pages(region_id id, std::vector<part>& to);
    void name_in_holds(region_id id, std::span<const part> pages);
    void settle(const part& p);
    void give_up() noexcept;
    void give_up_now() noexcept; // without the lock

    mutex<machine> mutex_;    // guards what follows
    std::vector<hold> holds_; // first the one that never ends
    bool over_ = false;
};

} // namespace skerry::inline SKERRY_ABI::detail
