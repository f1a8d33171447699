// SPDX-License-Identifier: Apache-2.0
#pragma once

// Folds get(0) ... get(count - 1) with an associative operation, in order: op need not be commutative. Leaves are
// folded from left to right and joined along a binary tree whose shape depends on their number only, so for a fixed
// grain the sequence of operations is the same for any executor and any number of workers; but where no grouping can be
// told from another (sums of integers and the like), an executor may group as it likes.

#include <skerry/detail/frontend/algorithm/any_grouping.hpp>
#include <skerry/detail/frontend/algorithm/pieces.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

// The fold of `sum` and [from, to).
template <class T, class Op, class Get>
T fold_on(T sum, Op& op, const Get& get, std::uint64_t from, std::uint64_t to) {
    // Compilers may regroup integers, and vectorise the plain loop. Elsewhere they must keep the order: four elements
    // at a time leave one operation in four on the critical path.
    if constexpr (!std::is_integral_v<T>) {
        for (; to - from >= 4; from += 4) {
            T left = T(op(T(get(from)), T(get(from + 1))));
            T right = T(op(T(get(from + 2)), T(get(from + 3))));
            sum = T(op(std::move(sum), T(op(std::move(left), std::move(right)))));
        }
    }
    for (; from < to; ++from) sum = T(op(std::move(sum), T(get(from))));
    return sum;
}

// The fold of [from, to), from < to.
template <class T, class Op, class Get>
T fold_run(Op& op, const Get& get, std::uint64_t from, std::uint64_t to) {
    return fold_on<T>(T(get(from)), op, get, from + 1, to);
}

// The same operations with looks in between whether the fold was called off: blocks end where fold_on() would go on
// with four more.
template <class Executor, class T, class Op, class Get>
T fold_in_blocks(Op& op, const Get& get, std::uint64_t from, std::uint64_t to) {
    if constexpr (!Executor::parallel) {
        return fold_run<T>(op, get, from, to);
    } else {
        loop_pace loop;
        leaf_pace pace(loop, to - from, blocks_per_leaf, shortest_block);
        const auto looking = [&get](std::uint64_t k) -> T {
            check_stop<Executor>();
            return get(k);
        };
        T sum = T(get(from));
        for (++from; to - from >= 4;) {
            const std::uint64_t fitting = to - from < pace.block() ? to - from : pace.block();
            if (fitting < 4) { // elements of long bodies: looks between them, too
                sum = fold_on<T>(std::move(sum), op, looking, from, from + 4);
                from += 4;
            } else {
                check_stop<Executor>();
                const std::uint64_t fours = fitting & ~std::uint64_t{3};
                sum = fold_on<T>(std::move(sum), op, get, from, from + fours);
                from += fours;
            }
            pace.next();
        }
        return fold_on<T>(std::move(sum), op, looking, from, to);
    }
}

// op(left(), right()), the two perhaps at the same time.
template <class Executor, class T, class Op, class Left, class Right>
[[gnu::__always_inline__]] inline T fold_both(Op& op, Left&& left, Right&& right) {
    auto both = Executor::fork_values(static_cast<Left&&>(left), static_cast<Right&&>(right));
    return T(op(std::move(both.first), std::move(both.second)));
}

// What code that does not know the type of a sum has to know of a reduction.
struct fold_code {
    std::size_t size; // of a sum
    std::size_t alignment;
    // Puts the element k at `sum`.
    void (*begin)(const void* fold, void* sum, std::uint64_t k);
    // Adds those of [from, to). A sum stays one if it throws.
    void (*run)(const void* fold, void* sum, std::uint64_t from, std::uint64_t to);
    // left = op(left, right)
    void (*join)(const void* fold, void* left, void* right);
    void (*destroy)(void* sum) noexcept;
};

// `code` of a reduction by `op`. The object must outlive the reduction.
template <class T, class Op, class Get>
class typed_fold {
  public:
    typed_fold(Op& op, const Get& get) noexcept : op_(op), get_(get) {}

    static constexpr fold_code code() noexcept { return {sizeof(T), alignof(T), &begin, &run, &join, &destroy}; }

  private:
    static const typed_fold& from(const void* fold) noexcept { return *static_cast<const typed_fold*>(fold); }
    static T& value(void* sum) noexcept { return *static_cast<T*>(sum); }

