// SPDX-License-Identifier: Apache-2.0
#pragma once

// A set of vertices in one of two forms: sparse (its members in an array, in no particular order) or dense (a flag for
// each vertex of the graph). A small frontier is sparse and costs its own size; a large one is dense, because then a
// vertex can ask whether a neighbour is in it. (Shun and Blelloch, "Ligra", PPoPP 2013.)

#include "graph/atomic.hpp"
#include "graph/csr.hpp"
#include "support/elision.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <utility>
#include <vector>

namespace apps::SKERRY_APP_VARIANT {

using graph::buffer;
using graph::vertex;

/// Dense form with a byte for each vertex: the cheapest to set.
struct byte_flags {
    using cell = std::uint8_t;
    static constexpr std::size_t per_cell = 1;
};

/// Dense form with a bit for each vertex: an eighth of the memory, so that the flags of a large graph's frontier stay
/// in a cache while its edges stream through. A cell has 32 vertices, Table III's granularity: one task, one cell.
struct bit_flags {
    using cell = std::uint32_t;
    static constexpr std::size_t per_cell = 32;
};

template <class Flags>
class flag_array {
  public:
    using cell = typename Flags::cell;
    static constexpr std::size_t per_cell = Flags::per_cell;

    flag_array() = default;
    explicit flag_array(std::size_t vertices) : cells_((vertices + per_cell - 1) / per_cell) {}

    std::size_t cells() const noexcept { return cells_.size(); }
    bool empty() const noexcept { return cells_.empty(); }
    cell& at_cell(std::size_t c) noexcept { return cells_[c]; }
    cell at_cell(std::size_t c) const noexcept { return cells_[c]; }

    /// May miss a flag that another task is setting.
    bool test(vertex v) const noexcept {
        if constexpr (per_cell == 1) return par::may_be_stale(cells_[v]) != 0;
        return ((par::may_be_stale(cells_[v / per_cell]) >> (v % per_cell)) & 1U) != 0;
    }

    /// True for exactly one of the tasks that set a flag which was not set.
    bool test_and_set(vertex v) noexcept {
        if constexpr (per_cell == 1) return replace_once(cells_[v], cell{0}, cell{1});
        const cell bit = cell{1} << (v % per_cell);
        return (set_bits(cells_[v / per_cell], bit) & bit) == 0;
    }

    /// Several tasks may do so at once.
    void set(vertex v) noexcept {
        if constexpr (per_cell == 1)
            store(cells_[v], cell{1});
        else
            set_bits(cells_[v / per_cell], cell{1} << (v % per_cell));
    }

    /// The cell is this task's alone; others may read it.
    void set_own(vertex v) noexcept {
        cell& c = cells_[v / per_cell];
        store(c, static_cast<cell>(c | (cell{1} << (v % per_cell))));
    }

    void clear() noexcept { std::memset(cells_.data(), 0, cells_.size() * sizeof(cell)); }

    /// Calls f(v) for each vertex whose flag is set among those of eight bytes of cells; skips zeros a word at a time.
    static constexpr std::size_t cells_per_group = 8 / sizeof(cell);
    std::size_t groups() const noexcept { return (cells() + cells_per_group - 1) / cells_per_group; }

    template <class F>
    void each_in_group(std::size_t group, F f) const {
        const std::size_t first = group * cells_per_group;
        const std::size_t last = std::min(first + cells_per_group, cells());
        std::uint64_t any = 0;
        std::memcpy(&any, cells_.data() + first, (last - first) * sizeof(cell));
        if (any == 0) return;
        for (std::size_t c = first; c != last; ++c) {
            for (cell left = cells_[c]; left != 0; left = static_cast<cell>(left & (left - 1U)))
                f(static_cast<vertex>(c * per_cell + static_cast<std::size_t>(std::countr_zero(left))));
        }
    }

