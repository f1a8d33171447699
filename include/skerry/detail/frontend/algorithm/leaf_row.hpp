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
// Thread safety: a row belongs to the executor that made it. What thieves read of it, the owner writes before it pushes
// and leaves alone until it has joined the whole row.

#include <cstddef>
#include <cstdint>
#include <new>
#include <variant>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/frontend/algorithm/handed_on.hpp>
#include <skerry/detail/frontend/forkjoin/fork.hpp>
#include <skerry/detail/frontend/forkjoin/outcome.hpp>
#include <skerry/detail/sched/join.hpp>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr std::size_t row_length = 8;                         // parts
inline constexpr std::size_t block_length = row_length * row_length; // leaves of a row of rows

// Where the leaves [first, last) are cut, last > first + 1: so that as many as can be lie in rows, and these in rows.
constexpr std::uint64_t middle_of_leaves(std::uint64_t first, std::uint64_t last) noexcept {
    const std::uint64_t n = last - first;
    const std::uint64_t half = n / 2 + n % 2; // n may be all that fit
    const std::uint64_t whole = n > block_length ? block_length : n > row_length ? row_length : 1;
    return first + ((half + whole - 1) & ~(whole - 1));
}

template <class Leaf>
void run_in_rows(const Leaf& leaf, std::uint64_t first, std::uint64_t last);

// Leaf: leaf(k), whose result nobody wants. It must outlive the row.
template <class Leaf>
class leaf_row {
  public:
    // `page` is the calling thread's current page.
    leaf_row(const Leaf& leaf, worker_page& page) noexcept : leaf_(leaf), page_(page) {}
    leaf_row(const leaf_row&) = delete;
    leaf_row& operator=(const leaf_row&) = delete;

    // The leaves [first, last), of which there are enough for a row. Once only.
    void run(std::uint64_t first, std::uint64_t last) {
        leaves_.make(*this);
        if (last - first > block_length) { // thieves of the leaves of only one would take eighths instead of halves
            rows_.make(*this);
            block_ = block_length;
        }
        run_tree(first, last);
    }

  private:
    // All but the first part of a row whose parts are Length leaves each.
    template <std::size_t Length>
    class parts {
      public:
        class member final : public task_header {
          public:
            member(leaf_row& home, const context* c) noexcept : task_header(&run_stolen, c), home_(home) {}

            outcome<std::monostate> stolen;

          private:
            static void run_stolen(task_header* header) noexcept {
                auto& self = static_cast<member&>(*header);
                const auto body = [&self] { self.home_.run_taken(&self); };
                self.stolen.run(body);
                finish_stolen(self);
            }

            leaf_row& home_;
        };

        void make(leaf_row& home) noexcept {
            for (std::size_t i = 0; i != row_length - 1; ++i) {
                ::new (static_cast<void*>(room_ + i * sizeof(member))) member(home, home.page_.ctx);
            }
        }
        member* all() noexcept { return std::launder(static_cast<member*>(static_cast<void*>(room_))); }

        std::uint64_t first = 0; // leaf of the row that runs

      private:
        alignas(member) std::byte room_[(row_length - 1) * sizeof(member)];
    };
    using leaf_task = typename parts<1>::member;
    using row_task = typename parts<row_length>::member;

    // By whoever has come to it: a thief makes rows of its own. Not inlined into each branch of a fork: it is long.
    [[gnu::noinline]] void run_tree(std::uint64_t first, std::uint64_t last) {
        if (__builtin_expect(current_page != &page_, 0)) {
            run_elsewhere(first, last);
            return;
        }
        const std::uint64_t n = last - first;
        if (n == 1) {
            leaf_(first);
        } else if (n == block_ && has_room(page_)) {
            run_rows(page_, first);
        } else if (n == row_length) {
            run_row_or_halves(page_, first);
        } else {
            run_halves(first, last);
        }
    }

    [[nodiscard]] static bool has_room(const worker_page& page) noexcept {
        return page.has_room(page.next(), row_length - 1);
    }

    [[gnu::noinline]] void run_halves(std::uint64_t first, std::uint64_t last) {
        const std::uint64_t middle = middle_of_leaves(first, last);
        fork([this, first, middle] { run_tree(first, middle); }, [this, middle, last] { run_tree(middle, last); });
    }

    [[gnu::noinline, gnu::cold]] void run_elsewhere(std::uint64_t first, std::uint64_t last) const {
        run_in_rows(leaf_, first, last);
    }

    // By whoever has taken the task of a leaf, or of a row, for which it makes one of its own.
    void run_taken(const leaf_task* task) { leaf_(leaves_.first + 1 + static_cast<std::size_t>(task - leaves_.all())); }
    void run_taken(const row_task* task) {
        const std::uint64_t first = rows_.first + (1 + static_cast<std::size_t>(task - rows_.all())) * row_length;
        run_elsewhere(first, first + row_length);
    }

