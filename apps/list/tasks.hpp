// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tasks of the program. Those on a limb are hierarchical (Lyberis et al., "Myrmics", Fig. 1): a task has a region,
// and spawns tasks on the regions within it; tasks of different subtrees run at the same time. Included by list.cpp,
// once in each variant.

#include "list/structure.hpp"
#include "support/dataflow.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace apps::SKERRY_APP_VARIANT {

namespace list_tasks {

using list::limb;
using list::link;
using list::node;
using list::plan;
using par::region;
using sums = std::span<std::uint64_t>; ///< one for each lowest limb

/// A search tree of the even keys from `first` on.
inline node* build_tree(region& home, const plan& p, std::uint64_t first, std::size_t count) {
    if (count == 0) return nullptr;
    const std::size_t before = count / 2;
    const std::uint64_t key = first + 2 * before;
    return home.make<node>(node{key, list::node_value(p, key), build_tree(home, p, first, before),
                                build_tree(home, p, key + 2, count - before - 1)});
}

/// Limbs for `lowest` lowest ones, numbered from `number` on. `last` is the link to continue from, and then the new
/// last.
inline limb* build_limb(region home, const plan& p, std::size_t number, std::size_t lowest, link*& last) {
    limb* const l = home.make<limb>(limb{home, nullptr, nullptr, nullptr, nullptr, nullptr});
    if (lowest > 1) {
        l->left = build_limb(home.create(), p, number, lowest / 2, last);
        l->right = build_limb(home.create(), p, number + lowest / 2, lowest / 2, last);
        return l;
    }
    l->tree = build_tree(home, p, number * 2 * p.nodes, p.nodes);
    for (std::size_t i = 0; i < p.nodes; ++i) {
        link* const next = home.make<link>(link{list::link_value(p, number * p.nodes + i), nullptr});
        if (last != nullptr) last->next = next;
        if (i == 0) l->first = next;
        last = next;
    }
    l->last = last;
    return l;
}

inline void build(region& home, list::entrance& e, const plan& p) {
    link* last = nullptr;
    e.top = build_limb(home, p, 0, p.lowest, last);
}

inline std::uint64_t sum_of(const node* n) {
    return n == nullptr ? 0 : sum_of(n->left) + list::changed(n->value, 1) + sum_of(n->right);
}

/// The sum of each lowest limb's tree.
inline void walk_tree(const region&, sums each, const limb* l) {
    if (l->left == nullptr) {
        each[0] = sum_of(l->tree);
        return;
    }
    par::spawn(walk_tree, par::in(l->left->home), par::out(each.first(each.size() / 2)), l->left);
    par::spawn(walk_tree, par::in(l->right->home), par::out(each.last(each.size() / 2)), l->right);
}

/// Along the whole list, through all regions.
inline void walk_list(const region&, list::walk& found, const limb* l) {
    while (l->left != nullptr) l = l->left;
    found = {};
    for (const link* at = l->first; at != nullptr; at = at->next) {
        found.hash = list::changed(found.hash ^ at->value, 1);
        ++found.length;
    }
}

inline void change_tree(node* n, std::size_t rounds) {
    if (n == nullptr) return;
    change_tree(n->left, rounds);
    n->value = list::changed(n->value, rounds);
    change_tree(n->right, rounds);
}

/// Every value of the tree and of the list.
inline void change(region&, limb* l, std::size_t rounds) {
    if (l->left == nullptr) {
        change_tree(l->tree, rounds);
        for (link* at = l->first;; at = at->next) {
            at->value = list::changed(at->value, rounds);
            if (at == l->last) return;
        }
    }
    par::spawn(change, par::inout(l->left->home), l->left, rounds);
    par::spawn(change, par::inout(l->right->home), l->right, rounds);
}

inline void insert(region& home, node*& at, std::uint64_t key, std::uint64_t value) {
    node** place = &at;
    while (*place != nullptr) place = key < (*place)->key ? &(*place)->left : &(*place)->right;
    *place = home.make<node>(node{key, value, nullptr, nullptr});
}

/// The odd keys come into the trees, and each stretch of the list gets as many links again at its end.
inline void extend(region& home, limb* l, const plan& p, std::size_t number, std::size_t lowest) {
    if (l->left != nullptr) {
        const std::size_t half = lowest / 2;
        par::spawn(extend, par::inout(l->left->home), l->left, p, number, half);
        par::spawn(extend, par::inout(l->right->home), l->right, p, number + half, half);
        return;
    }
    for (std::size_t i = 0; i < p.nodes; ++i) {
        const std::uint64_t key = number * 2 * p.nodes + 2 * i + 1;
        insert(home, l->tree, key, list::changed(list::node_value(p, key), p.rounds));
        const std::uint64_t place = (p.lowest + number) * p.nodes + i;
        l->last->next = home.make<link>(link{list::changed(list::link_value(p, place), p.rounds), l->last->next});
        l->last = l->last->next;
    }
}

inline void touch_node(node& n) { n.value = list::touched(n.value); }
inline void touch_link(link& l) { l.value = list::touched(l.value); }

/// Tasks on single objects: the nodes down the left edge of each tree, and the ends of each stretch.
inline void touch(region&, limb* l) {
    if (l->left != nullptr) {
        par::spawn(touch, par::inout(l->left->home), l->left);
        par::spawn(touch, par::inout(l->right->home), l->right);
        return;
    }
    for (node* n = l->tree; n != nullptr;) {
        node* const next = n->left; // read before the task has n
        par::spawn(touch_node, par::inout(*n));
        n = next;
    }
    link* const last = l->last;
    par::spawn(touch_link, par::inout(*l->first));
    par::spawn(touch_link, par::inout(*last));
}

/// Every second link of the list goes: those at odd places of each stretch.
inline void thin(region& home, limb* l) {
    if (l->left != nullptr) {
        par::spawn(thin, par::inout(l->left->home), l->left);
        par::spawn(thin, par::inout(l->right->home), l->right);
        return;
    }
    link* at = l->first;
    while (at != l->last) {
        link* const gone = at->next;
        at->next = gone->next;
        if (gone == l->last) {
            l->last = at;
        } else {
            at = at->next;
        }
        home.destroy(gone);
    }
}

} // namespace list_tasks

} // namespace apps::SKERRY_APP_VARIANT
