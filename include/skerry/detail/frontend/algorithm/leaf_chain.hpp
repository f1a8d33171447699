// SPDX-License-Identifier: Apache-2.0
#pragma once

// Leaves of a reduction in chains: one task, "the rest", for all of a chain. For operations whose result is the same
// however their operands are grouped, because what a thief takes decides how they are.
//
// A chain folds its leaves from left to right. While one of them runs, all that follow it lie in the deque as one task,
// which the owner then pops and, one leaf shorter, pushes again: beyond its call a leaf costs a number and what a push
// and a pop store. A thief takes the whole rest and forks its halves, so the owner, who joins it, can take one back.
// The rest of the last leaf is empty: a branch for it would cost the owner more than a thief who finds nothing costs
// both. While somebody asks for work, and in the locked protocol, there are no chains: forks give half of what there is
// away at once. See docs/design/0029-chains-of-leaves.md.
//
// Thread safety: a chain belongs to the executor that runs it. What a thief reads of it, the owner writes before it
// pushes and leaves alone until it has popped or joined the rest.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/frontend/algorithm/handed_on.hpp>
#include <skerry/detail/frontend/forkjoin/fork.hpp>
#include <skerry/detail/frontend/forkjoin/outcome.hpp>
#include <skerry/detail/frontend/forkjoin/part.hpp>
#include <skerry/detail/sched/join.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// A thief may have to be asked for half of what it took. A longer sequence is forked into halves, by a branch that is
// badly predicted.
inline constexpr std::uint64_t chain_length = 16;

// Leaf: T(leaf(k)); it must outlive the chain. Op: as grouped_anyhow.
template <class T, class Op, class Leaf>
class leaf_chain {
  public:
    // The fold of the leaves [first, last), last > first, perhaps at the same time. If leaves throw, the leftmost one's
    // exception arrives here; what has not begun is left out. Any thread may call it.
    [[gnu::__noinline__]] static T fold(handed_on<const Leaf> leaf, std::uint64_t first, std::uint64_t last) {
        return last - first == 1 ? T(leaf(first)) : fold_here(leaf, first, last);
    }

    // The same, compiled into the caller, with the leaf at one place.
    [[gnu::__always_inline__]] static T fold_here(handed_on<const Leaf> leaf, std::uint64_t first, std::uint64_t last) {
        worker_page* const page = current_page;
        if (__builtin_expect(page == nullptr, 0)) {
            return fold_from_outside(leaf, first, last);
        }
        if (__builtin_expect(last - first > chain_length || !page->has_room(page->next(), 1), 0)) {
            return fold_halves(leaf, first, last);
        }
        return fold_chain(leaf, first, last, *page);
    }

  private:
    class rest final : public task_header {
      public:
        rest(handed_on<const Leaf> leaf, std::uint64_t last, const context* c) noexcept
            : task_header(&run_stolen, c),
              leaf_(leaf),
              last_(last) {}

        std::uint64_t first; // of the leaves that lie in the deque
        outcome<T> stolen;

      private:
        static void run_stolen(task_header* header) noexcept {
            runs_named<Leaf, &rest::run_stolen>();
            auto& self = static_cast<rest&>(*header);
            const auto body = [&self] {
                return self.first == self.last_ ? T(Op::neutral) : fold_halves(self.leaf_, self.first, self.last_);
            };
            self.stolen.run(body);
            finish_stolen(self);
        }

        handed_on<const Leaf> leaf_;
        const std::uint64_t last_;
    };

    // The first chain of a thread that holds no slot.
    [[gnu::__noinline__, gnu::__cold__]] static T fold_from_outside(handed_on<const Leaf> leaf, std::uint64_t first,
                                                                    std::uint64_t last) {
        if (last - first == 1) { // needs no runtime
            return fold(leaf, first, last);
        }
        const region_guard region;
        return fold(leaf, first, last);
    }

    [[gnu::__noinline__]] static T fold_halves(handed_on<const Leaf> leaf, std::uint64_t first, std::uint64_t last) {
        if (last - first == 1) {
            return T(leaf(first));
        }
        const std::uint64_t middle = first + (last - first) / 2;
        const auto both = fork_values(as_part_of<Leaf>([&leaf, first, middle] { return fold(leaf, first, middle); }),
                                      as_part_of<Leaf>([&leaf, middle, last] { return fold(leaf, middle, last); }));
        return Op::join(both.first, both.second);
    }

    // One chain. Precondition: there is room for a task.
    [[gnu::__always_inline__]] static T fold_chain(handed_on<const Leaf> leaf, std::uint64_t first, std::uint64_t last,
                                                   worker_page& page) {
        rest other(leaf, last, page.ctx);
        auto* const at = page.next();
        T sum = Op::neutral;
        while (true) {
            other.first = first + 1;
            if (__builtin_expect(page.push_at(at, &other), 0)) {
                if (attend_keeping_registers(page) == attended::cancelled) { // there is room
                    give_up(other);
                }
            }
            const auto one = [&leaf, first] { return T(leaf(first)); };
            sum = Op::join(sum, call_beside(one, other));
            if (__builtin_expect(!page.pop_at(at), 0)) {
                if (!settle_or_wait(page, other)) {
                    return Op::join(sum, other.stolen.take());
                }
            }
            if (++first == last) {
                return sum;
            }
        }
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
