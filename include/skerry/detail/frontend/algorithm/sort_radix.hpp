// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stable radix sort of plain elements by an unsigned key. One pass by the most significant digit, by all workers at
// once, cuts the sequence into buckets that fit a core's cache; there each bucket is sorted by its remaining digits
// from the least significant one. Digits begin at the highest bit in which any two keys differ, and a digit that is the
// same in all keys of a bucket costs no pass.

#include <skerry/detail/frontend/algorithm/pieces.hpp>
#include <skerry/detail/frontend/algorithm/scratch.hpp>
#include <skerry/detail/frontend/algorithm/sort_small.hpp>

#include <bit>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr unsigned digit_bits = 8;
inline constexpr std::uint64_t digit_values = std::uint64_t{1} << digit_bits;
// Below this, counting costs more than comparing keys.
inline constexpr std::uint64_t radix_small_limit = 512;
// A bucket up to this size, with keys of up to four digits, is sorted from its least significant digit.
inline constexpr std::uint64_t cached_bucket_bytes = std::uint64_t{1} << 19;
inline constexpr unsigned most_cached_digits = 4;
inline constexpr std::uint64_t parallel_radix_limit = std::uint64_t{1} << 16;

// What a look at all keys tells.
struct key_survey {
    std::uint64_t differing = 0; // bits in which some key differs from the first
    bool sorted = true;
};

template <class Executor, bool Stable, class T, class KeyOf>
class radix_sorter {
  public:
    explicit radix_sorter(const KeyOf& key_of) : key_of_{key_of} {}

    // Sorts n >= 1 elements. False, and nothing done, if there was no memory.
    bool sort(T* from, std::uint64_t n) {
        const scratch<T> other{n, Executor::huge_pages};
        if (!other) return false;
        constexpr unsigned key_bits = static_cast<unsigned>(sizeof(key_of_(*from))) * 8;
        if (n * sizeof(T) <= cached_bucket_bytes) {
            const key_survey found = survey(from, 0, n, [](const T&) {});
            if (!found.sorted) sort_bits(from, other.data(), n, bit_width(found), false);
            return true;
        }
        // The survey counts the topmost digit on its way: mostly that is the one to begin with.
        const first_round round{*this, n};
        const key_survey found = round.survey(from, key_bits - digit_bits);
        const unsigned bits = bit_width(found);
        if (found.sorted) return true;
        if (bits + 2 < key_bits) {
            sort_bits(from, other.data(), n, bits, false);
        } else {
            sort_by_digit(round, from, other.data(), n, key_bits - digit_bits, false, true);
        }
        return true;
    }

  private:
    static unsigned bit_width(const key_survey& found) {
        return static_cast<unsigned>(std::bit_width(found.differing));
    }

    std::size_t digit(const T& x, unsigned shift) const {
        return static_cast<std::size_t>(key_of_(x) >> shift) & (digit_values - 1);
    }

    // Looks at [begin, end) of from, and at the element before it; calls each(x) on the way.
    template <class Each>
    key_survey survey(const T* from, std::uint64_t begin, std::uint64_t end, const Each& each) const {
        key_survey s;
        const auto first = key_of_(from[0]);
        auto previous = key_of_(from[begin == 0 ? 0 : begin - 1]);
        auto differing = static_cast<decltype(previous)>(0);
        for (std::uint64_t i = begin; i < end; ++i) {
            const auto key = key_of_(from[i]);
            differing = static_cast<decltype(previous)>(differing | (key ^ first));
            s.sorted &= previous <= key;
            previous = key;
            each(from[i]);
        }
        s.differing = differing;
        return s;
    }

    // Counts of one digit, chunk by chunk, and the places that follow from them.
    class first_round {
      public:
        first_round(const radix_sorter& sorter, std::uint64_t n)
            : sorter_{sorter},
              memory_{wanted(n)},
              chunks_{n, (n - 1) / (memory_ ? wanted(n) : 1) + 1},
              tables_{memory_ ? memory_.data() : &alone_} {}
        first_round(const first_round&) = delete;
        first_round& operator=(const first_round&) = delete;

        [[nodiscard]] std::uint64_t chunks() const { return chunks_.number(); }

        void count(const T* from, unsigned shift) const {
            const auto count_chunk = [&](std::uint64_t chunk) {
                table& t = cleared(chunk);
                for (std::uint64_t i = chunks_.first(chunk), end = chunks_.last(chunk); i < end; ++i)
                    ++t.counts[sorter_.digit(from[i], shift)];
            };
            fork_leaves<Executor>(count_chunk, 0, chunks());
        }

        [[nodiscard]] key_survey survey(const T* from, unsigned shift) const {
            const auto look = [&](std::uint64_t chunk) {
                table& t = cleared(chunk);
                t.found = sorter_.survey(from, chunks_.first(chunk), chunks_.last(chunk),
                                         [&](const T& x) { ++t.counts[sorter_.digit(x, shift)]; });
            };
            fork_leaves<Executor>(look, 0, chunks());
            key_survey all;
            for (std::uint64_t chunk = 0; chunk < chunks(); ++chunk) {
                all.differing |= tables_[chunk].found.differing;
                all.sorted &= tables_[chunk].found.sorted;
            }
            return all;
        }

