// SPDX-License-Identifier: Apache-2.0

#include "runtime/wait_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace skerry::inline SKERRY_ABI::detail {

std::vector<unsigned> find_cycle(const wait_graph& waits_for) {
    enum class seen : std::uint8_t { never, on_path, done };
    struct step {
        unsigned node;
        std::size_t next = 0; // of its edges
    };
    std::vector<seen> state(waits_for.size(), seen::never);
    std::vector<step> path; // from a start, depth first
    for (unsigned start = 0; start < waits_for.size(); ++start) {
        if (state[start] != seen::never) {
            continue;
        }
        state[start] = seen::on_path;
        path.push_back({start});
        while (!path.empty()) {
            step& last = path.back();
            if (last.next == waits_for[last.node].size()) {
                state[last.node] = seen::done;
                path.pop_back();
                continue;
            }
            const unsigned to = waits_for[last.node][last.next++];
            if (state[to] == seen::on_path) {
                std::vector<unsigned> cycle;
                const auto begin = std::ranges::find(path, to, &step::node);
                std::transform(begin, path.end(), std::back_inserter(cycle), [](const step& s) { return s.node; });
                return cycle;
            }
            if (state[to] == seen::never) {
                state[to] = seen::on_path;
                path.push_back({to});
            }
        }
    }
    return {};
}

} // namespace skerry::inline SKERRY_ABI::detail
