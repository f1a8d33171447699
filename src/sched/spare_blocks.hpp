// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory of tasks that have ended, for the next ones that the same worker makes. A block is warm then, and who ends
// tasks that another worker has made does not meet it at a lock of the C library's heap.
//
// Blocks begin on a cache line, and those that are kept fill whole lines. Else a task's members lie across lines or not
// as the heap has it, and the same program takes a fourth longer in another environment (design note 0012).
//
// A block goes back to the worker that made it, whoever gives it back. So a worker keeps, of each size, at most as many
// as were in use at one moment. It frees them when it ends itself, and when it has nothing to do and has made more than
// are worth keeping: a burst of tasks does not hold its memory for as long as the runtime lives.
//
// Thread safety: take() and give() of one's own, trim(): the owner; blocks of others may be given back by any thread.
//
// Invariants
//  1. Blocks in `first` are their owner's; those in `returned` were given back by others, who only add (A1 -> A2).
//  2. The owner outlives its blocks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/cache_line.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "base/port/poison.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class spare_blocks {
  public:
    // Bytes that are worth keeping: some 30,000 small tasks.
    static constexpr std::size_t worth_keeping = std::size_t{4} << 20;

    spare_blocks() noexcept = default;
    spare_blocks(const spare_blocks&) = delete;
    spare_blocks& operator=(const spare_blocks&) = delete;
    ~spare_blocks() { free_all(); }

    // Frees what is kept if more than `enough` bytes lie in blocks that were made here, kept or in use. One compare if
    // not.
    void trim(std::size_t enough = worth_keeping) noexcept {
        if (__builtin_expect(bytes_made_ > enough, 0)) {
            free_all();
        }
    }

    // Memory for `bytes`, aligned as by ::operator new. `mine`: of the calling worker, or null. Errors: std::bad_alloc.
    [[nodiscard]] static void* take(spare_blocks* mine, std::size_t bytes) {
        const std::size_t c = class_of(bytes);
        if (mine == nullptr || c >= classes) {
            return make(nullptr, sizeof(block) + bytes);
        }
        list& l = mine->lists_[c];
        take_over_returned(l);
        block* const b = l.first;
        if (b == nullptr) {
            void* const made = make(mine, line_bytes(c));
            mine->bytes_made_ += line_bytes(c);
            return made;
        }
        l.first = b->next;
        port::unpoison(b + 1, size_of(c));
        return b + 1;
    }

    // Gives back what take() has returned for as many bytes.
    static void give(const spare_blocks* mine, void* memory, std::size_t bytes) noexcept {
        block* const b = static_cast<block*>(memory) - 1;
        if (b->home == nullptr) {
            free(b);
            return;
        }
        const std::size_t c = class_of(bytes);
        list& l = b->home->lists_[c];
        port::poison(memory, size_of(c));
        if (b->home == mine) {
            b->next = l.first;
            machine::light_fence(); // the child of a fork() may find the list as it is now, and frees it
            l.first = b;
            return;
        }
        b->next = l.returned.load(memory_order::relaxed);
        while (!l.returned.compare_exchange_weak(b->next, b, memory_order::release, // A1 -> A2
                                                 memory_order::relaxed)) {
        }
    }

  private:
    // What stands before the memory.
    struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) block {
        spare_blocks* home = nullptr; // null: nobody keeps it
        block* next = nullptr;
    };
    // Of one size. What others write has a line of its own.
    struct list {
        alignas(cache_line) block* first = nullptr;
        alignas(cache_line) machine::atomic<block*> returned{nullptr};
    };

    static void* make(spare_blocks* home, std::size_t bytes) {
        return ::new (::operator new(bytes, std::align_val_t{cache_line})) block{.home = home} + 1;
    }
    static void free(block* b) noexcept { ::operator delete(b, std::align_val_t{cache_line}); }

    static constexpr std::size_t classes = 16; // of class c: c + 1 lines, the head among them

    static constexpr std::size_t class_of(std::size_t bytes) noexcept {
        return (bytes + sizeof(block) - 1) / cache_line;
    }
    static constexpr std::size_t line_bytes(std::size_t c) noexcept { return (c + 1) * cache_line; }
    static constexpr std::size_t size_of(std::size_t c) noexcept { return line_bytes(c) - sizeof(block); }

    static void take_over_returned(list& l) noexcept {
        if (l.first == nullptr && l.returned.load(memory_order::relaxed) != nullptr) { // relaxed: only whether
            l.first = l.returned.exchange(nullptr, memory_order::acquire);             // A2 <- A1
        }
    }

    [[gnu::noinline, gnu::cold]] void free_all() noexcept {
        for (std::size_t c = 0; c != classes; ++c) {
            list& l = lists_[c];
            for (take_over_returned(l); l.first != nullptr; take_over_returned(l)) {
                block* const b = std::exchange(l.first, l.first->next);
                machine::light_fence(); // as in give()
                free(b);
                bytes_made_ -= line_bytes(c);
            }
        }
    }

    std::size_t bytes_made_ = 0; // and not freed
    std::array<list, classes> lists_;
};

} // namespace skerry::inline SKERRY_ABI::detail
