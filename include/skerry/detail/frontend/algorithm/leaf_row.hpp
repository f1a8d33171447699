// SPDX-License-Identifier: Apache-2.0
#pragma once

// Leaves of a loop in rows of eight: one fork for all of a row; and rows in rows of eight, too.
//
// A row is what a tree of forks over its parts would be, with all pushes done at the beginning, so that they share the
// store to `bottom` and the look at the ring. A part is one leaf, or a row of them. Each part but the first is a task
// of its own, which a thief may take, the rightmost first; the owner pops them from left to right, and between two of
// them looks whether it is wanted, as a push would. The tasks lie in an object that all rows of one loop use that one
// executor runs after each other, so a row writes the deque's slots and where it begins, and no task. Fewer leaves hang
// on forks, and so do all while somebody asks for work, which give half of what there is away at once; in the locked
// protocol there are no rows. See docs/design/0028-rows-of-leaves.md.
//
// What a row does is compiled for each type of leaf; the tree of forks above, and what is seldom wanted, once, into the
// library. See docs/design/0026-what-a-fork-costs-to-compile.md.
//
// Thread safety: a row belongs to the executor that made it. What thieves read of it, the owner writes before it pushes
// and leaves alone until it has joined the whole row.

#include <cstddef>
#include <cstdint>
#include <new>
#include <variant>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/base/port/address_here.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/frontend/algorithm/function_ref.hpp>
#include <skerry/detail/frontend/algorithm/handed_on.hpp>
#include <skerry/detail/frontend/forkjoin/outcome.hpp>
#include <skerry/detail/sched/join.hpp>
#include <skerry/detail/trace/body_name.hpp>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr std::size_t row_length = 8;                         // parts
inline constexpr std::size_t block_length = row_length * row_length; // leaves of a row of rows

class leaf_rows;
class leaf_tree; // what hangs on forks, in the library

// What is compiled for each type of leaf: one leaf; a row, and a row of rows, that begin at `first`. Precondition of
// these two: there is room for one.
struct leaf_code {
    void (*run)(const void* leaf, std::uint64_t k);
    void (*run_row)(leaf_rows& home, worker_page& page, std::uint64_t first);
    void (*run_rows)(leaf_rows& home, worker_page& page, std::uint64_t first);
    const char* name; // of the body, for traces; null: it has none
};

// A leaf is called as leaf(k); nobody wants its result. It must outlive the rows.
class leaf_rows {
  public:
    // `page` is the calling thread's current page.
    leaf_rows(const void* leaf, const leaf_code& code, worker_page& page) noexcept
        : leaf_(leaf),
          code_(code),
          page_(page) {}
    leaf_rows(const leaf_rows&) = delete;
    leaf_rows& operator=(const leaf_rows&) = delete;

    template <class Leaf>
    static constexpr leaf_code code_of() noexcept {
        return {&run_leaf<Leaf>, &run_one_row<Leaf>, &run_row_of_rows<Leaf>, body_name<Leaf>};
    }

  private:
    friend leaf_tree;

    class part final : public task_header {
      public:
        part(void (*r)(task_header*) noexcept, leaf_rows& h) noexcept : task_header(r, h.page_.ctx), home(h) {}

        leaf_rows& home;
        outcome<std::monostate> stolen;
    };

    // All but the first part of a row.
    class parts {
      public:
        void make(void (*run)(task_header*) noexcept, leaf_rows& home) noexcept {
            for (std::size_t i = 0; i != row_length - 1; ++i) {
                ::new (static_cast<void*>(room_ + i * sizeof(part))) part(run, home);
            }
        }
        part* all() noexcept {
            void* const room = room_;
            return std::launder(static_cast<part*>(room));
        }

        std::uint64_t first = 0; // leaf of the row that runs

      private:
        alignas(part) std::byte room_[(row_length - 1) * sizeof(part)];
    };

    SKERRY_EXPORT void run_halves(std::uint64_t first, std::uint64_t last);

    [[nodiscard]] static bool has_room(const worker_page& page) noexcept {
        return page.has_room(page.next(), row_length - 1);
    }

