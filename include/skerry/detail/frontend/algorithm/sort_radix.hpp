// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stable radix sort of plain elements by an unsigned key. One pass by the most significant digit, by all workers at
// once, cuts the sequence into buckets that fit a core's cache; there each bucket is sorted by its remaining digits
// from the least significant one. Digits begin at the highest bit in which any two keys differ, and a digit that is the
// same in all keys of a bucket costs no pass.

#include <skerry/detail/frontend/algorithm/fold.hpp>
#include <skerry/detail/frontend/algorithm/pieces.hpp>
#include <skerry/detail/frontend/algorithm/scratch.hpp>
#include <skerry/detail/frontend/algorithm/sort_small.hpp>

#include <bit>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr unsigned digit_bits = 8;
inline constexpr std::uint64_t digit_values = std::uint64_t{1} << digit_bits;
// Below this, counting costs more than it saves: insertion, which is stable too.
inline constexpr std::uint64_t radix_small_limit = 32;
// A bucket up to this size is sorted from its least significant digit.
inline constexpr std::uint64_t cached_bucket_bytes = std::uint64_t{1} << 18;
inline constexpr std::uint64_t parallel_radix_limit = std::uint64_t{1} << 16;

// What one look at all keys tells.
struct key_survey {
    std::uint64_t differing; // bits in which some key differs from the first
    bool sorted;
};

template <class Executor, class T, class KeyOf>
class radix_sorter {
  public:
    explicit radix_sorter(const KeyOf& key_of) : key_of_{key_of} {}

    // Sorts n >= 1 elements. False, and nothing done, if there was no memory.
    bool sort(T* from, std::uint64_t n) {
        const key_survey found = survey(from, n);
        if (found.sorted) return true;
        const scratch<T> other{n, Executor::huge_pages};
        if (!other) return false;
        sort_bits(from, other.data(), n, static_cast<unsigned>(std::bit_width(found.differing)), false);
        return true;
    }

  private:
    key_survey survey(const T* from, std::uint64_t n) const {
        const std::uint64_t first = key_of_(from[0]);
        const auto look = [&](std::uint64_t begin, std::uint64_t end) {
            key_survey s{0, true};
            std::uint64_t previous = key_of_(from[begin == 0 ? 0 : begin - 1]);
            for (std::uint64_t i = begin; i < end; ++i) {
                const std::uint64_t key = key_of_(from[i]);
                s.differing |= key ^ first;
                s.sorted &= previous <= key;
                previous = key;
            }
            return s;
        };
        auto join = [](key_survey a, key_survey b) {
            return key_survey{a.differing | b.differing, a.sorted && b.sorted};
        };
        const leaves cuts = n < parallel_radix_limit ? leaves{n, n} : cut<Executor>(n, grain::automatic());
        const auto leaf = [&](std::uint64_t k) { return look(cuts.first(k), cuts.last(k)); };
        return fold_leaves<Executor, key_survey>(join, leaf, 0, cuts.number());
    }

    // Sorts by the lowest `bits` bits of the keys; all bits above are the same. The result is in `other` if move.
    void sort_bits(T* from, T* other, std::uint64_t n, unsigned bits, bool move) {
        if (n <= radix_small_limit || bits == 0) {
            insert(from, n);
            if (move) copy_plain(from, from + n, other);
        } else if (n * sizeof(T) <= cached_bucket_bytes && bits <= 4 * digit_bits) {
            sort_cached(from, other, n, bits, move);
        } else {
            sort_by_first_digit(from, other, n, bits, move);
        }
    }

    void insert(T* first, std::uint64_t n) const {
        for (std::uint64_t i = 1; i < n; ++i) {
            const T element = first[i];
            const auto key = key_of_(element);
            std::uint64_t at = i;
            for (; at > 0 && key < key_of_(first[at - 1]); --at) first[at] = first[at - 1];
            first[at] = element;
        }
    }

