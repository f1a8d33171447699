// SPDX-License-Identifier: Apache-2.0
#include "input/numbering.hpp"

#include <skerry/parallel_for.hpp>
#include <skerry/sort.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace apps::input {
namespace {

using graph::buffer;
using graph::vertex;

void set_count(const text& t, graph::edge_list& e, std::uint64_t vertices, std::uint64_t most) {
    if (vertices > most) {
        t.fail(t.bytes().size(),
               std::to_string(vertices) + " different vertices are too many: at most " + std::to_string(most));
    }
    e.vertices = vertices;
}

/// The names in use as a set of bits: for names that are not much larger than there are.
class bit_set {
  public:
    explicit bit_set(vertex largest) : bits_(largest / width + std::size_t{1}, 0), before_(bits_.size()) {}

    /// By several tasks at once.
    void add(vertex name) {
        // Most names come more than once: a look is cheaper than a write. The join of the loop publishes it.
        const std::atomic_ref cell(bits_[name / width]);
        if ((cell.load(std::memory_order_relaxed) & bit(name)) == 0)
            cell.fetch_or(bit(name), std::memory_order_relaxed);
    }

    /// After the last add, before the others.
    std::uint64_t count() {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i != bits_.size(); ++i) {
            before_[i] = sum;
            sum += static_cast<std::uint64_t>(std::popcount(bits_[i]));
        }
        return sum;
    }

    /// How many smaller names there are.
    vertex rank(vertex name) const {
        const std::uint64_t lower = bits_[name / width] & (bit(name) - 1);
        return static_cast<vertex>(before_[name / width] + static_cast<std::uint64_t>(std::popcount(lower)));
    }

    buffer<std::uint64_t> names(std::uint64_t count) const {
        buffer<std::uint64_t> all(count);
        skerry::parallel_for(std::size_t{0}, bits_.size(), [&](std::size_t i) {
            std::uint64_t* next = all.data() + before_[i];
            for (std::uint64_t left = bits_[i]; left != 0; left &= left - 1)
                *next++ = i * width + static_cast<std::uint64_t>(std::countr_zero(left));
        });
        return all;
    }

  private:
    static constexpr std::size_t width = 64;
    static std::uint64_t bit(vertex name) { return std::uint64_t{1} << (name % width); }

    buffer<std::uint64_t> bits_;
    buffer<std::uint64_t> before_; ///< how many names are in the words before
};

/// `from` and `to` may be those of `e`.
template <class Id>
void number_by_sorting(const text& t, graph::edge_list& e, const buffer<Id>& from, const buffer<Id>& to,
                       std::uint64_t most) {
    buffer<std::uint64_t> sorted(2 * from.size());
    std::ranges::copy(from, sorted.begin());
    std::ranges::copy(to, sorted.begin() + from.size());
    skerry::parallel_sort(sorted.begin(), sorted.end());
    const std::span<const std::uint64_t> names(sorted.begin(), std::unique(sorted.begin(), sorted.end()));
    set_count(t, e, names.size(), most);
    const auto rank = [&](std::uint64_t name) {
        return static_cast<vertex>(std::ranges::lower_bound(names, name) - names.begin());
    };
    skerry::parallel_for(std::size_t{0}, from.size(), [&](std::size_t i) {
        e.from[i] = rank(from[i]);
        e.to[i] = rank(to[i]);
    });
    e.names = buffer<std::uint64_t>(e.vertices);
    std::ranges::copy(names, e.names.begin());
}

vertex largest_of(const buffer<vertex>& ends) { return *std::max_element(ends.begin(), ends.end()); }

} // namespace

void number_vertices(const text& t, graph::edge_list& e, std::uint64_t most) {
    const vertex largest = std::max(largest_of(e.from), largest_of(e.to));
    // The bits and their sums then take no more than the names would take in a sort.
    constexpr std::uint64_t names_per_end = 32;
    if (largest / names_per_end > 2 * std::uint64_t{e.size()}) {
        number_by_sorting(t, e, e.from, e.to, most);
        return;
    }
    bit_set used(largest);
    skerry::parallel_for(std::size_t{0}, e.size(), [&](std::size_t i) {
        used.add(e.from[i]);
        used.add(e.to[i]);
    });
    set_count(t, e, used.count(), most);
    if (e.vertices == std::uint64_t{largest} + 1) return;
    skerry::parallel_for(std::size_t{0}, e.size(), [&](std::size_t i) {
        e.from[i] = used.rank(e.from[i]);
        e.to[i] = used.rank(e.to[i]);
    });
    e.names = used.names(e.vertices);
}

void number_vertices(const text& t, graph::edge_list& e, const buffer<std::uint64_t>& from,
                     const buffer<std::uint64_t>& to, std::uint64_t most) {
    e.from = buffer<vertex>(from.size());
    e.to = buffer<vertex>(to.size());
    number_by_sorting(t, e, from, to, most);
}

} // namespace apps::input
