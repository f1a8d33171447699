// SPDX-License-Identifier: Apache-2.0
#pragma once

// Comparison sort of plain elements: super scalar sample sort (Sanders and Winkel, ESA 2004). A sorted sample cuts the
// values into up to a thousand buckets; the bucket of an element is found by a walk down an implicit tree, without a
// branch, eight elements at a time. Two such rounds and sort_small at the end do what quicksort does in twenty rounds
// of partitioning. Equal values that turn up twice among the splitters get buckets of their own (as in IPS4o, Axtmann
// et al., ESA 2017). Rejected: sorting in place block by block as IPS4o does, which saves the second array and costs a
// third of the speed in our probes of partitioning in place.
//
// Rounds keep the order of equal elements, so the sort is stable if its last step is.
//
// Invariant: whatever comparison throws, each element is in exactly one place, and the array that a function owes its
// result to holds all of them when it leaves.

#include <skerry/detail/frontend/algorithm/in_place.hpp>
#include <skerry/detail/frontend/algorithm/pieces.hpp>
#include <skerry/detail/frontend/algorithm/scratch.hpp>
#include <skerry/detail/frontend/algorithm/sort_merge.hpp>
#include <skerry/detail/frontend/algorithm/sort_small.hpp>

#include <bit>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

using bucket_id = std::uint16_t;

inline constexpr std::uint64_t small_sort_limit = 160;
inline constexpr std::uint64_t bucket_aim = 28;
// Splitters are kept on the stack, within this many bytes.
inline constexpr std::uint64_t splitter_bytes = 8192;
inline constexpr std::uint64_t parallel_sort_limit = std::uint64_t{1} << 15;
inline constexpr int bad_rounds_allowed = 4;
// Elements between two looks whether the sort was called off.
inline constexpr std::uint64_t classified_at_once = 256;

template <class T>
constexpr unsigned most_levels() noexcept {
    const auto fitting = static_cast<unsigned>(std::bit_width(splitter_bytes / sizeof(T))) - 1;
    return fitting < 10 ? fitting : 10;
}

// Levels of the next round's tree, so that as few rounds as possible, of about equal depth, end near bucket_aim.
template <class T>
unsigned levels_for(std::uint64_t n) noexcept {
    const auto needed = static_cast<unsigned>(std::bit_width(n / bucket_aim));
    const unsigned rounds = (needed - 1) / most_levels<T>() + 1;
    const unsigned levels = needed / rounds;
    return levels < 2 ? 2 : levels;
}

template <class T, class Less>
class classifier {
  public:
    static constexpr std::uint64_t most_buckets = std::uint64_t{2} << most_levels<T>();

    // From a sorted sample of `size` elements, size >= 2^levels.
    classifier(const T* sample, std::uint64_t size, unsigned levels, Less& less) : less_{less}, levels_{levels} {
        const std::uint64_t wanted = (std::uint64_t{1} << levels) - 1;
        std::uint64_t distinct = 0;
        for (std::uint64_t i = 0; i < wanted; ++i) {
            const T& next = sample[(i + 1) * size / (wanted + 1)];
            if (distinct == 0 || less(sorted_.items[distinct - 1], next)) sorted_.items[distinct++] = next;
        }
        equal_buckets_ = distinct < wanted;
        while (levels_ > 1 && distinct <= (std::uint64_t{1} << (levels_ - 1)) - 1) --levels_;
        const std::uint64_t leaves = std::uint64_t{1} << levels_;
        for (std::uint64_t i = distinct; i < leaves; ++i) sorted_.items[i] = sorted_.items[distinct - 1];
        last_ = distinct;
        for (unsigned level = 0; level < levels_; ++level)
            for (std::uint64_t i = 0; i < std::uint64_t{1} << level; ++i)
                tree_.items[(std::uint64_t{1} << level) + i] = sorted_.items[((2 * i + 1) * leaves >> (level + 1)) - 1];
    }

    [[nodiscard]] std::uint64_t buckets() const noexcept { return std::uint64_t{1} << (levels_ + equal_buckets_); }
    // All elements of such a bucket are equal.
    [[nodiscard]] bool is_equal(std::uint64_t bucket) const noexcept { return equal_buckets_ && bucket % 2 != 0; }

    // Writes each element's bucket and adds to counts[0 ... buckets()).
    void classify(const T* from, std::uint64_t n, bucket_id* ids, std::uint64_t* counts) const {
        if (equal_buckets_) {
            classify_all<true>(from, n, ids, counts);
        } else {
            classify_all<false>(from, n, ids, counts);
        }
    }

