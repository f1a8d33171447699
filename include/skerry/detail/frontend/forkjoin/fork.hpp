// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one fork and the one join that all fork-join constructs are made of.
//
// A fork writes its task into the caller's own frame, pushes the frame's address and calls the first branch. If nobody
// took the second meanwhile, the join is a compare and the second branch is called in place: no allocation, no fence,
// no locked operation, no indirect call. See docs/design/0003-the-deque-contract.md.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/port/address_here.hpp>
#include <skerry/detail/base/port/known.hpp>
#include <skerry/detail/base/port/watched.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/frontend/forkjoin/outcome.hpp>
#include <skerry/detail/sched/join.hpp>
#include <skerry/detail/sched/named_section.hpp>
#include <skerry/detail/sched/stopping.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Whether a closure is copied where its address would otherwise escape: a temporary of a few words. The closure that
// the owner calls then stays in registers.
template <class G>
consteval bool is_copied(std::size_t words) {
    using callee = std::remove_reference_t<G>;
    if constexpr (std::is_lvalue_reference_v<G> || !std::is_trivially_copyable_v<callee> ||
                  !std::is_copy_constructible_v<callee>) { // one that only moves can be trivially copyable
        return false;
    } else {
        return sizeof(callee) <= words * sizeof(void*);
    }
}
template <class G>
inline constexpr bool copied_closure = is_copied<G>(4);

// Whether a closure holds references, most likely to what lies in its caller's frame: these classes are not of standard
// layout, those of closures that hold copies mostly are. A guess about speed, no more.
template <class F>
inline constexpr bool refers = !std::is_standard_layout_v<std::remove_reference_t<F>>;

// What a compiler makes of a divide and conquer. GCC splits the part that does not fork off the function, and turns the
// recursion through the second branch into a loop: a depth of the deque belongs to one frame then, and what a slot
// holds is most often what the next push to it would store. Clang saves the fork's registers in every leaf, and calls.
#if defined(__clang__)
inline constexpr bool splits_leaves_off = false;
#else
inline constexpr bool splits_leaves_off = true;
#endif

// Whether it makes that loop: not if a branch refers to what lies in its caller's frame, as two words most often do.
template <class... F>
inline constexpr bool loops_in_its_frame = splits_leaves_off && ((is_copied<F>(1) && !refers<F>) && ...);

// Whether the owner calls the second closure as it lies in the task, which saves a fork the registers to keep it in. A
// loop has it in a register anyhow.
template <class G>
inline constexpr bool called_from_task = copied_closure<G> && (!is_copied<G>(1) || refers<G>);

// What a branch holds of its closure. It lies in front of the header, side by side with what else a fork writes: the
// fewer lines and halves of lines a fork's stores go to, the sooner they are done.
template <class G>
struct held_closure {
    static constexpr bool copied = copied_closure<G>;
    using callee = std::remove_reference_t<G>;
    using held = std::conditional_t<copied, callee, callee*>;

    static held hold(callee& g) noexcept {
        if constexpr (copied) {
            return g;
        } else {
            return __builtin_addressof(g);
        }
    }

    // Whether registers carry it as a whole. What has padding compilers store piece by piece, and to load these as one
    // takes three times as long as a fork.
    static constexpr bool in_one_piece =
        (sizeof(held) == sizeof(std::uintptr_t) || sizeof(held) == sizeof(std::uint32_t)) &&
        (refers<G> || std::has_unique_object_representations_v<held>); // GCC sees none in a reference

    [[no_unique_address]] held kept;
};

#if defined(__x86_64__)
using two_words [[gnu::__vector_size__(2 * sizeof(std::uintptr_t))]] = std::uintptr_t;
#endif

// Calls a branch in place: one with a name shows it.
template <class F>
[[gnu::__always_inline__]] inline result_of<invoke_result<F>> call_shown(F& f) {
    if constexpr (shows_in_place<F>) {
        const named_section shown(body_name<F>);
        return call(f);
    } else {
        return call(f);
    }
}

// A branch as a thief sees it.
template <class G>
class branch final : private held_closure<G>, public task_header {
  public:
    using typename held_closure<G>::callee;
    using result = result_of<invoke_result<callee>>;

