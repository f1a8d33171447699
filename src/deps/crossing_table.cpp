// SPDX-License-Identifier: Apache-2.0

#include "deps/crossing_table.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

crossing_table::crossing_table() {
    for (const crossing_type* t = crossing_type::newest(); t != nullptr; t = t->next) {
        types_.push_back(t);
    }
    // Types of the same name (in unnamed namespaces of two files) stay in the order of their registration.
    std::vector<std::pair<std::string_view, std::size_t>> order(types_.size());
    for (std::size_t i = 0; i < types_.size(); ++i) {
        order[i] = {types_[i]->name, types_.size() - i};
    }
    std::ranges::sort(order);
    std::vector<const crossing_type*> sorted(types_.size());
    std::ranges::transform(order, sorted.begin(), [this](const auto& o) { return types_[types_.size() - o.second]; });
    types_ = std::move(sorted);
    hash_ = 0xcbf2'9ce4'8422'2325; // FNV-1a
    for (std::uint32_t i = 0; i < types_.size(); ++i) {
        types_[i]->index = i;
        for (const char* c = types_[i]->name; *c != 0; ++c) {
            hash_ = (hash_ ^ static_cast<unsigned char>(*c)) * 0x100'0000'01b3;
        }
        hash_ = (hash_ ^ 0) * 0x100'0000'01b3;
    }
}

const crossing_table& crossing_table::instance() {
    static const crossing_table table;
    return table;
}

} // namespace skerry::inline SKERRY_ABI::detail
