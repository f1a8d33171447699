// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stable radix sort of plain elements by an unsigned key. One pass by the most significant digit, by all workers at
// once, cuts the sequence into buckets that fit a core's cache; there each bucket is sorted by its remaining digits
// from the least significant one. Digits begin at the highest bit in which any two keys differ, and a digit that is the
// same in all keys of a bucket costs no pass. Design note 0025 has what a pass costs, and the widths that follow.
//
// Keys are asked for anew in each pass. One that is not steady (KeyOf::steady) may be another then, and the places that
// follow from counting are too few: passes look for that, and what they find so stays as it was, in no order.

#include <skerry/detail/base/cache_line.hpp>
#include <skerry/detail/frontend/algorithm/pieces.hpp>
#include <skerry/detail/frontend/algorithm/scratch.hpp>
#include <skerry/detail/frontend/algorithm/sort_small.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr unsigned digit_bits = 8;
inline constexpr std::uint64_t digit_values = std::uint64_t{1} << digit_bits;
// Sequences of this size and above are cut by wider digits, so that their buckets are small, too.
inline constexpr std::uint64_t wide_round_bytes = std::uint64_t{1} << 24;
inline constexpr unsigned wide_round_bits = 10;
// Below this, counting costs more than comparing keys.
inline constexpr std::uint64_t radix_small_limit = 512;
// A bucket up to this size, with keys of up to four digits, is sorted from its least significant digit.
inline constexpr std::uint64_t cached_bucket_bytes = std::uint64_t{1} << 19;
inline constexpr unsigned most_cached_digits = 4;
// One below this size, about that of the nearest cache, has a line there for each value of a digit this wide. It has at
// least that many elements, or the counts would cost more than the pass that they save; and fewer than 16 bits can
// count.
inline constexpr std::uint64_t near_bucket_bytes = std::uint64_t{1} << 16;
inline constexpr unsigned near_digit_bits = 11;
inline constexpr std::uint64_t near_bucket_least = std::uint64_t{2} << near_digit_bits;
inline constexpr std::uint64_t parallel_radix_limit = std::uint64_t{1} << 16;

template <class Executor, bool Stable, class T, class KeyOf>
class radix_sorter {
  public:
    explicit radix_sorter(const KeyOf& key_of) : key_of_{key_of} {}

    // Sorts n >= 1 elements. False, and nothing done, if there was no memory.
    bool sort(T* from, std::uint64_t n) {
        const scratch<T, typename Executor::memory> other{n};
        if (!other) return false;
        if (n * sizeof(T) > cached_bucket_bytes) {
            sort_by_digit(from, other.data(), n, static_cast<unsigned>(sizeof(key_of_(*from))) * 8, false);
            return true;
        }
        if (!in_order(from, 0, n))
            sort_bits(from, other.data(), n, differing_bits(from, 0, n, [](auto, auto) {}), false);
        return true;
    }

  private:
    std::size_t digit(const T& x, unsigned shift, std::size_t mask) const {
        return static_cast<std::size_t>(key_of_(x) >> shift) & mask;
    }

    // Loops over keys are short, and run block by block where several do: in one loop they take three times as long.
    static constexpr std::uint64_t block = 4096 / sizeof(T);
    static std::uint64_t end_of_block(std::uint64_t i, std::uint64_t end) { return end - i < block ? end : i + block; }

    // Whether [begin, end) of from is in order, also behind the element before it. Mostly the first block says no.
    bool in_order(const T* from, std::uint64_t begin, std::uint64_t end) const {
        for (std::uint64_t i = begin == 0 ? 1 : begin; i < end;) {
            bool falls = false;
            for (const std::uint64_t last = end_of_block(i, end); i < last; ++i)
                falls |= key_of_(from[i]) < key_of_(from[i - 1]);
            if (falls) return false;
        }
        return true;
    }

