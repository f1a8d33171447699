// SPDX-License-Identifier: Apache-2.0
#pragma once

// Chains of leaves over what a source gives: as leaf_chain.hpp has them, where nobody knows how many leaves there are.
//
// While a leaf runs, the source as it goes on behind it is "the rest", and lies in the deque. The owner then pops it,
// and pushes the next, one element shorter. A thief folds what it took in parts (fold_in_parts), so the owner, who
// joins it, can take some of them back. The rest may turn out to be empty.
//
// A chain is compiled into its caller, with the source and the leaf at one place each, so that compilers make of a
// recursion over chains what they make of one over a loop: design note 0029.
//
// Thread safety: a chain belongs to the executor that runs it. What a thief reads of it, the owner writes before it
// pushes and leaves alone until it has popped or joined the rest.

#include <memory>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/frontend/algorithm/handed_on.hpp>
#include <skerry/detail/frontend/algorithm/in_place.hpp>
#include <skerry/detail/frontend/algorithm/source.hpp>
#include <skerry/detail/frontend/forkjoin/fork.hpp>
#include <skerry/detail/frontend/forkjoin/outcome.hpp>
#include <skerry/detail/sched/join.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Fold: a source_fold; it must outlive the chain.
template <class Source, class Fold>
class source_chain {
    using T = typename Fold::result;
    using parts = fold_in_parts<forking, Source, Fold>;

  public:
    // The fold of `sum` and of all that the source gives, in this order, perhaps at the same time. If leaves throw, the
    // leftmost one's exception arrives here; what has not begun is left out. Any thread may call it.
    [[gnu::__always_inline__]] static T fold(T sum, Source&& source, const Fold& how) {
        worker_page* const page = current_page;
        if (__builtin_expect(page == nullptr, 0)) {
            return fold_from_outside(std::move(sum), source, how);
        }
        rest other(how, source, page->ctx);
        position here(source);
        while (true) {
            auto found = here.next();
            if (!found) {
                return sum;
            }
            here.go_on_in(other);
            auto* const at = page->next(); // now: the source may have begun tasks
            if (__builtin_expect(page->push_at(at, &other), 0)) {
                const attended how_it_went = attend_keeping_registers(*page);
                if (how_it_went == attended::cancelled) {
                    give_up(other);
                }
                if (how_it_went == attended::no_room) {
                    return fold_in_order(std::move(sum), std::move(found), std::move(*other.source), how);
                }
            }
            const auto one = [&] { sum = how.join(std::move(sum), how.leaf(*found)); };
            call_beside(one, other);
            if (__builtin_expect(!page->pop_at(at), 0)) {
                if (!settle_or_wait(*page, other)) {
                    auto rest_sum = other.stolen.take(); // before the sum, whose move may throw
                    return parts::joined(how, std::move(sum), std::move(rest_sum));
                }
            }
        }
    }

  private:
    // Where the owner is in the source: that gives an element, and goes on in the rest. What the element refers to may
    // lie in the source that has given it, so one of the two is a copy.
    //
    // Of a few words the owner's, from the first element to the last: what it looks at next can stay in registers, and
    // waits for no load of what was written for the rest (design note 0029).
    static constexpr bool in_words = std::is_trivially_copyable_v<Source> && sizeof(Source) <= 8 * sizeof(void*);
    struct rest;
    class position_in_words {
      public:
        explicit position_in_words(Source& s) : source_(s), here_(s) {}
        found_by<Source> next() { return here_(); }
        void go_on_in(const rest& /*other*/) noexcept { std::construct_at(std::addressof(source_), here_); }

      private:
        Source& source_;
        Source here_;
    };
    class position_by_copy {
      public:
        explicit position_by_copy(Source& s) : source_(s) {}
        position_by_copy(const position_by_copy&) = delete;
        position_by_copy& operator=(const position_by_copy&) = delete;
        ~position_by_copy() { forget(); }
        found_by<Source> next() {
            forget();
            return source_();
        }
        void go_on_in(rest& other) {
            other.source = std::construct_at(std::addressof(behind_), source_);
            goes_on_ = true;
        }

      private:
        // Destroys the copy for the last rest, which nobody has taken.
        void forget() noexcept {
            if (goes_on_) {
                goes_on_ = false;
                std::destroy_at(std::addressof(behind_));
            }
        }

        Source& source_;
        bool goes_on_ = false;
        union { // no std::optional: GCC says of what its emplace() would destroy that it may not be initialised
            Source behind_;
        };
    };
    using position = std::conditional_t<in_words, position_in_words, position_by_copy>;

    struct rest final : task_header {
        rest(const Fold& f, Source& s, const context* c)
            : task_header(&run_stolen, c),
              how(f),
              source(std::addressof(s)) {}

        static void run_stolen(task_header* header) noexcept {
            runs_named<Fold, &rest::run_stolen>();
            auto& self = static_cast<rest&>(*header);
            const auto body = [&self] { return parts::fold(self.how, *self.source); }; // which nobody else uses now
            self.stolen.run(body);
            finish_stolen(self);
        }

        handed_on<const Fold> how;
        Source* source;
        outcome<typename parts::part> stolen; // last: what the owner writes lies side by side
    };

    // The first chain of a thread that holds no slot.
    [[gnu::__noinline__, gnu::__cold__]] static T fold_from_outside(T sum, const Source& source, const Fold& how) {
        const region_guard region;
        return fold_inside(std::move(sum), source, how);
    }
    // What is compiled into a cold function is compiled for size.
    [[gnu::__noinline__, gnu::__hot__]] static T fold_inside(T sum, const Source& source, const Fold& how) {
        return fold(std::move(sum), Source(source), how);
    }

    // What is left, after a push that failed.
    [[gnu::__noinline__]] static T fold_in_order(T sum, found_by<Source> found, Source source, const Fold& how) {
        sum = how.join(std::move(sum), how.leaf(*found));
        return in_place::fold_source<T>(std::move(sum), std::move(source), how);
    }
};

template <class T, class Source, class Fold>
[[gnu::__always_inline__]] inline T forking::fold_source(T sum, Source&& source, const Fold& how) {
    return source_chain<Source, Fold>::fold(std::move(sum), static_cast<Source&&>(source), how);
}

} // namespace skerry::inline SKERRY_ABI::detail
