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

} // namespace

void check_containment(const task_context& parent, const dependent_task& child) {
    if (parent.task == nullptr || parent.task->node_count == 0) {
        return;
    }
    const std::span outer(parent.task->nodes, parent.task->node_count);
    for (const access_node& node : std::span(child.nodes, child.node_count)) {
        const access& inner = node.what;
        const bool free = inner.nothing() || (inner.kind != access_kind::region && port::on_this_stack(inner.first));
        if (free || std::ranges::any_of(outer, [&](const access_node& o) { return contains(o.what, inner); })) {
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
