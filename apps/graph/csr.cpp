// SPDX-License-Identifier: Apache-2.0
#include "graph/csr.hpp"

#include <skerry/forkjoin.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <type_traits>
#include <utility>

namespace apps::graph {
namespace {

/// An arc while its row is sorted: its end, and below that (in a weighted graph) the weight as an unsigned number of
/// the same order. One integer comparison then sorts by end and, within one end, by weight.
template <class Arc>
Arc pack(vertex end, weight w) {
    if constexpr (std::is_same_v<Arc, vertex>)
        return end;
    else
        return (Arc{end} << 32) | (static_cast<std::uint32_t>(w) ^ 0x8000'0000U);
}

template <class Arc>
vertex end_of(Arc a) {
    if constexpr (std::is_same_v<Arc, vertex>)
        return a;
    else
        return static_cast<vertex>(a >> 32);
}

weight weight_of(std::uint64_t a) { return static_cast<weight>(static_cast<std::uint32_t>(a) ^ 0x8000'0000U); }

/// Turns degrees into offsets; the last element becomes the total.
void degrees_to_offsets(buffer<std::uint64_t>& counts) {
    std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), std::uint64_t{0});
}

template <class Visit>
void each_arc(const edge_list& e, bool forward, bool backward, Visit visit) {
    skerry::parallel_for(std::size_t{0}, e.size(), [&, visit](std::size_t i) {
        const vertex u = e.from[i];
        const vertex v = e.to[i];
        if (u == v) return;
        const weight w = e.weights.empty() ? 0 : e.weights[i];
        if (forward) visit(u, v, w);
        if (backward) visit(v, u, w);
    });
}

template <class Arc>
rows gather(const edge_list& e, bool forward, bool backward) {
    const std::size_t n = e.vertices;
    buffer<std::uint64_t> start(n + 1, 0);
    each_arc(e, forward, backward, [&](vertex u, vertex, weight) {
        std::atomic_ref(start[u]).fetch_add(1, std::memory_order_relaxed); // the join of the loop publishes it
    });
    degrees_to_offsets(start);
    buffer<Arc> loose(start[n]);
    each_arc(e, forward, backward, [&](vertex u, vertex v, weight w) {
        // Moves each start to the next row's: row u is afterwards [start[u - 1], start[u]).
        loose[std::atomic_ref(start[u]).fetch_add(1, std::memory_order_relaxed)] = pack<Arc>(v, w);
    });
    const auto row = [&](std::size_t u) { return loose.data() + (u == 0 ? 0 : start[u - 1]); };

    rows result;
    result.offsets = buffer<std::uint64_t>(n + 1, 0);
    skerry::parallel_for(std::size_t{0}, n, [&](std::size_t u) {
        Arc* const first = row(u);
        Arc* const last = loose.data() + start[u];
        std::sort(first, last);
        Arc* const end = std::unique(first, last, [](Arc a, Arc b) { return end_of(a) == end_of(b); });
        result.offsets[u] = static_cast<std::uint64_t>(end - first);
    });
    degrees_to_offsets(result.offsets);
    result.ends = buffer<vertex>(result.offsets[n]);
    if constexpr (!std::is_same_v<Arc, vertex>) result.weights = buffer<weight>(result.offsets[n]);
    skerry::parallel_for(std::size_t{0}, n, [&](std::size_t u) {
        const Arc* from = row(u);
        for (std::uint64_t i = result.offsets[u]; i != result.offsets[u + 1]; ++i, ++from) {
            result.ends[i] = end_of(*from);
            if constexpr (!std::is_same_v<Arc, vertex>) result.weights[i] = weight_of(*from);
        }
    });
    return result;
}

rows gather(const edge_list& e, bool forward, bool backward) {
    return e.weights.empty() ? gather<vertex>(e, forward, backward) : gather<std::uint64_t>(e, forward, backward);
}

} // namespace

vertex csr::hub() const noexcept {
    vertex best = 0;
    for (vertex v = 1; v < vertices(); ++v) {
        if (out_.degree(v) > out_.degree(best)) best = v;
    }
    return best;
}

vertex csr::named(std::uint64_t name) const noexcept {
    if (names_.empty()) return name < vertices() ? static_cast<vertex>(name) : no_vertex;
    const std::uint64_t* const found = std::lower_bound(names_.begin(), names_.end(), name);
    return found != names_.end() && *found == name ? static_cast<vertex>(found - names_.begin()) : no_vertex;
}

csr build(const edge_list& e, direction d) {
    buffer<std::uint64_t> names(e.names.size());
    std::ranges::copy(e.names, names.begin());
    if (d == direction::undirected) return {gather(e, true, true), {}, std::move(names)};
    rows out = gather(e, true, false);
    rows in = gather(e, false, true);
    const bool symmetric = std::ranges::equal(out.offsets, in.offsets) && std::ranges::equal(out.ends, in.ends) &&
                           std::ranges::equal(out.weights, in.weights);
    if (symmetric) in = {};
    return {std::move(out), std::move(in), std::move(names)};
}

} // namespace apps::graph