    void sort_by_first_digit(T* from, T* other, std::uint64_t n, unsigned bits, bool move) {
        const unsigned shift = bits > digit_bits ? bits - digit_bits : 0;
        const auto digit = [this, shift](const T& x) {
            return static_cast<std::size_t>(key_of_(x) >> shift) & (digit_values - 1);
        };
        std::uint64_t wanted = 1;
        if constexpr (Executor::parallel) {
            if (n >= parallel_radix_limit) wanted = 4 * std::uint64_t{Executor::concurrency()};
        }
        const scratch<std::uint64_t[digit_values]> memory{wanted};
        std::uint64_t alone[1][digit_values];
        std::uint64_t(*const counts)[digit_values] = memory ? memory.data() : alone;
        if (!memory) wanted = 1;
        const leaves chunks{n, (n - 1) / wanted + 1};

        const auto count = [&](std::uint64_t chunk) {
            std::uint64_t* const c = counts[chunk];
            for (std::uint64_t d = 0; d < digit_values; ++d) c[d] = 0;
            for (std::uint64_t i = chunks.first(chunk), end = chunks.last(chunk); i < end; ++i) ++c[digit(from[i])];
        };
        fork_leaves<Executor>(count, 0, chunks.number());

        std::uint64_t ends[digit_values];
        std::uint64_t sum = 0;
        for (std::uint64_t d = 0; d < digit_values; ++d) {
            for (std::uint64_t chunk = 0; chunk < chunks.number(); ++chunk)
                counts[chunk][d] = std::exchange(sum, sum + counts[chunk][d]);
            ends[d] = sum;
        }
        const auto scatter = [&](std::uint64_t chunk) {
            std::uint64_t* const next = counts[chunk];
            for (std::uint64_t i = chunks.first(chunk), end = chunks.last(chunk); i < end; ++i) {
                const T element = from[i];
                other[next[digit(element)]++] = element;
            }
        };
        fork_leaves<Executor>(scatter, 0, chunks.number());

        const auto sort_one = [&](std::uint64_t d) {
            const std::uint64_t begin = d == 0 ? 0 : ends[d - 1];
            sort_bits(other + begin, from + begin, ends[d] - begin, shift, !move);
        };
        if (n >= parallel_radix_limit) {
            fork_leaves<Executor>(sort_one, 0, digit_values);
        } else {
            for (std::uint64_t d = 0; d < digit_values; ++d) sort_one(d);
        }
    }

    // All digits of one bucket are counted in one pass, which is right because passes only permute.
    void sort_cached(T* from, T* other, std::uint64_t n, unsigned bits, bool move) {
        const unsigned digits = (bits - 1) / digit_bits + 1;
        std::uint32_t counts[4][digit_values] = {};
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto key = key_of_(from[i]);
            for (unsigned d = 0; d < digits; ++d) ++counts[d][(key >> (d * digit_bits)) & (digit_values - 1)];
        }
        bool there = false; // the elements are in `other`
        for (unsigned d = 0; d < digits; ++d) {
            const unsigned shift = d * digit_bits;
            std::uint32_t* const next = counts[d];
            if (next[static_cast<std::size_t>(key_of_((there ? other : from)[0]) >> shift) & (digit_values - 1)] == n)
                continue;
            std::uint32_t sum = 0;
            for (std::uint64_t v = 0; v < digit_values; ++v) next[v] = std::exchange(sum, sum + next[v]);
            const T* const in = there ? other : from;
            T* const out = there ? from : other;
            for (std::uint64_t i = 0; i < n; ++i) {
                const T element = in[i];
                out[next[static_cast<std::size_t>(key_of_(element) >> shift) & (digit_values - 1)]++] = element;
            }
            there = !there;
        }
        if (there != move) {
            const T* const in = there ? other : from;
            copy_plain(in, in + n, there ? from : other);
        }
    }

    const KeyOf& key_of_;
};

} // namespace skerry::inline SKERRY_ABI::detail
