// SPDX-License-Identifier: Apache-2.0
#pragma once

// Leaves of a loop in rows of eight: one fork for all of a row.
//
// A row is what a tree of forks over eight leaves would be, with all pushes done at the beginning, so that they share
// the store to `bottom` and the look at the ring. Each leaf but the first is a task of its own, which a thief may take,
// the rightmost first; the owner pops them from left to right, and between two of them looks whether it is wanted, as a
// push would. The tasks lie in an object that all rows of one loop use that one executor runs after each other, so a
// row writes the deque's slots and the number of its first leaf, and no task. While somebody asks for work, and in the
// locked protocol, there are no rows: forks give half of what there is away at once. See
// docs/design/0028-rows-of-leaves.md.
//
// Thread safety: a row belongs to the executor that made it. What thieves read of it, the owner writes before it pushes
// and leaves alone until it has joined the whole row.

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/frontend/algorithm/row_shape.hpp>
#include <skerry/detail/frontend/forkjoin/fork.hpp>
#include <skerry/detail/frontend/forkjoin/outcome.hpp>
#include <skerry/detail/sched/join.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// T: what leaves give. Op: joins two of them. Leaf: leaf(k) -> T. The last two must outlive the row.
template <class T, class Op, class Leaf>
class leaf_row {
  public:
    // `page` is the calling thread's current page.
    leaf_row(Op& op, const Leaf& leaf, worker_page& page) noexcept : op_(op), leaf_(leaf), page_(page) {}
    leaf_row(const leaf_row&) = delete;
    leaf_row& operator=(const leaf_row&) = delete;

    // The leaves [first, last), last > first. Once only.
    T fold(std::uint64_t first, std::uint64_t last) {
        const std::size_t tasks = last - first < row_length ? last - first - 1 : row_length - 1;
        for (std::size_t i = 0; i != tasks; ++i) {
            ::new (static_cast<void*>(room_ + i * sizeof(member))) member(*this, page_.ctx);
        }
        return fold_tree(first, last);
    }

  private:
    class member final : public task_header {
      public:
        member(leaf_row& home, const context* c) noexcept : task_header(&run_stolen, c), home_(home) {}

        outcome<T> stolen;

      private:
        static void run_stolen(task_header* header) noexcept {
            auto* const self = static_cast<member*>(header);
            const leaf_row& home = self->home_;
            const auto number = home.first_ + 1 + static_cast<std::uint64_t>(self - home.members());
            const auto body = [&home, number]() -> T { return home.leaf_(number); };
            self->stolen.run(body);
            finish_stolen(*self);
        }

        leaf_row& home_;
    };

    member* members() const noexcept { return std::launder(reinterpret_cast<member*>(const_cast<std::byte*>(room_))); }

    // By whoever has come to it: a thief makes rows of its own.
    T fold_tree(std::uint64_t first, std::uint64_t last) {
        if (__builtin_expect(current_page != &page_, 0)) {
            return fold_elsewhere(first, last);
        }
        const std::uint64_t n = last - first;
        if (n == 1) {
            return leaf_(first);
        }
        if (n <= row_length && page_.has_room(page_.next(), n - 1)) {
            return fold_row(first, n);
        }
        return fold_halves(first, last);
    }

    [[gnu::noinline]] T fold_halves(std::uint64_t first, std::uint64_t last) {
        const std::uint64_t middle = middle_of_leaves(first, last);
        auto both = fork_values([this, first, middle] { return fold_tree(first, middle); },
                                [this, middle, last] { return fold_tree(middle, last); });
        return T(op_(std::move(both.first), std::move(both.second)));
    }

    [[gnu::noinline, gnu::cold]] T fold_elsewhere(std::uint64_t first, std::uint64_t last) const {
        leaf_row mine(op_, leaf_, *current_page);
        return mine.fold(first, last);
    }

    // How far a row has come.
    struct cursor {
        worker_page::slot* bottom; // of the deque before and after the row
        worker_page::slot* at;     // of the newest task, and one more
        member* next;              // the newest task, if at != bottom
        std::uint64_t leaf;        // that runs, or runs next if it is the first
    };

    // Pushes the row's n tasks.
    [[gnu::always_inline]] cursor begin(std::uint64_t first, std::size_t n) {
        auto* const bottom = page_.next();
        first_ = first;
        if (__builtin_expect(page_.push_all(bottom, n, [all = members()](std::size_t i) { return all + i; }), 0)) {
            static_cast<void>(attend_aside(page_)); // there is room, so it has nothing to undo
        }
        return {bottom, bottom + n, members(), first};
    }

