// SPDX-License-Identifier: Apache-2.0
#include "base/port/topology.hpp"

#include <algorithm>
#include <compare>

namespace skerry::inline SKERRY_ABI::port {

topology topology::flat(const std::vector<unsigned>& cpus) {
    topology result;
    for (const unsigned cpu : cpus) {
        result.places_.push_back({cpu, 0, {}});
    }
    result.cores_ = result.size();
    result.packages_ = 1;
    result.numa_nodes_ = 1;
    return result;
}

std::uint64_t topology::distance(unsigned a, unsigned b) const noexcept {
    if (a == b) {
        return 0;
    }
    const place& x = places_[a];
    const place& y = places_[b];
    const auto [end, unused] =
        std::mismatch(x.ancestors.begin(), x.ancestors.end(), y.ancestors.begin(), y.ancestors.end());
    const auto common = static_cast<std::uint64_t>(end - x.ancestors.begin());
    const std::uint64_t levels = std::max(x.ancestors.size(), y.ancestors.size()) - common + 1;
    constexpr std::uint64_t more_than_levels = 1024;
    const std::uint64_t latency = latency_.empty() ? 0 : latency_[std::size_t{x.numa_node} * numa_nodes_ + y.numa_node];
    return latency * more_than_levels + levels;
}

std::vector<unsigned> topology::victims_in_distance_order(unsigned from, unsigned workers) const {
    struct candidate {
        std::uint64_t distance;
        unsigned step;
        auto operator<=>(const candidate&) const = default;
    };
    std::vector<candidate> order;
    order.reserve(workers);
    for (unsigned step = 1; step < workers; ++step) {
        order.push_back({distance(from % size(), (from + step) % workers % size()), step});
    }
    std::sort(order.begin(), order.end());
    std::vector<unsigned> victims;
    victims.reserve(order.size());
    for (const candidate& c : order) {
        victims.push_back((from + c.step) % workers);
    }
    return victims;
}

} // namespace skerry::inline SKERRY_ABI::port