    // Pushes the tasks of a row that begins at `first`. Precondition: there is room for them.
    template <class Parts, class Slot>
    [[gnu::always_inline]] static void push(worker_page& page, Slot* bottom, Parts& row, std::uint64_t first) noexcept {
        row.first = first;
        const auto task = [all = row.all()](std::size_t i) { return address_here<task_header>(all[i]); };
        if (__builtin_expect(page.template push_all<row_length - 1>(bottom, task), 0)) {
            static_cast<void>(attend_keeping_registers(page)); // there is room, so it has nothing to undo
        }
    }

    // Takes task i of a row off the deque, where it lies at `at`. True: it is the caller's to run. False: a thief ran
    // it, and it is done.
    template <class Slot, class Parts>
    [[gnu::always_inline]] static bool pop(worker_page& page, Slot* at, Parts& row, std::size_t i) {
        if (__builtin_expect(page.rung_at(at), 0)) {
            static_cast<void>(attend_keeping_registers(page));
        }
        if (__builtin_expect(!page.pop_to(at), 0)) {
            return settle(page, row, i);
        }
        return true;
    }

    template <class Parts>
    [[gnu::noinline, gnu::cold]] static bool settle(worker_page& page, Parts& row, std::size_t i) {
        auto& own = row.all()[i];
        const bool mine = settle_or_wait(page, own);
        if (!mine) {
            own.stolen.take();
        }
        return mine;
    }

    // A row of rows. Precondition: there is room.
    [[gnu::noinline]] void run_rows(worker_page& page, std::uint64_t first) {
        auto* const bottom = page.next();
        push(page, bottom, rows_, first);
        std::size_t i = 0;
        try {
            for (;;) {
                run_row_or_halves(page, first + i * row_length);
                do {
                    if (++i == row_length) {
                        return;
                    }
                } while (!pop(page, bottom + (row_length - 1 - i), rows_, i - 1));
            }
        } catch (...) {
            give_up(rows_, i);
            throw;
        }
    }

    [[gnu::always_inline]] void run_row_or_halves(worker_page& page, std::uint64_t first) {
        if (__builtin_expect(has_room(page), 1)) {
            run_row(page, first);
        } else {
            run_halves(first, first + row_length);
        }
    }

    // A row of leaves. Precondition: there is room. What a leaf costs beyond its call is two stores and two looks.
    [[gnu::always_inline]] void run_row(worker_page& page, std::uint64_t first) {
        handed_on<const Leaf> leaf = leaf_;
        auto* const bottom = page.next();
        push(page, bottom, leaves_, first);
        std::size_t i = 0;
        try {
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

    // After a part has thrown: the tasks from i on, which are still in the deque, or with thieves.
    template <class Parts>
    [[gnu::noinline, gnu::cold]] static void give_up(Parts& row, std::size_t i) noexcept {
        for (; i != row_length - 1; ++i) {
            auto& own = row.all()[i];
            if (!withdraw(own)) {
                own.stolen.discard();
            }
        }
    }

    const Leaf& leaf_;
    worker_page& page_;
    std::uint64_t block_ = 0; // leaves of a row of rows, if there are tasks for one
    parts<1> leaves_;
    parts<row_length> rows_;
};

// The first row of a thread that holds no slot.
template <class Leaf>
[[gnu::noinline, gnu::cold]] void run_rows_from_outside(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
    const region_guard region;
    run_in_rows(leaf, first, last);
}

// In a function of its own: rows are a kilobyte of the caller's stack.
template <class Leaf>
[[gnu::noinline]] void run_in_new_row(const Leaf& leaf, std::uint64_t first, std::uint64_t last, worker_page& page) {
    leaf_row<Leaf> row(leaf, page);
    row.run(first, last);
}

// Fewer leaves than a row has, more than one.
template <class Leaf>
void run_in_forks(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t middle = middle_of_leaves(first, last);
    fork([&leaf, first, middle] { run_in_rows(leaf, first, middle); },
         [&leaf, middle, last] { run_in_rows(leaf, middle, last); });
}

// leaf(first) ... leaf(last - 1), last > first, perhaps at the same time. If leaves throw, the leftmost one's exception
// arrives here; what has not begun is left out. Any thread may call it.
template <class Leaf>
void run_in_rows(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t n = last - first;
    if (n == 1) {
        leaf(first);
        return;
    }
    worker_page* const page = current_page;
    if (__builtin_expect(page == nullptr, 0)) {
        run_rows_from_outside(leaf, first, last);
    } else if (n < row_length) {
        run_in_forks(leaf, first, last);
    } else {
        run_in_new_row(leaf, first, last, *page);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