    // The leaf of the newest task.
    [[gnu::always_inline]] T fold_next(cursor& c) {
        if (__builtin_expect(page_.rung(), 0)) {
            static_cast<void>(attend_aside(page_));
        }
        ++c.leaf;
        member& own = *c.next++;
        if (__builtin_expect(!page_.pop_at(--c.at), 0)) {
            if (!settle_or_wait(page_, own)) {
                return own.stolen.take();
            }
        }
        return leaf_(c.leaf);
    }

    // The next n leaves, the first of which is the row's or a task's.
    T fold_part(cursor& c, std::uint64_t n, bool is_first) {
        if (n == 1) {
            return is_first ? leaf_(c.leaf) : fold_next(c);
        }
        const std::uint64_t half = middle_of_leaves(0, n);
        T left = fold_part(c, half, is_first);
        T right = fold_part(c, n - half, false);
        return T(op_(std::move(left), std::move(right)));
    }

    T fold_row(std::uint64_t first, std::uint64_t n) {
        cursor c = begin(first, n - 1);
        try {
            if constexpr (std::is_same_v<T, nothing>) { // no recursion to join it in a shape
                leaf_(first);
                while (c.at != c.bottom) {
                    fold_next(c);
                }
                return {};
            } else {
                return fold_part(c, n, true);
            }
        } catch (...) {
            give_up(c.next, static_cast<std::size_t>(c.at - c.bottom)); // by value: a cursor stays in registers
            throw;
        }
    }

    // After a leaf has thrown: the n that are still in the deque, or with thieves.
    [[gnu::noinline, gnu::cold]] static void give_up(member* next, std::size_t n) noexcept {
        for (; n != 0; --n, ++next) {
            if (!withdraw(*next)) {
                next->stolen.discard();
            }
        }
    }

    Op& op_;
    const Leaf& leaf_;
    worker_page& page_;
    std::uint64_t first_; // of the row that runs
    alignas(member) std::byte room_[(row_length - 1) * sizeof(member)];
};

template <class T, class Op, class Leaf>
T fold_in_rows(Op& op, const Leaf& leaf, std::uint64_t first, std::uint64_t last);

// The first row of a thread that holds no slot.
template <class T, class Op, class Leaf>
[[gnu::noinline, gnu::cold]] T fold_from_outside(Op& op, const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
    const region_guard region;
    return fold_in_rows<T>(op, leaf, first, last);
}

// In a function of its own: a row is half a kilobyte of the caller's stack.
template <class T, class Op, class Leaf>
[[gnu::noinline]] T fold_in_new_row(Op& op, const Leaf& leaf, std::uint64_t first, std::uint64_t last,
                                    worker_page& page) {
    leaf_row<T, Op, Leaf> row(op, leaf, page);
    return row.fold(first, last);
}

// A row has room for seven results. Of larger ones than this, bytes, it would take too much of a stack.
inline constexpr std::size_t largest_result_in_a_row = 128;

// leaf(first) ... leaf(last - 1), last > first, perhaps at the same time, joined by op in the shape of row_shape.hpp.
// If leaves throw, the leftmost one's exception arrives here; what has not begun is left out. Any thread may call it.
template <class T, class Op, class Leaf>
T fold_in_rows(Op& op, const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
    if (last - first == 1) {
        return leaf(first);
    }
    worker_page* const page = current_page;
    if (__builtin_expect(page == nullptr, 0)) {
        return fold_from_outside<T>(op, leaf, first, last);
    }
    if (last - first == 2) {
        auto both = fork_values([&leaf, first]() -> T { return leaf(first); },
                                [&leaf, first]() -> T { return leaf(first + 1); });
        return T(op(std::move(both.first), std::move(both.second)));
    }
    if constexpr (sizeof(T) > largest_result_in_a_row) {
        const std::uint64_t middle = middle_of_leaves(first, last);
        auto both = fork_values([&]() -> T { return fold_in_rows<T>(op, leaf, first, middle); },
                                [&]() -> T { return fold_in_rows<T>(op, leaf, middle, last); });
        return T(op(std::move(both.first), std::move(both.second)));
    } else {
        return fold_in_new_row<T>(op, leaf, first, last, *page);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