  private:
    template <bool Equal>
    void classify_all(const T* from, std::uint64_t n, bucket_id* ids, std::uint64_t* counts) const {
        for (; n >= 8; n -= 8, from += 8, ids += 8)
            classify_few<Equal>(from, ids, counts, std::make_index_sequence<8>{});
        for (; n != 0; --n, ++from, ++ids) classify_few<Equal>(from, ids, counts, std::make_index_sequence<1>{});
    }

    // Bucket b holds what is greater than splitter b - 1 and not greater than splitter b; with Equal, 2b holds what is
    // less than splitter b and 2b + 1 what equals it.
    template <bool Equal, std::size_t... Is>
    [[gnu::__always_inline__]] void classify_few(const T* from, bucket_id* ids, std::uint64_t* counts,
                                                 std::index_sequence<Is...>) const {
        std::size_t node[] = {(static_cast<void>(Is), std::size_t{1})...};
        for (unsigned level = 0; level < levels_; ++level)
            ((node[Is] = 2 * node[Is] + static_cast<std::size_t>(less_(tree_.items[node[Is]], from[Is]))), ...);
        const std::size_t leaves = std::size_t{1} << levels_;
        ((node[Is] -= leaves), ...);
        if constexpr (Equal) {
            ((node[Is] = 2 * node[Is] +
                         static_cast<std::size_t>(static_cast<unsigned>(node[Is] < last_) &
                                                  static_cast<unsigned>(!less_(from[Is], sorted_.items[node[Is]])))),
             ...);
        }
        ((ids[Is] = static_cast<bucket_id>(node[Is])), ...);
        (++counts[node[Is]], ...);
    }

    Less& less_;
    unsigned levels_;
    bool equal_buckets_;
    std::uint64_t last_; // number of distinct splitters
    plain_array<T, (std::size_t{1} << most_levels<T>())> tree_;
    plain_array<T, (std::size_t{1} << most_levels<T>())> sorted_;
};

// Any fixed sequence of positions would do for data that does not know it; bad luck ends in heap sort.
class sample_positions {
  public:
    explicit sample_positions(std::uint64_t n) noexcept : n_{n}, state_{n * 0x9e3779b97f4a7c15u + 1} {}

    std::uint64_t next() noexcept {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return (state_ >> 32) * n_ >> 32;
    }

  private:
    std::uint64_t n_;
    std::uint64_t state_;
};

template <class Executor, bool Stable, class T, class Less>
class sample_sorter {
  public:
    explicit sample_sorter(Less& less) : less_{less} {}

    // Sorts [from, from + n). `other` and `ids` are scratch for n each. The result is in `other` if move, else in
    // `from`.
    void sort(T* from, T* other, bucket_id* ids, std::uint64_t n, bool move, int bad_rounds_left) {
        if (n <= small_sort_limit) {
            sort_small<Stable>(from, other, n, move, less_);
            return;
        }
        if constexpr (Executor::parallel) {
            if (n >= parallel_sort_limit && Executor::concurrency() > 1) {
                sort_in_chunks(from, other, ids, n, move, bad_rounds_left);
                return;
            }
        }
        sort_alone(from, other, ids, n, move, bad_rounds_left);
    }

  private:
    using splitters = classifier<T, Less>;

    // The sample is sorted in `other`, which holds nothing yet.
    splitters choose_splitters(const T* from, T* other, bucket_id* ids, std::uint64_t n, int bad_rounds_left) {
        const unsigned levels = levels_for<T>(n);
        const std::uint64_t size = std::uint64_t{2} << levels;
        sample_positions positions{n};
        for (std::uint64_t i = 0; i < size; ++i) other[i] = from[positions.next()];
        sample_sorter<in_place, false, T, Less>{less_}.sort(other, other + size, ids, size, false, bad_rounds_left);
        return splitters{other, size, levels, less_};
    }

    static void classify(const splitters& by, const T* from, std::uint64_t n, bucket_id* ids, std::uint64_t* counts) {
        for (; n > classified_at_once; from += classified_at_once, ids += classified_at_once, n -= classified_at_once) {
            check_stop<Executor>();
            by.classify(from, classified_at_once, ids, counts);
        }
        by.classify(from, n, ids, counts);
    }

