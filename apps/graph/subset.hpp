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
        const auto bit = static_cast<cell>(cell{1} << (v % per_cell));
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

/// For a loop over vertices; granularity 0 is automatic.
inline par::grain grain_of(std::size_t granularity) {
    return granularity == 0 ? par::grain::automatic() : par::grain::fixed(granularity);
}

/// f(v) for each vertex v < n, in parallel.
template <class F>
void each_vertex(vertex n, std::size_t granularity, F f) {
    par::parallel_for(vertex{0}, n, std::move(f), grain_of(granularity));
}

/// A vertex by itself is too little for what a loop does between two of its iterations; so loops are over blocks.
inline constexpr std::size_t vertices_per_block = 16;

/// 0, automatic: any number of blocks to a task, as the loop sees fit. Else a task is a block of that many vertices.
struct blocking_rule {
    std::size_t granularity;

    /// How many of what has `unit` vertices make a block.
    std::size_t block(std::size_t unit) const noexcept {
        return std::max<std::size_t>(1, (granularity == 0 ? vertices_per_block : granularity) / unit);
    }
    par::grain grain() const { return granularity == 0 ? par::grain::automatic() : par::grain::fixed(1); }
};

/// The blocks of a range; the last may be shorter.
struct block_range {
    std::size_t size;
    std::size_t block;

    std::size_t count() const noexcept { return size / block + static_cast<std::size_t>(size % block != 0); }
    std::size_t first(std::size_t b) const noexcept { return b * block; }
    std::size_t last(std::size_t b) const noexcept { return b * block + std::min(block, size - b * block); }
};

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

    static basic_subset all(vertex universe, std::size_t granularity) {
        std::vector<vertex> members(universe);
        each_vertex(universe, granularity, [&](vertex v) { members[v] = v; });
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
                grain_of(granularity));
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
        members_ = filter(granularity, [](vertex) { return true; }).members_;
        flags_ = {};
        dense_ = false;
    }

    /// Calls body(members) for each block of members, in parallel; members(f) calls f(v) for each of them, in turn.
    template <class Body>
    void each_block(std::size_t granularity, Body body) const {
        const blocking_rule rule{granularity};
        if (dense_) {
            constexpr std::size_t unit = flags::cells_per_group * flags::per_cell;
            const block_range groups{flags_.groups(), rule.block(unit)};
            par::parallel_for(
                std::size_t{0}, groups.count(),
                [&](std::size_t b) {
                    body([&](auto f) {
                        for (std::size_t g = groups.first(b); g != groups.last(b); ++g) flags_.each_in_group(g, f);
                    });
                },
                rule.grain());
        } else {
            const block_range range{members_.size(), rule.block(1)};
            par::parallel_for(
                std::size_t{0}, range.count(),
                [&](std::size_t b) {
                    body([&](auto f) {
                        for (std::size_t i = range.first(b); i != range.last(b); ++i) f(members_[i]);
                    });
                },
                rule.grain());
        }
    }

    /// Vertex map: f(v) for each member, in parallel.
    template <class F>
    void each(std::size_t granularity, F f) const {
        each_block(granularity, [&](auto members) { members([&](vertex v) { f(v); }); });
    }

    /// The members for which keep(v) holds.
    template <class Keep>
    basic_subset filter(std::size_t granularity, Keep keep) const {
        vertex_collector found;
        each_block(granularity, [&](auto members) {
            std::vector<vertex>& kept = found.local();
            members([&](vertex v) {
                if (keep(v)) kept.push_back(v);
            });
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