    branch(callee& g, const worker_page& page) noexcept
        : closure{closure::hold(g)},
          task_header(function_here<&branch::run_stolen>(), page.nesting) {}

    // Makes one store of the constructor's two where what is held of the closure is a word or half of one: stores are
    // most of what a fork costs (design note 0027), and no compiler for x86-64 does it unasked.
    [[gnu::__always_inline__]] void write_at_once() noexcept {
#if defined(__x86_64__)
        if constexpr (closure::in_one_piece && !padding_is_watched) {
            auto* const header = reinterpret_cast<std::byte*>(static_cast<task_header*>(this));
            auto* const in_front = header - sizeof(std::uintptr_t);
            if (in_front == static_cast<void*>(this)) {
                std::uintptr_t word = 0;
                __builtin_memcpy(&word, __builtin_addressof(closure::kept), sizeof(closure::kept));
                if constexpr (sizeof(closure::kept) == sizeof(word)) {
                    word = hidden(word); // or Clang sees that it is there already, and makes two stores again
                }
                const two_words both = {word, reinterpret_cast<std::uintptr_t>(this->run)};
                __builtin_memcpy(in_front, &both, sizeof(both));
            }
        }
#endif
    }

    // Of a branch that nobody took, or that a thief is to run. Precondition: the closure is copied.
    [[nodiscard]] callee& copy() noexcept { return closure::kept; }

    // Whether a task is one of these; and what it calls.
    [[nodiscard]] static bool runs(const task_header& task) noexcept { return task.run == &run_stolen; }
    [[nodiscard]] const callee& body() const noexcept {
        if constexpr (closure::copied) {
            return closure::kept;
        } else {
            return *closure::kept;
        }
    }

    outcome<result> stolen;

  private:
    using closure = held_closure<G>;

    [[gnu::__visibility__("hidden")]] static void run_stolen(task_header* header) noexcept {
        runs_named<callee, &branch::run_stolen>();
        auto& self = static_cast<branch&>(*header);
        if constexpr (closure::copied) {
            self.stolen.run(self.copy());
        } else {
            self.stolen.run(*self.closure::kept);
        }
        finish_stolen(self);
    }
};

// Two results in the order of the branches.
template <class A, class B>
struct both {
    A first;
    B second;
};

template <class F, class G>
using fork_result =
    both<result_of<invoke_result<std::remove_reference_t<F>>>, result_of<invoke_result<std::remove_reference_t<G>>>>;

template <class F, class G>
fork_result<F, G> fork_values(F&& f, G&& g);

// A closure for a cold function: by value if that keeps the original in registers.
template <class F>
using handed_over = std::conditional_t<copied_closure<F>, std::remove_reference_t<F>, F&>;

// What a cold function calls of the program. A cold function is compiled for size, and so is what is compiled into it
// or called by it alone.
template <class F>
[[gnu::__noinline__, gnu::__hot__]] result_of<invoke_result<F>> call_apart(F& f) {
    return call_shown(f);
}
template <class F, class G>
[[gnu::__noinline__, gnu::__hot__]] fork_result<F, G> fork_inside(handed_over<F> f, handed_over<G> g) {
    return fork_values(static_cast<F&&>(f), static_cast<G&&>(g));
}

// The first fork of a thread that holds no slot.
template <class F, class G>
[[gnu::__noinline__, gnu::__cold__]] fork_result<F, G> fork_from_outside(handed_over<F> f, handed_over<G> g) {
    const region_guard region;
    return fork_inside<F, G>(f, g);
}

// Takes back what has just been pushed, because a group around was cancelled; throws skerry::cancelled.
template <class Pushed>
[[gnu::__noreturn__, gnu::__noinline__, gnu::__cold__]] void give_up(Pushed& pushed) {
    if (!withdraw(pushed)) {
        pushed.stolen.discard();
    }
    throw_cancelled();
}

// A fork that is cancelled, or found no memory for its task.
template <class F, class G>
[[gnu::__noinline__, gnu::__cold__]] fork_result<F, G> fork_in_place(handed_over<F> f, handed_over<G> g,
                                                                     branch<G>& other, attended how) {
    if (how == attended::cancelled) {
        give_up(other);
    }
    return {call_apart(f), call_apart(g)}; // braces: in this order
}