    // An address to fetch, in the array or not.
    static const void* behind(const T* place, std::uint64_t bytes) {
        return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(place) + bytes);
    }

    // Calls each(first, last) for a line's worth of [begin, end) at a time, and fetches the line a block ahead of it.
    // Loops that count have few elements on their way at a time: they would wait for their own lines, and meanwhile can
    // fetch those of the loop over the next block.
    template <class Each>
    static void by_lines(const T* begin, const T* end, const Each& each) {
        constexpr std::ptrdiff_t line = cache_line / sizeof(T);
        static_assert(line >= 1); // sizes of plain elements end there
        while (begin != end) {
            const T* const last = end - begin < line ? end : begin + line;
            __builtin_prefetch(behind(begin, block * sizeof(T)));
            each(begin, last);
            begin = last;
        }
    }

    // How many of the lowest bits are those in which some key of [begin, end) differs from the first of all. Calls
    // each(first, last) for each line, once its block's bits are looked at, whose loop waits for no store.
    template <class Each>
    unsigned differing_bits(const T* from, std::uint64_t begin, std::uint64_t end, const Each& each) const {
        const auto first = key_of_(from[0]);
        auto differing = static_cast<std::remove_const_t<decltype(first)>>(0);
        for (std::uint64_t i = begin; i < end;) {
            const std::uint64_t last = end_of_block(i, end);
            for (std::uint64_t k = i; k < last; ++k)
                differing = static_cast<decltype(differing)>(differing | (key_of_(from[k]) ^ first));
            by_lines(from + i, from + last, each);
            i = last;
        }
        return static_cast<unsigned>(std::bit_width(differing));
    }

    // Counts of one digit, chunk by chunk, and the places that follow from them.
    class radix_round {
      public:
        // By the highest digit of the lowest `bits` bits.
        radix_round(const radix_sorter& sorter, std::uint64_t n, unsigned bits)
            : sorter_{sorter},
              memory_{memory_for(n)},
              chunks_{n, (n - 1) / (memory_ ? wanted_chunks(n) : 1) + 1},
              width_{(std::min)(bits, memory_ ? wanted_width(n) : digit_bits)},
              shift_{bits - width_},
              counts_{memory_ ? memory_.data() : alone_},
              ends_{memory_ ? counts_ + (chunks_.number() << width_) : alone_ + digit_values} {}
        radix_round(const radix_round&) = delete;
        radix_round& operator=(const radix_round&) = delete;

        [[nodiscard]] std::uint64_t values() const { return std::uint64_t{1} << width_; }
        [[nodiscard]] unsigned shift() const { return shift_; }

        [[nodiscard]] bool in_order(const T* from) const {
            return most_of(
                       [=, this](std::uint64_t chunk) {
                           return sorter_.in_order(from, chunks_.first(chunk), chunks_.last(chunk)) ? 0U : 1U;
                       },
                       0, chunks_.number()) == 0;
        }
        // Of all keys; and counts.
        [[nodiscard]] unsigned differing_bits(const T* from) const {
            return most_of([=, this](std::uint64_t chunk) { return count_chunk(from, chunk); }, 0, chunks_.number());
        }

        // Copies the elements to `to`, in the order of their digits. False if there are other digits than were counted:
        // then not all have come there.
        [[nodiscard]] bool scatter(const T* from, T* to) const {
            const std::uint64_t chunks = chunks_.number();
            std::uint64_t sum = 0;
            for (std::uint64_t d = 0; d < values(); ++d) {
                for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
                    std::uint64_t& count = counts(chunk)[d];
                    count = std::exchange(sum, sum + count);
                    if constexpr (!KeyOf::steady) ends(chunk)[d] = sum;
                }
            }
            const auto scatter_chunk = [this, from, to](std::uint64_t chunk) {
                std::uint64_t* const next = counts(chunk);
                [[maybe_unused]] const std::uint64_t* const end_of = KeyOf::steady ? nullptr : ends(chunk);
                const unsigned shift = shift_;
                const std::size_t mask = values() - 1;
                for (std::uint64_t i = chunks_.first(chunk), end = chunks_.last(chunk); i < end; ++i) {
                    const T element = from[i];
                    const std::size_t d = sorter_.digit(element, shift, mask);
                    if constexpr (!KeyOf::steady) {
                        if (next[d] == end_of[d]) [[unlikely]]
                            return;
                    }
                    T* const place = to + next[d]++;
                    // What lies behind will be written soon, but stores wait in line for a line to come.
                    __builtin_prefetch(behind(place, cache_line), 1);
                    *place = element;
                }
            };
            Executor::run_leaves(scatter_chunk, 0, chunks);
            return KeyOf::steady || std::equal(counts(0), counts(chunks), ends(0));
        }

        // Where digit d ends, once all elements are scattered: there the last chunk has arrived.
        [[nodiscard]] std::uint64_t end(std::uint64_t d) const { return counts(chunks_.number() - 1)[d]; }
        [[nodiscard]] std::uint64_t begin(std::uint64_t d) const { return d == 0 ? 0 : end(d - 1); }

      private:
        static constexpr std::uint64_t tables = KeyOf::steady ? 1 : 2;

        static std::uint64_t wanted_chunks(std::uint64_t n) {
            if (!Executor::parallel || n < parallel_radix_limit) return 1;
            return 4 * std::uint64_t{Executor::concurrency()};
        }
        static unsigned wanted_width(std::uint64_t n) {
            return n * sizeof(T) < wide_round_bytes ? digit_bits : wide_round_bits;
        }
        static std::uint64_t memory_for(std::uint64_t n) {
            const std::uint64_t wanted = wanted_chunks(n) << wanted_width(n);
            return wanted > digit_values ? tables * wanted : 0;
        }
        [[nodiscard]] std::uint64_t* counts(std::uint64_t chunk) const { return counts_ + (chunk << width_); }
        // Where the places of a chunk's digits end; unused if keys are steady.
        [[nodiscard]] std::uint64_t* ends(std::uint64_t chunk) const { return ends_ + (chunk << width_); }

        // The largest of look(chunk).
        template <class Look>
        [[nodiscard]] static unsigned most_of(const Look& look, std::uint64_t first, std::uint64_t last) {
            if (last - first == 1) return look(first);
            const std::uint64_t middle = first + (last - first) / 2;
            const auto [left, right] =
                Executor::fork_values([&look, first, middle] { return most_of(look, first, middle); },
                                      [&look, middle, last] { return most_of(look, middle, last); });
            return (std::max)(left, right);
        }
        [[nodiscard]] unsigned count_chunk(const T* from, std::uint64_t chunk) const {
            std::uint64_t* const counted = counts(chunk);
            const unsigned shift = shift_;
            const std::size_t mask = values() - 1;
            std::fill_n(counted, values(), 0);
            const auto count = [&](const T* at, const T* end) {
                for (; at != end; ++at) ++counted[sorter_.digit(*at, shift, mask)];
            };
            return sorter_.differing_bits(from, chunks_.first(chunk), chunks_.last(chunk), count);
        }

        const radix_sorter& sorter_;
        const scratch<std::uint64_t, typename Executor::memory> memory_;
        const leaves chunks_;
        const unsigned width_;
        const unsigned shift_;
        std::uint64_t* const counts_;
        std::uint64_t* const ends_;
        // For one chunk, if it needs no more or there is no memory for more.
        std::uint64_t alone_[tables * digit_values];
    };

    static void copy(const T* from, T* to, std::uint64_t n) {
        const leaves cuts = n < parallel_radix_limit ? leaves{n, n} : cut<Executor>(n, grain::automatic());
        const auto copy_leaf = [=](std::uint64_t k) {
            copy_plain(from + cuts.first(k), from + cuts.last(k), to + cuts.first(k));
        };
        try {
            Executor::run_leaves(copy_leaf, 0, cuts.number());
        } catch (...) { // it was called off
            copy_plain(from, from + n, to);
            throw;
        }
    }

    // Sorts by the lowest `bits` bits of the keys; all bits above are the same. The result is in `other` if move. If a
    // key cannot be had (a projection throws), all elements are where the result would be, as in the sample sort.
    void sort_bits(T* from, T* other, std::uint64_t n, unsigned bits, bool move) {
        const unsigned digits = (bits + digit_bits - 1) / digit_bits;
        if (n == 0) return;
        if (bits == 0) {
            if (move) copy(from, other, n);
        } else if (n <= radix_small_limit) {
            const auto less = [this](const T& x, const T& y) { return key_of_(x) < key_of_(y); };
            sort_small<Stable>(from, other, n, move, less);
        } else if (n * sizeof(T) <= cached_bucket_bytes && digits <= most_cached_digits) {
            const bool in_reach = n * sizeof(T) < near_bucket_bytes && n >= near_bucket_least;
            if (in_reach && digits == 3 && bits <= 2 * near_digit_bits)
                return sort_cached<2, near_digit_bits, std::uint16_t>(from, other, n, move);
            switch (digits) {
            case 1: sort_cached<1>(from, other, n, move); break;
            case 2: sort_cached<2>(from, other, n, move); break;
            case 3: sort_cached<3>(from, other, n, move); break;
            default: sort_cached<4>(from, other, n, move); break;
            }
        } else {
            sort_by_digit(from, other, n, bits, move);
        }
    }

    // The highest digit of the lowest `bits` bits, and then each bucket by the bits below.
    void sort_by_digit(T* from, T* other, std::uint64_t n, unsigned bits, bool move) {
        const radix_round by{*this, n, bits};
        bool sorted = false;
        unsigned differing = 0;
        try {
            sorted = by.in_order(from);
            if (!sorted) differing = by.differing_bits(from);
        } catch (...) {
            if (move) copy_plain(from, from + n, other);
            throw;
        }
        if (sorted) {
            if (move) copy(from, other, n);
        } else if (differing + 2 < bits) {
            sort_bits(from, other, n, differing, move);
        } else {
            sort_buckets(by, from, other, n, move);
        }
    }

    void sort_buckets(const radix_round& by, T* from, T* other, std::uint64_t n, bool move) {
        bool begun[std::size_t{1} << wide_round_bits] = {};
        bool scattered = false;
        try {
            if (!by.scatter(from, other)) {
                if (move) copy(from, other, n);
                return;
            }
            scattered = true;
            const auto sort_one = [&](std::uint64_t d) {
                check_stop<Executor>();
                begun[d] = true;
                const std::uint64_t begin = by.begin(d);
                sort_bits(other + begin, from + begin, by.end(d) - begin, by.shift(), !move);
            };
            if (n >= parallel_radix_limit) {
                Executor::run_leaves(sort_one, 0, by.values());
            } else {
                for (std::uint64_t d = 0; d < by.values(); ++d) sort_one(d);
            }
        } catch (...) {
            if (!scattered && move) copy_plain(from, from + n, other);
            for (std::uint64_t d = 0; scattered && !move && d < by.values(); ++d)
                if (!begun[d]) copy_plain(other + by.begin(d), other + by.end(d), from + by.begin(d));
            throw;
        }
    }

    template <unsigned Digits, unsigned Bits = digit_bits, class Count = std::uint32_t>
    void sort_cached(T* from, T* other, std::uint64_t n, bool move) {
        T* const result = move ? other : from;
        T* in = from; // holds all elements, whatever throws
        try {
            constexpr std::size_t values = std::size_t{1} << Bits;
            Count counts[Digits][values] = {};
            count_digits(from, other, n, counts);
            for (unsigned d = 0; d < Digits; ++d) {
                const unsigned shift = d * Bits;
                Count* const next = counts[d];
                if (next[digit(in[0], shift, values - 1)] == n) continue;
                Count sum = 0;
                [[maybe_unused]] Count ends[KeyOf::steady ? 1 : values];
                for (std::size_t v = 0; v < values; ++v) {
                    next[v] = std::exchange(sum, static_cast<Count>(sum + next[v]));
                    if constexpr (!KeyOf::steady) ends[v] = sum;
                }
                T* const out = in == from ? other : from;
                std::uint64_t i = 0;
                for (; i < n; ++i) {
                    const T element = in[i];
                    const Count place = next[digit(element, shift, values - 1)]++;
                    if constexpr (!KeyOf::steady) {
                        if (place >= n) [[unlikely]]
                            break;
                    }
                    out[place] = element;
                }
                if constexpr (!KeyOf::steady) {
                    if (i != n || !std::equal(next, next + values, ends)) break;
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
    template <unsigned Digits, std::size_t Values, class Count>
    void count_digits(const T* from, const T* other, std::uint64_t n, Count (&counts)[Digits][Values]) {
        // The bucket's place in `other` is cold: fetched in order here, it does not hold up scattered writes later.
        constexpr unsigned bits = std::bit_width(Values - 1);
        by_lines(from, from + n, [&](const T* at, const T* end) {
            __builtin_prefetch(other + (at - from), 1);
            for (; at != end; ++at) {
                const std::uint64_t key = key_of_(*at);
                for (unsigned d = 0; d < Digits; ++d) ++counts[d][(key >> (d * bits)) & (Values - 1)];
            }
        });
    }

    const KeyOf& key_of_;
};

} // namespace skerry::inline SKERRY_ABI::detail