  private:
    buffer<cell> cells_;
};

/// How many iterations of a loop over vertices, groups of `unit` vertices each, one task takes.
inline par::grain per_unit(std::size_t granularity, std::size_t unit) {
    return granularity == 0 ? par::grain::automatic() : par::grain::fixed(std::max<std::size_t>(1, granularity / unit));
}

/// What each worker found, put together in one array. The serial elision, and a parallel loop of which nothing was
/// stolen, hand over the one array there is.
class vertex_collector {
  public:
    std::vector<vertex>& local() { return parts_.local(); }

    std::vector<vertex> take() {
        std::vector<vertex> all;
        for (std::vector<vertex>& part : parts_) {
            if (all.empty())
                all = std::move(part);
            else
                all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }

  private:
    par::worker_local<std::vector<vertex>> parts_;
};

/// `Flags` is the dense form, byte_flags or bit_flags. Thread safety: as of a container.
template <class Flags>
class basic_subset {
  public:
    using flags = flag_array<Flags>;

    explicit basic_subset(vertex universe) : universe_(universe) {}

    basic_subset(vertex universe, std::vector<vertex> members)
        : universe_(universe),
          size_(members.size()),
          members_(std::move(members)) {}

    /// `degrees` is the sum of the members' out-degrees.
    basic_subset(vertex universe, flags dense, std::size_t size, std::uint64_t degrees)
        : universe_(universe),
          size_(size),
          degrees_(degrees),
          flags_(std::move(dense)),
          dense_(true) {}

    static basic_subset all(vertex universe) {
        std::vector<vertex> members(universe);
        par::parallel_for(vertex{0}, universe, [&](vertex v) { members[v] = v; });
        return {universe, std::move(members)};
    }

    vertex universe() const noexcept { return universe_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    bool dense() const noexcept { return dense_; }

    /// Precondition: dense.
    const flags& in_flags() const noexcept { return flags_; }

    /// Precondition: sparse.
    const std::vector<vertex>& members() const noexcept { return members_; }

    /// The members' out-degrees added up.
    std::uint64_t degrees(const graph::csr& g, std::size_t granularity) {
        if (degrees_ == unknown) {
            degrees_ = par::parallel_transform_reduce(
                members_, std::uint64_t{0}, std::plus<>(), [&](vertex v) { return g.out().degree(v); },
                per_unit(granularity, 1));
        }
        return degrees_;
    }

    void make_dense(std::size_t granularity) {
        if (dense_) return;
        flags_ = flags(universe_);
        flags_.clear();
        each(granularity, [&](vertex v) { flags_.set(v); });
        members_ = {};
        dense_ = true;
    }

    void make_sparse(std::size_t granularity) {
        if (!dense_) return;
        vertex_collector found;
        each(granularity, [&](vertex v) { found.local().push_back(v); });
        members_ = found.take();
        flags_ = {};
        dense_ = false;
    }

    /// Vertex map: f(v) for each member, in parallel.
    template <class F>
    void each(std::size_t granularity, F f) const {
        if (dense_) {
            constexpr std::size_t unit = flags::cells_per_group * flags::per_cell;
            par::parallel_for(
                std::size_t{0}, flags_.groups(), [&](std::size_t group) { flags_.each_in_group(group, f); },
                per_unit(granularity, unit));
        } else {
            par::parallel_for(
                std::size_t{0}, members_.size(), [&](std::size_t i) { f(members_[i]); }, per_unit(granularity, 1));
        }
    }

    /// The members for which keep(v) holds.
    template <class Keep>
    basic_subset filter(std::size_t granularity, Keep keep) const {
        vertex_collector found;
        each(granularity, [&](vertex v) {
            if (keep(v)) found.local().push_back(v);
        });
        return {universe_, found.take()};
    }

  private:
    static constexpr std::uint64_t unknown = UINT64_MAX;

    vertex universe_;
    std::size_t size_ = 0;
    std::uint64_t degrees_ = unknown;
    std::vector<vertex> members_;
    flags flags_;
    bool dense_ = false;
};

using subset = basic_subset<byte_flags>;

} // namespace apps::SKERRY_APP_VARIANT