// A second closure for join_with(). One that is called from the task stays there: a thief that has it may change it.
struct in_task {};
template <class G>
using second_closure = std::conditional_t<called_from_task<G>, in_task, handed_over<G>>;

// A join whose pop was not certain, with the first branch's result. A function of its own: what a fork does most often
// has then nothing to keep for it.
template <class F, class G>
[[gnu::__noinline__, gnu::__cold__]] fork_result<F, G> join_with(result_of<invoke_result<std::remove_reference_t<F>>> a,
                                                                 worker_page& page, branch<G>& other,
                                                                 [[maybe_unused]] second_closure<G> g) {
    if (!settle_or_wait(page, other)) {
        return {a, other.stolen.take()};
    }
    if constexpr (called_from_task<G>) {
        return {a, call_apart(other.copy())};
    } else {
        return {a, call_apart(g)};
    }
}

// Calls the first branch, beside which `other` waits to be taken.
template <class F, class Other>
[[gnu::__always_inline__]] inline auto call_beside(F& f, Other& other) -> result_of<invoke_result<F>> {
    try {
        return call_shown(f);
    } catch (...) {
        if (!withdraw(other)) {
            other.stolen.discard();
        }
        throw;
    }
}

// Whether a result is one that registers carry.
template <class R>
inline constexpr bool plain_result = std::is_trivially_copyable_v<R> && std::is_trivially_default_constructible_v<R>;

// Whether fork_apart() gets the page from its caller. Clang then hands it on from fork to fork, and a recursion neither
// reads it again nor asks whether there is one. With GCC, or a result in memory, it is one more register to keep;
// without optimisation, one more frame.
#if defined(__clang__) && defined(__OPTIMIZE__)
template <class... F>
inline constexpr bool hands_page_on = (plain_result<result_of<invoke_result<std::remove_reference_t<F>>>> && ...);
#else
template <class...>
inline constexpr bool hands_page_on = false;
#endif

// The calling thread's page as a number: Clang does not put a pointer in the place of one that it knows to be equal.
[[gnu::__always_inline__]] inline std::uintptr_t page_number() noexcept {
    return __builtin_bit_cast(std::uintptr_t, current_page);
}

// Tells the compiler that it is `page`, as it is around each branch: a stack with frames never changes its thread, a
// branch leaves every team that it enters, and task::wait() stands in the branch of its task::spawn().
template <class... F>
[[gnu::__always_inline__]] inline void known_page(worker_page& page) noexcept {
    if constexpr (hands_page_on<F...>) {
        const auto number = reinterpret_cast<std::uintptr_t>(&page); // the older of the two values is what stays
        known(page_number(), number);
    } else {
        known(current_page, &page);
    }
}

// fork_values() where the calling thread's page is known. Written for what compilers make of it: the task is out of
// scope before g is called, unless g is called from it, so that a recursion through g can become a loop.
template <class F, class G>
[[gnu::__always_inline__]] inline fork_result<F, G> fork_on(worker_page& page, F&& f, G&& g) {
    using first_result = result_of<invoke_result<std::remove_reference_t<F>>>;
    using second_result = result_of<invoke_result<std::remove_reference_t<G>>>;

    if constexpr (plain_result<first_result>) {
        auto* const at = page.next(); // before the task is written: a compiler may know it from the turn before
        first_result a;
        {
            branch<G> other(g, page);
            if constexpr (!splits_leaves_off) {
                other.write_at_once();
            }
            if (__builtin_expect(page.push_at<loops_in_its_frame<F, G>>(at, address_here<task_header>(other)), 0)) {
                if (const attended how = attend_keeping_registers(page); how != attended::pushed) {
                    return fork_in_place<F, G>(f, g, other, how);
                }
            }
            if constexpr (hands_page_on<F, G>) { // f, too, will fork on it
                known_page<F, G>(page);
            }
            const auto first = [&other](handed_over<F> h) { return call_beside(h, other); };
            a = first(f);
            const bool certain = page.pop_at(at);
            if constexpr (called_from_task<G>) {
                if (__builtin_expect(!certain, 0)) {
                    return join_with<F, G>(a, page, other, in_task());
                }
                return {a, call_shown(other.copy())};
            } else if (__builtin_expect(!certain, 0)) {
                return join_with<F, G>(a, page, other, g);
            }
        }
        known_page<F, G>(page);
        return {a, call_shown(g)};
    } else {
        branch<G> other(g, page);
        other.write_at_once();
        auto* const at = page.next();
        if (__builtin_expect(page.push_at(at, address_here<task_header>(other)), 0)) {
            if (const attended how = attend_keeping_registers(page); how != attended::pushed) {
                return fork_in_place<F, G>(f, g, other, how);
            }
        }
        const auto first = [&]() -> first_result { return call_beside(f, other); };
        first_result a = first();
        if (__builtin_expect(!page.pop_at(at), 0)) {
            if (!settle_or_wait(page, other)) {
                second_result b = other.stolen.take(); // before the first, whose move may throw
                return {static_cast<first_result&&>(a), static_cast<second_result&&>(b)};
            }
        }
        if constexpr (called_from_task<G>) {
            return {static_cast<first_result&&>(a), call_shown(other.copy())};
        } else {
            return {static_cast<first_result&&>(a), call_shown(g)};
        }
    }
}