    static void begin(const void* fold, void* sum, std::uint64_t k) { ::new (sum) T(from(fold).get_(k)); }
    static void run(const void* fold, void* sum, std::uint64_t first, std::uint64_t last) {
        const typed_fold& self = from(fold);
        value(sum) = fold_on<T>(std::move(value(sum)), self.op_, self.get_, first, last);
    }
    static void join(const void* fold, void* left, void* right) {
        value(left) = T(from(fold).op_(std::move(value(left)), std::move(value(right))));
    }
    static void destroy(void* sum) noexcept { value(sum).~T(); }

    Op& op_;
    const Get& get_;
};
template <class T, class Op, class Get>
inline constexpr fold_code fold_code_of = typed_fold<T, Op, Get>::code();

// A reduction, and room for a sum of it.
class folded {
  public:
    folded(const void* fold, const fold_code& code, void* room) noexcept : fold_(fold), code_(code), room_(room) {}
    folded(const folded&) = delete;
    folded& operator=(const folded&) = delete;
    ~folded() {
        if (begun_) code_.destroy(room_);
    }

    // With the element k. Once only.
    void begin(std::uint64_t k) {
        code_.begin(fold_, room_, k);
        begun_ = true;
    }
    // Adds the elements [from, to).
    void run(std::uint64_t from, std::uint64_t to) { code_.run(fold_, room_, from, to); }

    // Calls with_sum(another) for a sum that follows, on the stack, and adds it. Precondition: with_sum puts one there.
    // Not inlined into a loop or a recursion, whose stack would grow.
    template <class F>
    [[gnu::__noinline__]] void add(const F& with_sum) {
        folded next(fold_, code_, aligned(__builtin_alloca(code_.size + code_.alignment - 1)));
        with_sum(next);
        code_.join(fold_, room_, next.room_);
    }

  private:
    [[nodiscard]] void* aligned(void* room) const noexcept {
        const auto past = reinterpret_cast<std::uintptr_t>(room) & (code_.alignment - 1);
        return static_cast<std::byte*>(room) + (past == 0 ? 0 : code_.alignment - past);
    }

    const void* const fold_;
    const fold_code& code_;
    void* const room_;
    bool begun_ = false;
};

// left(sum), and right(...) into a sum that follows; the two perhaps at the same time.
template <class Executor, class Left, class Right>
void fold_both_into(folded& sum, const Left& left, const Right& right) {
    sum.add([&](folded& next) { Executor::fork_both([&] { left(sum); }, [&] { right(next); }); });
}

// run_lazily with a result. Precondition: there is no sum yet. Behind the first element, blocks end where fold_on()
// goes on with four more: on one worker short bodies are grouped as in the elision.
template <class Executor>
void fold_lazily(loop_pace& loop, folded& sum, std::uint64_t first, std::uint64_t last) {
    sum.begin(first);
    ++first;
    for (leaf_pace pace(loop, last - first, blocks_per_leaf, shortest_block); last - first > pace.block();) {
        check_stop<Executor>();
        const std::uint64_t block = pace.block() < 4 ? pace.block() : pace.block() & ~std::uint64_t{3};
        sum.run(first, first + block);
        first += block;
        pace.next();
        if (Executor::demand() && last - first > 1) {
            const std::uint64_t middle = first + (last - first) / 2;
            sum.add([&loop, first, middle, last](folded& rest) {
                fold_both_into<Executor>(
                    rest, [&loop, first, middle](folded& to) { fold_lazily<Executor>(loop, to, first, middle); },
                    [&loop, middle, last](folded& to) { fold_lazily<Executor>(loop, to, middle, last); });
            });
            return;
        }
    }
    check_stop<Executor>();
    if (first != last) sum.run(first, last);
}

// The leaves [first, last) of `cuts`, first < last. Precondition: there is no sum yet.
template <class Executor>
void fold_leaves_lazily(loop_pace& loop, folded& sum, const leaves& cuts, std::uint64_t first, std::uint64_t last) {
    check_stop<Executor>();
    if (last - first == 1) return fold_lazily<Executor>(loop, sum, cuts.first(first), cuts.last(first));
    const std::uint64_t middle = first + (last - first) / 2;
    fold_both_into<Executor>(
        sum, [&loop, &cuts, first, middle](folded& to) { fold_leaves_lazily<Executor>(loop, to, cuts, first, middle); },
        [&loop, &cuts, middle, last](folded& to) { fold_leaves_lazily<Executor>(loop, to, cuts, middle, last); });
}