        // Moves the elements to `to`, in the order of their digits; ends[d] is where digit d ends.
        void scatter(const T* from, T* to, unsigned shift, std::uint64_t* ends) const {
            std::uint64_t sum = 0;
            for (std::uint64_t d = 0; d < digit_values; ++d) {
                for (std::uint64_t chunk = 0; chunk < chunks(); ++chunk) {
                    std::uint64_t& count = tables_[chunk].counts[d];
                    count = std::exchange(sum, sum + count);
                }
                ends[d] = sum;
            }
            const auto scatter_chunk = [&](std::uint64_t chunk) {
                std::uint64_t* const next = tables_[chunk].counts;
                for (std::uint64_t i = chunks_.first(chunk), end = chunks_.last(chunk); i < end; ++i) {
                    const T element = from[i];
                    to[next[sorter_.digit(element, shift)]++] = element;
                }
            };
            fork_leaves<Executor>(scatter_chunk, 0, chunks());
        }

      private:
        struct table {
            std::uint64_t counts[digit_values];
            key_survey found;
        };

        static std::uint64_t wanted(std::uint64_t n) {
            if (!Executor::parallel || n < parallel_radix_limit) return 1;
            return 4 * std::uint64_t{Executor::concurrency()};
        }
        table& cleared(std::uint64_t chunk) const {
            for (std::uint64_t& count : tables_[chunk].counts) count = 0;
            return tables_[chunk];
        }

        const radix_sorter& sorter_;
        const scratch<table> memory_;
        table alone_; // for one chunk, if there is no memory for more
        const leaves chunks_;
        table* const tables_;
    };

    // Sorts by the lowest `bits` bits of the keys; all bits above are the same. The result is in `other` if move. If a
    // key cannot be had (a projection throws), all elements are where the result would be, as in the sample sort.
    void sort_bits(T* from, T* other, std::uint64_t n, unsigned bits, bool move) {
        if (n <= radix_small_limit || bits == 0) {
            const auto less = [this](const T& x, const T& y) { return key_of_(x) < key_of_(y); };
            sort_small<Stable>(from, other, n, move, less);
        } else if (n * sizeof(T) <= cached_bucket_bytes && bits <= most_cached_digits * digit_bits) {
            switch ((bits - 1) / digit_bits) {
            case 0: sort_cached<1>(from, other, n, move); break;
            case 1: sort_cached<2>(from, other, n, move); break;
            case 2: sort_cached<3>(from, other, n, move); break;
            default: sort_cached<4>(from, other, n, move); break;
            }
        } else {
            const unsigned shift = bits > digit_bits ? bits - digit_bits : 0;
            sort_by_digit(first_round{*this, n}, from, other, n, shift, move, false);
        }
    }

    // The digit at `shift`, which may have been counted before, and then each bucket by the bits below.
    void sort_by_digit(const first_round& round, T* from, T* other, std::uint64_t n, unsigned shift, bool move,
                       bool counted) {
        std::uint64_t ends[digit_values];
        bool begun[digit_values] = {};
        bool scattered = false;
        try {
            if (!counted) round.count(from, shift);
            round.scatter(from, other, shift, ends);
            scattered = true;
            const auto sort_one = [&](std::uint64_t d) {
                begun[d] = true;
                const std::uint64_t begin = d == 0 ? 0 : ends[d - 1];
                sort_bits(other + begin, from + begin, ends[d] - begin, shift, !move);
            };
            if (n >= parallel_radix_limit) {
                fork_leaves<Executor>(sort_one, 0, digit_values);
            } else {
                for (std::uint64_t d = 0; d < digit_values; ++d) sort_one(d);
            }
        } catch (...) {
            if (!scattered && move) copy_plain(from, from + n, other);
            for (std::uint64_t d = 0; scattered && !move && d < digit_values; ++d) {
                const std::uint64_t begin = d == 0 ? 0 : ends[d - 1];
                if (!begun[d]) copy_plain(other + begin, other + ends[d], from + begin);
            }
            throw;
        }
    }

    template <unsigned Digits>
    void sort_cached(T* from, T* other, std::uint64_t n, bool move) {
        T* const result = move ? other : from;
        T* in = from; // holds all elements, whatever throws
        try {
            std::uint32_t counts[Digits][digit_values] = {};
            count_digits(from, other, n, counts);
            for (unsigned d = 0; d < Digits; ++d) {
                const unsigned shift = d * digit_bits;
                std::uint32_t* const next = counts[d];
                if (next[digit(in[0], shift)] == n) continue;
                std::uint32_t sum = 0;
                for (std::uint64_t v = 0; v < digit_values; ++v) next[v] = std::exchange(sum, sum + next[v]);
                T* const out = in == from ? other : from;
                for (std::uint64_t i = 0; i < n; ++i) {
                    const T element = in[i];
                    out[next[digit(element, shift)]++] = element;
                }
                in = out;
            }
        } catch (...) {
            if (in != result) copy_plain(in, in + n, result);
            throw;
        }
        if (in != result) copy_plain(in, in + n, result);
    }

    // All digits of one bucket are counted in one pass, which is right because passes only permute.
    template <unsigned Digits>
    void count_digits(const T* from, const T* other, std::uint64_t n, std::uint32_t (&counts)[Digits][digit_values]) {
        // The bucket's place in `other` is cold: fetched in order here, it does not hold up scattered writes later.
        constexpr std::uint64_t line = 64 / sizeof(T);
        for (std::uint64_t i = 0; i < n;) {
            __builtin_prefetch(other + i, 1);
            for (const std::uint64_t end = n - i < line ? n : i + line; i < end; ++i) {
                const std::uint64_t key = key_of_(from[i]);
                for (unsigned d = 0; d < Digits; ++d) ++counts[d][(key >> (d * digit_bits)) & (digit_values - 1)];
            }
        }
    }

    const KeyOf& key_of_;
};

} // namespace skerry::inline SKERRY_ABI::detail