    void sort_alone(T* from, T* other, bucket_id* ids, std::uint64_t n, bool move, int bad_rounds_left) {
        std::uint64_t ends[splitters::most_buckets];
        std::uint64_t buckets = 0;
        std::uint64_t done = 0;
        bool scattered = false;
        try {
            const splitters by = choose_splitters(from, other, ids, n, bad_rounds_left);
            buckets = by.buckets();
            for (std::uint64_t b = 0; b < buckets; ++b) ends[b] = 0;
            classify(by, from, n, ids, ends);
            std::uint64_t sum = 0;
            for (std::uint64_t b = 0; b < buckets; ++b) ends[b] = std::exchange(sum, sum + ends[b]);
            for (std::uint64_t i = 0; i < n; ++i) other[ends[ids[i]]++] = from[i];
            scattered = true;
            for (std::uint64_t b = 0; b < buckets; ++b) {
                check_stop<Executor>();
                const std::uint64_t begin = done;
                done = ends[b];
                sort_bucket(from + begin, other + begin, ids + begin, ends[b] - begin, n, by.is_equal(b), move,
                            bad_rounds_left);
            }
        } catch (...) {
            if (scattered && !move) copy_plain(other + done, other + n, from + done);
            if (!scattered && move) copy_plain(from, from + n, other);
            throw;
        }
    }

    // A bucket of the scattered elements: they are in `other`. n is the size of the whole.
    void sort_bucket(T* from, T* other, bucket_id* ids, std::uint64_t size, std::uint64_t n, bool equal, bool move,
                     int bad_rounds_left) {
        if (size <= 1 || equal) {
            if (!move) copy_plain(other, other + size, from);
        } else if (size > n / 4 && --bad_rounds_left <= 0) {
            T* const result = move ? other : from;
            if (!move) copy_plain(other, other + size, from);
            if constexpr (Stable) {
                merge_sort<in_place>(result, result + size, move ? from : other, less_);
            } else {
                heap_sort(result, result + size, less_);
            }
        } else {
            sort(other, from, ids, size, !move, bad_rounds_left);
        }
    }

    void sort_in_chunks(T* from, T* other, bucket_id* ids, std::uint64_t n, bool move, int bad_rounds_left);

    Less& less_;
};

// The parallel round: chunks count and scatter for themselves, then buckets are sorted for themselves.
template <class Executor, bool Stable, class T, class Less>
void sample_sorter<Executor, Stable, T, Less>::sort_in_chunks(T* from, T* other, bucket_id* ids, std::uint64_t n,
                                                              bool move, int bad_rounds_left) {
    constexpr std::uint64_t chunks_per_worker = 4;
    const leaves chunks{n, (n - 1) / (Executor::concurrency() * chunks_per_worker) + 1};
    const std::uint64_t number = chunks.number();
    const scratch<std::uint64_t, typename Executor::memory> memory{(number + 1) * splitters::most_buckets};
    if (!memory) return sort_alone(from, other, ids, n, move, bad_rounds_left);

    std::uint64_t* const ends = memory.data() + number * splitters::most_buckets;
    bool begun[splitters::most_buckets] = {};
    std::uint64_t buckets = 0;
    bool scattered = false;
    try {
        const splitters by = choose_splitters(from, other, ids, n, bad_rounds_left);
        buckets = by.buckets();
        const auto counts = [&](std::uint64_t chunk) { return memory.data() + chunk * buckets; };
        const auto classify = [&](std::uint64_t chunk) {
            for (std::uint64_t b = 0; b < buckets; ++b) counts(chunk)[b] = 0;
            const std::uint64_t at = chunks.first(chunk);
            sample_sorter::classify(by, from + at, chunks.last(chunk) - at, ids + at, counts(chunk));
        };
        Executor::run_leaves(classify, 0, number);

        std::uint64_t sum = 0;
        for (std::uint64_t b = 0; b < buckets; ++b) {
            for (std::uint64_t chunk = 0; chunk < number; ++chunk)
                counts(chunk)[b] = std::exchange(sum, sum + counts(chunk)[b]);
            ends[b] = sum;
        }
        const auto scatter = [&](std::uint64_t chunk) {
            std::uint64_t* const next = counts(chunk);
            for (std::uint64_t i = chunks.first(chunk), end = chunks.last(chunk); i < end; ++i)
                other[next[ids[i]]++] = from[i];
        };
        Executor::run_leaves(scatter, 0, number);
        scattered = true;

        const auto sort_one = [&](std::uint64_t b) {
            begun[b] = true;
            const std::uint64_t begin = b == 0 ? 0 : ends[b - 1];
            sort_bucket(from + begin, other + begin, ids + begin, ends[b] - begin, n, by.is_equal(b), move,
                        bad_rounds_left);
        };
        Executor::run_leaves(sort_one, 0, buckets);
    } catch (...) {
        if (!scattered && move) copy_plain(from, from + n, other);
        for (std::uint64_t b = 0; scattered && !move && b < buckets; ++b) {
            const std::uint64_t begin = b == 0 ? 0 : ends[b - 1];
            if (!begun[b]) copy_plain(other + begin, other + ends[b], from + begin);
        }
        throw;
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
