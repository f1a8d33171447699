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
#include <variant>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/frontend/forkjoin/fork.hpp>
#include <skerry/detail/frontend/forkjoin/outcome.hpp>
#include <skerry/detail/sched/join.hpp>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr std::uint64_t row_length = 8;

// Where the leaves [first, last) are cut, last > first + 1: so that as many as can be lie in whole rows.
constexpr std::uint64_t middle_of_leaves(std::uint64_t first, std::uint64_t last) noexcept {
    const std::uint64_t n = last - first;
    const std::uint64_t half = n / 2 + n % 2; // n may be all that fit
    return first + (n > row_length ? (half + row_length - 1) & ~(row_length - 1) : half);
}

// Leaf: leaf(k), whose result nobody wants. It must outlive the row.
template <class Leaf>
class leaf_row {
  public:
    // `page` is the calling thread's current page.
    leaf_row(const Leaf& leaf, worker_page& page) noexcept : leaf_(leaf), page_(page) {}
    leaf_row(const leaf_row&) = delete;
    leaf_row& operator=(const leaf_row&) = delete;

    // The leaves [first, last), last > first. Once only.
    void run(std::uint64_t first, std::uint64_t last) {
        const std::size_t tasks = last - first < row_length ? last - first - 1 : row_length - 1;
        for (std::size_t i = 0; i != tasks; ++i) {
            ::new (static_cast<void*>(room_ + i * sizeof(member))) member(*this, page_.ctx);
        }
        run_tree(first, last);
    }

  private:
    class member final : public task_header {
      public:
        member(leaf_row& home, const context* c) noexcept : task_header(&run_stolen, c), home_(home) {}

        outcome<std::monostate> stolen;

      private:
        static void run_stolen(task_header* header) noexcept {
            auto* const self = static_cast<member*>(header);
            const leaf_row& home = self->home_;
            const auto number = home.first_ + 1 + static_cast<std::uint64_t>(self - home.members());
            const auto body = [&home, number] { home.leaf_(number); };
            self->stolen.run(body);
            finish_stolen(*self);
        }

        leaf_row& home_;
    };

    member* members() const noexcept { return std::launder(reinterpret_cast<member*>(const_cast<std::byte*>(room_))); }

    // By whoever has come to it: a thief makes rows of its own.
    void run_tree(std::uint64_t first, std::uint64_t last) {
        if (__builtin_expect(current_page != &page_, 0)) {
            run_elsewhere(first, last);
            return;
        }
        const std::uint64_t n = last - first;
        if (n == 1) {
            leaf_(first);
        } else if (n <= row_length && page_.has_room(page_.next(), n - 1)) {
            run_row(first, n);
        } else {
            run_halves(first, last);
        }
    }

    [[gnu::noinline]] void run_halves(std::uint64_t first, std::uint64_t last) {
        const std::uint64_t middle = middle_of_leaves(first, last);
        fork([this, first, middle] { run_tree(first, middle); }, [this, middle, last] { run_tree(middle, last); });
    }

    [[gnu::noinline, gnu::cold]] void run_elsewhere(std::uint64_t first, std::uint64_t last) const {
        leaf_row mine(leaf_, *current_page);
        mine.run(first, last);
    }

    // One row, 1 < n <= row_length. Precondition: there is room for n - 1 tasks.
    void run_row(std::uint64_t first, std::uint64_t n) {
        worker_page& page = page_;
        auto* const bottom = page.next();
        auto* at = bottom + (n - 1);
        first_ = first;
        if (__builtin_expect(page.push_all(bottom, n - 1, [all = members()](std::size_t i) { return all + i; }), 0)) {
            static_cast<void>(attend_keeping_registers(page)); // there is room, so it has nothing to undo
        }
        member* next = members(); // the task at at - 1
        try {
            leaf_(first);
            while (at != bottom) {
                if (__builtin_expect(page.rung(), 0)) {
                    static_cast<void>(attend_keeping_registers(page));
                }
                ++first;
                member& own = *next++;
                if (__builtin_expect(!page.pop_at(--at), 0)) {
                    if (!settle_or_wait(page, own)) {
                        own.stolen.take();
                        continue;
                    }
                }
                leaf_(first);
            }
        } catch (...) {
            give_up(next, static_cast<std::size_t>(at - bottom));
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

    const Leaf& leaf_;
    worker_page& page_;
    std::uint64_t first_; // of the row that runs
    alignas(member) std::byte room_[(row_length - 1) * sizeof(member)];
};

template <class Leaf>
void run_in_rows(const Leaf& leaf, std::uint64_t first, std::uint64_t last);

// The first row of a thread that holds no slot.
template <class Leaf>
[[gnu::noinline, gnu::cold]] void run_rows_from_outside(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
    const region_guard region;
    run_in_rows(leaf, first, last);
}

// In a function of its own: a row is half a kilobyte of the caller's stack.
template <class Leaf>
[[gnu::noinline]] void run_in_new_row(const Leaf& leaf, std::uint64_t first, std::uint64_t last, worker_page& page) {
    leaf_row<Leaf> row(leaf, page);
    row.run(first, last);
}

// leaf(first) ... leaf(last - 1), last > first, perhaps at the same time. If leaves throw, the leftmost one's exception
// arrives here; what has not begun is left out. Any thread may call it.
template <class Leaf>
void run_in_rows(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
    if (last - first == 1) {
        leaf(first);
        return;
    }
    worker_page* const page = current_page;
    if (__builtin_expect(page == nullptr, 0)) {
        run_rows_from_outside(leaf, first, last);
    } else if (last - first == 2) {
        fork([&leaf, first] { leaf(first); }, [&leaf, first] { leaf(first + 1); });
    } else {
        run_in_new_row(leaf, first, last, *page);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
