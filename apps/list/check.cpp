// SPDX-License-Identifier: Apache-2.0
#include "list/check.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace apps::list {

namespace {

struct entry {
    std::uint64_t key;
    std::uint64_t value;
    bool on_left_edge; ///< of its limb's tree
};

/// The lowest limbs from left to right; one null pointer if they are not as many as planned.
std::vector<const limb*> lowest_limbs(const limb* top, const plan& p) {
    std::vector<const limb*> level{top};
    while (level.size() < p.lowest) {
        std::vector<const limb*> below;
        for (const limb* l : level) {
            if (l == nullptr || l->left == nullptr || l->right == nullptr) return {nullptr};
            below.push_back(l->left);
            below.push_back(l->right);
        }
        level = std::move(below);
    }
    const bool whole = std::ranges::all_of(level, [](const limb* l) { return l != nullptr && l->left == nullptr; });
    return whole ? level : std::vector<const limb*>{nullptr};
}

/// In the order of the tree; one more than planned if it has more, or goes round.
std::vector<entry> entries(const limb& l, const plan& p) {
    std::vector<entry> found;
    std::size_t visited = 0;
    const std::function<void(const node*, bool)> visit = [&](const node* n, bool on_left_edge) {
        if (n == nullptr || visited > 2 * p.nodes) return;
        ++visited;
        visit(n->left, on_left_edge);
        found.push_back({n->key, n->value, on_left_edge});
        visit(n->right, false);
    };
    visit(l.tree, true);
    return found;
}

/// The whole list; one more than planned if it has more.
std::vector<std::uint64_t> links(const limb& first, const plan& p) {
    std::vector<std::uint64_t> found;
    for (const link* at = first.first; at != nullptr && found.size() <= p.lowest * p.nodes; at = at->next) {
        found.push_back(at->value);
    }
    return found;
}

std::uint64_t expected_value(const entry& e, const plan& p) {
    const std::uint64_t value = changed(node_value(p, e.key), p.rounds);
    return e.on_left_edge ? touched(value) : value;
}

/// Of the list when the program is over: of each stretch, built and then doubled, the even places are left.
std::vector<std::uint64_t> expected_links(const plan& p) {
    std::vector<std::uint64_t> values;
    for (std::size_t b = 0; b < p.lowest; ++b) {
        for (std::size_t i = 0; i < 2 * p.nodes; i += 2) {
            const std::size_t place = i < p.nodes ? b * p.nodes + i : (p.lowest + b) * p.nodes + (i - p.nodes);
            const std::uint64_t value = changed(link_value(p, place), p.rounds);
            values.push_back(i == 0 ? touched(value) : value);
        }
    }
    return values;
}

walk walk_along(std::span<const std::uint64_t> values) {
    walk w{0, values.size()};
    for (const std::uint64_t v : values) w.hash = scatter(w.hash ^ v);
    return w;
}

std::string number(std::size_t n) { return std::to_string(n); }

} // namespace

std::vector<std::uint64_t> contents(const limb* top, const plan& p) {
    std::vector<std::uint64_t> all;
    const auto lowest = lowest_limbs(top, p);
    if (lowest.front() == nullptr) return all;
    for (const limb* l : lowest) {
        for (const entry& e : entries(*l, p)) all.push_back(e.value);
    }
    const auto list = links(*lowest.front(), p);
    all.insert(all.end(), list.begin(), list.end());
    return all;
}

verdict structure(const limb* top, const plan& p, const walks& found) {
    const auto lowest = lowest_limbs(top, p);
    if (lowest.front() == nullptr) return {false, "the upper tree is not of " + number(p.lowest) + " lowest limbs"};
    if (found.trees_before.size() != p.lowest || found.trees_after.size() != p.lowest) {
        return {false, "sums of walks are missing"};
    }
    for (std::size_t b = 0; b < p.lowest; ++b) {
        const std::string where = "tree " + number(b) + ": ";
        const auto tree = entries(*lowest[b], p);
        if (tree.size() != 2 * p.nodes) return {false, where + "there are not " + number(2 * p.nodes) + " nodes"};
        std::uint64_t before = 0;
        std::uint64_t after = 0;
        for (std::size_t i = 0; i < tree.size(); ++i) {
            const std::uint64_t key = b * 2 * p.nodes + i;
            if (tree[i].key != key) return {false, where + "key " + number(key) + " is missing"};
            if (tree[i].value != expected_value(tree[i], p))
                return {false, where + "key " + number(key) + " has a wrong value"};
            before += i % 2 == 0 ? scatter(node_value(p, key)) : 0;
            after += scatter(tree[i].value);
        }
        if (found.trees_before[b] != before) return {false, where + "the first walk found another sum"};
        if (found.trees_after[b] != after) return {false, where + "the last walk found another sum"};
    }
    const auto list = links(*lowest.front(), p);
    const auto expected = expected_links(p);
    if (list.size() != expected.size()) return {false, "the list has not " + number(expected.size()) + " links"};
    const auto differ = std::ranges::mismatch(list, expected);
    if (differ.in1 != list.end()) {
        return {false, "link " + number(static_cast<std::size_t>(differ.in1 - list.begin())) + " has a wrong value"};
    }
    std::vector<std::uint64_t> built;
    built.reserve(p.lowest * p.nodes);
    for (std::size_t i = 0; i < p.lowest * p.nodes; ++i) built.push_back(link_value(p, i));
    if (found.list_before != walk_along(built)) return {false, "the first walk along the list found something else"};
    if (found.list_after != walk_along(expected)) return {false, "the last walk along the list found something else"};
    return {true, number(2 * p.lowest * p.nodes) + " nodes and " + number(list.size()) + " links as planned"};
}

} // namespace apps::list