// Runs f and g, possibly at the same time, and returns both results when both are done. If f throws, g is skipped or,
// when stolen, waited for; the leftmost exception is rethrown. What a cancelled group has not begun is skipped, and
// skerry::cancelled is thrown. Thread safety: any thread. Beyond f and g: about 20
// instructions if nothing is stolen.
template <class F, class G>
[[gnu::__always_inline__]] inline fork_result<F, G> fork_values(F&& f, G&& g) {
    // GCC expects an early return before the fork to be rare and then does not split it off the function. In divide and
    // conquer every other call is a leaf.
    [[unlikely]];
    worker_page* const page = current_page;
    if (__builtin_expect(page == nullptr, 0)) {
        return fork_from_outside<F, G>(f, g);
    }
    return fork_on(*page, static_cast<F&&>(f), static_cast<G&&>(g));
}

// Whether a fork is cheaper in a function of its own (fork_apart). In place, the function that forks saves the fork's
// registers before it knows that it will not, unless the compiler splits off the part that does not fork, which it does
// where closures and results are in registers.
template <class... F>
inline constexpr bool cheaper_apart =
    !(loops_in_its_frame<F...> && (plain_result<result_of<invoke_result<std::remove_reference_t<F>>>> && ...));

// A closure for fork_apart(): by value if the compiler leaves it in registers then, as Clang does with two words and
// GCC with one. A larger one lies in memory, word by word as it was made, and a copy of it by vectors, as Clang makes
// it, waits for those stores: a fork took three times as long (design note 0027).
template <class F>
using passed_on = std::conditional_t<is_copied<F>(splits_leaves_off ? 1 : 2), handed_over<F>, F&>;

// fork_values() and fork_on() in a function of their own. Whoever calls it and does not fork this time has nothing to
// save. F and G are what passed_on says: compilers that pass closures differently must give this function different
// names. Where the linker puts it makes a twentieth of a fork, so it starts a line.
template <class F, class G>
[[gnu::__noinline__, gnu::__aligned__(64)]] fork_result<F, G> fork_apart(F f, G g) {
    return fork_values(static_cast<F&&>(f), static_cast<G&&>(g));
}
template <class F, class G>
[[gnu::__noinline__, gnu::__aligned__(64)]] fork_result<F, G> fork_apart_on(F f, G g, worker_page& page) {
    return fork_on(page, static_cast<F&&>(f), static_cast<G&&>(g));
}
// The test for a page, too, is here and not with who forks, who may then be small enough to go into the branches.
template <class F, class G>
[[gnu::__noinline__]] fork_result<F, G> fork_apart_or_outside(F f, G g, worker_page* page) {
    if (__builtin_expect(page == nullptr, 0)) {
        return fork_from_outside<F, G>(f, g);
    }
    return fork_apart_on<F, G>(f, g, *page);
}

