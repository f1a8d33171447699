// SPDX-License-Identifier: Apache-2.0
#pragma once

// copy_if in two passes: the first asks the predicate, once for each element, keeps the answers as bits and counts them
// per leaf; the second knows from the sums of the counts where each leaf writes.

#include <skerry/detail/frontend/algorithm/as_named.hpp>
#include <skerry/detail/frontend/algorithm/pieces.hpp>
#include <skerry/detail/frontend/algorithm/scratch.hpp>
#include <skerry/detail/frontend/algorithm/sequence.hpp>

#include <bit>

namespace skerry::inline SKERRY_ABI::detail {

template <class Executor, class It, class Out, class Predicate>
Out filter_serially(It first, std::uint64_t n, Out out, Predicate& predicate) {
    for (; n != 0; --n, static_cast<void>(++first)) {
        check_stop<Executor>();
        if (casting<decltype(*first)>(predicate)(*first)) {
            write(out, *first);
            ++out;
        }
    }
    return out;
}

// Leaves are whole words of bits, so no two leaves share a word.
inline constexpr std::uint64_t filter_word = 64;

inline leaves whole_words(leaves cuts) noexcept {
    const std::uint64_t words = (cuts.length - 1) / filter_word + 1;
    return {cuts.count, words * filter_word};
}

// The predicate's answers for `count` elements, at most a word of them, with a look before each where one takes long.
template <bool Slow, class Executor, class It, class Predicate>
std::uint64_t filter_answers(It it, std::uint64_t count, Predicate& predicate) {
    std::uint64_t word = 0;
    for (std::uint64_t b = 0; b < count; ++b, static_cast<void>(++it)) {
        if constexpr (Slow) {
            check_stop<Executor>();
        }
        word |= static_cast<std::uint64_t>(static_cast<bool>(casting<decltype(*it)>(predicate)(*it))) << b;
    }
    return word;
}

template <class Executor, class It, class Out, class Predicate>
Out filter_in_two_passes(const It& first, const Out& out, Predicate& predicate, leaves cuts, std::uint64_t* bits,
                         std::uint64_t* counts) {
    loop_pace loop;
    const auto ask = [&](std::uint64_t leaf) {
        std::uint64_t chosen = 0;
        const std::uint64_t end = cuts.last(leaf);
        leaf_pace pace(loop, cuts.length, 1, filter_word);
        for (std::uint64_t k = cuts.first(leaf); k < end;) {
            const std::uint64_t begin = k;
            const std::uint64_t words = pace.block() / filter_word;
            for (std::uint64_t w = 0; k < end && (w == 0 || w < words); ++w, k += filter_word) {
                const std::uint64_t here = end - k < filter_word ? end - k : filter_word;
                const std::uint64_t word = words == 0
                                               ? filter_answers<true, Executor>(advanced(first, k), here, predicate)
                                               : filter_answers<false, Executor>(advanced(first, k), here, predicate);
                bits[k / filter_word] = word;
                chosen += static_cast<std::uint64_t>(std::popcount(word));
            }
            pace.next(k - begin);
            check_stop<Executor>();
        }
        counts[leaf] = chosen;
    };
    Executor::run_leaves(ask, 0, cuts.number());

    std::uint64_t total = 0;
    for (std::uint64_t leaf = 0; leaf < cuts.number(); ++leaf) {
        const std::uint64_t here = counts[leaf];
        counts[leaf] = total;
        total += here;
    }

    const auto copy = [&](std::uint64_t leaf) {
        Out to = advanced(out, counts[leaf]);
        for (std::uint64_t k = cuts.first(leaf), end = cuts.last(leaf); k < end; k += filter_word) {
            for (std::uint64_t word = bits[k / filter_word]; word != 0; word &= word - 1) {
                write(to, element(first, k + static_cast<std::uint64_t>(std::countr_zero(word))));
                ++to;
            }
        }
    };
    Executor::run_leaves(copy, 0, cuts.number());
    return advanced(out, total);
}

template <class Executor>
struct parallel_copy_if_function {
    template <class It, class End, class Out, class Predicate>
        requires random_access_pair<It, End> && std::random_access_iterator<Out>
    Out operator()(It first, End last, Out out, Predicate predicate, grain g = grain::automatic()) const {
        static_assert(predicate_on<Predicate, It>,
                      "skerry: parallel_copy_if: the predicate must be callable with an element and give a bool");
        static_assert(std::indirectly_copyable<It, Out> || !writes_no_bits<Out>(),
                      "skerry: parallel_copy_if: the elements must be assignable to the output's elements");
        if constexpr (predicate_on<Predicate, It> && std::indirectly_copyable<It, Out> && writes_no_bits<Out>() &&
                      reads_bits<Predicate, It>()) {
            const std::uint64_t n = sequence_length(first, last);
            const call_of<Executor, Predicate> shown;
            if constexpr (Executor::parallel) {
                if (n > filter_word) {
                    const leaves cuts = whole_words(cut<Executor>(n, g));
                    if (cuts.number() > 1) {
                        const std::uint64_t words = (n - 1) / filter_word + 1;
                        // Without memory for the bits the serial pass still gives the answer.
                        const scratch<std::uint64_t, typename Executor::memory> memory{words + cuts.number()};
                        if (memory)
                            return filter_in_two_passes<as_named<Executor, Predicate>>(
                                first, out, predicate, cuts, memory.data(), memory.data() + words);
                    }
                }
            }
            return filter_serially<Executor>(std::move(first), n, std::move(out), predicate);
        } else {
            return out;
        }
    }
    template <random_access_sequence R, std::random_access_iterator Out, class Predicate>
    Out operator()(R&& range, Out out, Predicate predicate, grain g = grain::automatic()) const {
        return (*this)(range_first(range), range_last(range), std::move(out), std::move(predicate), g);
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
