// SPDX-License-Identifier: Apache-2.0

#include "deps/containment.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

#include "base/port/thread.hpp"
#include "base/text.hpp"
#include "deps/access_text.hpp"
#include "deps/name_table.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

template <class Named>
std::string text_of(const Named& named) {
    fixed_text<200> text;
    put(text, named);
    return std::string(text.view());
}

// The parent has changed its containers perhaps, whose elements its children name.
bool lies_in_container(const dependent_task& parent, const access& inner) noexcept {
    for (std::uint32_t i = 0; i < parent.containers; ++i) {
        const container_access& place = parent.container(i);
        const access& container = parent.nodes[place.node].what;
        const elements_now now = place.look(reinterpret_cast<const void*>(container.first));
        if (contains(elements_access(now, container.mode), inner)) {
            return true;
        }
    }
    return false;
}

} // namespace

void check_containment(const task_context& parent, const dependent_task& child) {
    if (parent.task == nullptr || parent.task->node_count == 0) {
        return;
    }
    const std::span outer(parent.task->all_nodes());
    for (const access_node& node : std::span(child.nodes, child.node_count)) { // what it owns is its own
        const access& inner = node.what;
        const bool free = inner.nothing() || (inner.kind != access_kind::region && port::on_this_stack(inner.first));
        if (free || std::ranges::any_of(outer, [&](const access_node& o) { return contains(o.what, inner); }) ||
            lies_in_container(*parent.task, inner)) {
            continue;
        }
        std::string text = "skerry: ";
        text.append(text_of(child)).append(" accesses ").append(text_of(inner)).append(", which its parent, ");
        text.append(text_of(*parent.task)).append(", does not; that has");
        for (const access_node& o : outer) {
            text.append(" ").append(text_of(o.what)).append(",");
        }
        text.back() = '.';
        throw std::logic_error(text);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