// A closure of one or two words. What pads it comes along where it is passed on; nothing else looks at it.
template <class F>
consteval bool made_of_words() {
    if constexpr (!padding_is_watched && is_copied<F>(2)) {
        return sizeof(F) % sizeof(std::uintptr_t) == 0;
    } else {
        return false;
    }
}
template <class F>
struct words {
    std::uintptr_t word[sizeof(F) / sizeof(std::uintptr_t)];
    [[nodiscard]] constexpr std::uintptr_t last() const noexcept { return word[sizeof(words) / sizeof(word[0]) - 1]; }
};
template <class F>
[[gnu::__always_inline__]] inline F closure_of(std::uintptr_t first, [[maybe_unused]] std::uintptr_t last) noexcept {
    if constexpr (sizeof(F) == sizeof(first)) {
        return __builtin_bit_cast(F, first);
    } else {
        return __builtin_bit_cast(F, words<F>{{first, last}});
    }
}

// fork_apart() for such closures, of which one or both have two words.
#if defined(__clang__) && defined(__x86_64__)
// The first one as a vector. That takes more instructions than integers and less time (design note 0027).
template <class F, class G>
[[gnu::__noinline__, gnu::__aligned__(64)]] fork_result<F, G> fork_apart_in_words(two_words f, std::uintptr_t g_first,
                                                                                  std::uintptr_t g_last) {
    return fork_values(closure_of<F>(f[0], f[1]), closure_of<G>(g_first, g_last));
}
template <class F, class G>
[[gnu::__always_inline__]] inline fork_result<F, G> fork_in_words(const F& f, const G& g) {
    const auto a = __builtin_bit_cast(words<F>, f);
    const auto b = __builtin_bit_cast(words<G>, g);
    return fork_apart_in_words<F, G>(two_words{a.word[0], a.last()}, b.word[0], b.last());
}
#else
// As integers, which GCC leaves in registers where it stores a closure to load it.
template <class F, class G>
[[gnu::__noinline__, gnu::__aligned__(64)]] fork_result<F, G> fork_apart_in_words(std::uintptr_t f_first,
                                                                                  std::uintptr_t f_last,
                                                                                  std::uintptr_t g_first,
                                                                                  std::uintptr_t g_last) {
    return fork_values(closure_of<F>(f_first, f_last), closure_of<G>(g_first, g_last));
}
template <class F, class G>
[[gnu::__always_inline__]] inline fork_result<F, G> fork_in_words(const F& f, const G& g) {
    const auto a = __builtin_bit_cast(words<F>, f);
    const auto b = __builtin_bit_cast(words<G>, g);
    return fork_apart_in_words<F, G>(a.word[0], a.last(), b.word[0], b.last());
}
#endif

// A fork of two branches, in place or in a function of its own.
template <class F, class G>
[[gnu::__always_inline__]] inline fork_result<F, G> fork_at_best(F&& f, G&& g) {
    if constexpr (!cheaper_apart<F, G>) {
        return fork_values(static_cast<F&&>(f), static_cast<G&&>(g));
    } else if constexpr (made_of_words<F>() && made_of_words<G>() && !(is_copied<F>(1) && is_copied<G>(1))) {
        return fork_in_words<F, G>(f, g);
    } else if constexpr (hands_page_on<F, G>) {
        const std::uintptr_t page = page_number();
        if (__builtin_constant_p(page != 0) && page != 0) { // in a branch of another one
            return fork_apart_on<passed_on<F>, passed_on<G>>(f, g, *reinterpret_cast<worker_page*>(page));
        }
        return fork_apart_or_outside<passed_on<F>, passed_on<G>>(f, g, reinterpret_cast<worker_page*>(page));
    } else {
        return fork_apart<passed_on<F>, passed_on<G>>(f, g);
    }
}

// As above, for branches whose results nobody wants.
template <class F, class G>
[[gnu::__always_inline__]] inline void fork_both(F&& f, G&& g) {
    static_cast<void>(fork_values(static_cast<F&&>(f), static_cast<G&&>(g)));
}

// Whether a thief has asked the calling worker for work since its last push. One relaxed load.
inline bool demand() noexcept {
    const worker_page* const page = current_page;
    return page != nullptr && page->rung();
}

// Workers of the runtime that the calling thread's next fork would use.
SKERRY_EXPORT unsigned concurrency() noexcept;

// Whether the running task was asked to stop.
inline bool stop_requested() noexcept {
    const worker_page* const page = current_page;
    return page != nullptr && page->ctx != nullptr && page->ctx->stopping();
}

} // namespace skerry::inline SKERRY_ABI::detail