    // Pushes the tasks of a row that begins at `first`. Precondition: there is room for them. Errors:
    // skerry::cancelled, behind the push.
    template <class Slot>
    [[gnu::__always_inline__]] static void push(worker_page& page, Slot* bottom, parts& row, std::uint64_t first) {
        row.first = first;
        const auto task = [all = row.all()](std::size_t i) { return address_here<task_header>(all[i]); };
        if (__builtin_expect(page.template push_all<row_length - 1>(bottom, task), 0)) {
            if (attend_keeping_registers(page) == attended::cancelled) { // there is room
                throw_cancelled();
            }
        }
    }

    // Takes task i of a row off the deque, where it lies at `at`. True: it is the caller's to run. False: a thief ran
    // it, and it is done.
    template <class Slot>
    [[gnu::__always_inline__]] static bool pop(worker_page& page, Slot* at, parts& row, std::size_t i) {
        if (__builtin_expect(page.rung_at(at), 0)) {
            if (attend_keeping_registers(page) == attended::cancelled) {
                static_cast<void>(page.pop_to(at));
                return settle(page, row, i); // throws, unless a thief has the task
            }
        }
        if (__builtin_expect(!page.pop_to(at), 0)) {
            return settle(page, row, i);
        }
        return true;
    }
    [[gnu::__cold__]] SKERRY_EXPORT static bool settle(worker_page& page, parts& row, std::size_t i);

    // After a part has thrown: the tasks from i on, which are still in the deque, or with thieves.
    [[gnu::__cold__]] SKERRY_EXPORT static void give_up(parts& row, std::size_t i) noexcept;

    template <class Leaf>
    static void run_leaf(const void* leaf, std::uint64_t k) {
        (*static_cast<const Leaf*>(leaf))(k);
    }

    // A row of leaves. What a leaf costs beyond its call is two stores and two looks.
    template <class Leaf>
    [[gnu::__always_inline__]] void run_row(worker_page& page, std::uint64_t first) {
        handed_on<const Leaf> leaf = *static_cast<const Leaf*>(leaf_);
        auto* const bottom = page.next();
        std::size_t i = 0;
        try {
            push(page, bottom, leaves_, first);
            leaf(first);
#pragma GCC unroll 8
            for (i = 1; i != row_length; ++i) {
                if (pop(page, address_here(bottom[row_length - 1 - i]), leaves_, i - 1)) {
                    leaf(first + i);
                }
            }
        } catch (...) {
            give_up(leaves_, i);
            throw;
        }
    }

    template <class Leaf>
    static void run_one_row(leaf_rows& home, worker_page& page, std::uint64_t first) {
        home.run_row<Leaf>(page, first);
    }

    template <class Leaf>
    static void run_row_of_rows(leaf_rows& home, worker_page& page, std::uint64_t first) {
        auto* const bottom = page.next();
        std::size_t i = 0;
        try {
            push(page, bottom, home.rows_, first);
            for (;;) {
                if (__builtin_expect(has_room(page), 1)) {
                    home.run_row<Leaf>(page, first + i * row_length);
                } else {
                    home.run_halves(first + i * row_length, first + (i + 1) * row_length);
                }
                do {
                    if (++i == row_length) {
                        return;
                    }
                } while (!pop(page, bottom + (row_length - 1 - i), home.rows_, i - 1));
            }
        } catch (...) {
            give_up(home.rows_, i);
            throw;
        }
    }

    const void* const leaf_;
    const leaf_code& code_;
    worker_page& page_;
    std::uint64_t block_ = 0; // leaves of a row of rows, if there are tasks for one
    parts leaves_;
    parts rows_;
};

template <class Leaf>
inline constexpr leaf_code leaf_code_of = leaf_rows::code_of<Leaf>();

// leaf(first) ... leaf(last - 1), last > first, perhaps at the same time. If leaves throw, the leftmost one's exception
// arrives here; what has not begun is left out. Any thread may call it.
SKERRY_EXPORT void run_in_rows(const void* leaf, const leaf_code& code, std::uint64_t first, std::uint64_t last);

// The same for leaves that are long enough for a call through an address.
SKERRY_EXPORT void run_in_rows(const function_ref<std::uint64_t>& leaf, std::uint64_t first, std::uint64_t last);

} // namespace skerry::inline SKERRY_ABI::detail