// The fold of [0, count), count >= 1, by the automatic grain. Precondition: there is no sum yet.
template <class Executor>
void fold_cut(folded& sum, std::uint64_t count) {
    // Not const: the simulator sees no store that initialises a constant, and thieves read this.
    leaves cuts = cut<Executor>(count, grain::automatic());
    loop_pace pace;
    fold_leaves_lazily<Executor>(pace, sum, cuts, 0, cuts.number());
}

template <class Executor, class T, class Op, class Get>
T fold_without_grain(Op& op, const Get& get, std::uint64_t count) {
    if constexpr (!Executor::parallel) {
        check_stop<Executor>();
        return fold_run<T>(op, get, 0, count);
    } else {
        const typed_fold<T, Op, Get> fold(op, get);
        alignas(T) std::byte bytes[sizeof(T)];
        void* const room = bytes;
        folded sum(&fold, fold_code_of<T, Op, Get>, room);
        Executor::fold_automatically(sum, count);
        return std::move(*std::launder(static_cast<T*>(room)));
    }
}

// leaf(first) and leaf(first + 1).
template <class Executor, class T, class Op, class Leaf>
[[gnu::__always_inline__]] inline T fold_pair(Op& op, const Leaf& leaf, std::uint64_t first) {
    return fold_both<Executor, T>(
        op, [&leaf, first] { return T(leaf(first)); }, [&leaf, first] { return T(leaf(first + 1)); });
}

// Folds leaf(k) for each k in [first, last), last > first. Pairs need no call of this function.
template <class Executor, class T, class Op, class Leaf>
T fold_leaves(Op& op, const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
    if constexpr (Executor::folds_anyhow && any_grouping<Op, T>) {
        return Executor::template fold_anyhow<T, grouped_anyhow<Op, T>>(leaf, first, last);
    }
    const std::uint64_t n = last - first;
    if (n == 1) return leaf(first);
    if (n == 2) return fold_pair<Executor, T>(op, leaf, first);
    const std::uint64_t middle = first + ((n / 2 + 1) & ~std::uint64_t{1});
    return fold_both<Executor, T>(
        op, [&op, &leaf, first, middle] { return fold_leaves<Executor, T>(op, leaf, first, middle); },
        [&op, &leaf, middle, last] { return fold_leaves<Executor, T>(op, leaf, middle, last); });
}

// The fold of all, count >= 1, by a given grain, where the compiler does not know that each leaf is one element.
template <class Executor, class T, class Op, class Get>
T fold_by_grain(Op& op, const Get& get, std::uint64_t count, grain g) {
    check_stop<Executor>();
    if (count == 1) return T(get(0));
    if (g.is_automatic()) return fold_without_grain<Executor, T>(op, get, count);
    if (g.iterations() == 1) { // without the divisions
        return fold_leaves<Executor, T>(op, get, 0, count);
    }
    const leaves cuts{count, g.iterations()};
    if (cuts.number() == 1) return fold_run<T>(op, get, 0, count);
    const auto leaf = [&op, &get, cuts](std::uint64_t k) { return fold_run<T>(op, get, cuts.first(k), cuts.last(k)); };
    return fold_leaves<Executor, T>(op, leaf, 0, cuts.number());
}

// The fold of all, count >= 1.
template <class Executor, class T, class Op, class Get, grain_or_none Grain>
[[gnu::__always_inline__]] inline T fold_all(Op& op, const Get& get, std::uint64_t count, Grain g) {
    if constexpr (std::same_as<Grain, no_grain>) {
        return fold_without_grain<Executor, T>(op, get, count);
    } else {
        if constexpr (Executor::folds_anyhow && any_grouping<Op, T>) {
            const std::uint64_t size = g.iterations();
            if (__builtin_constant_p(size) && size == 1) { // else it would be the code of both
                return Executor::template fold_anyhow_here<T, grouped_anyhow<Op, T>>(get, 0, count);
            }
        }
        return fold_by_grain<Executor, T>(op, get, count, g);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
