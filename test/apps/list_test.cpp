// SPDX-License-Identifier: Apache-2.0
// The checker of the program list accepts what its serial elision leaves, and rejects what a lost, doubled or misplaced
// task would.
#include "list/check.hpp"
#include "support/random.hpp"

#include <list>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace {

namespace list = apps::list;
using list::limb;
using list::link;
using list::node;
using list::plan;
using testing::HasSubstr;

/// A right result, made without tasks: by hand, from what the plan says about keys, values and places.
class check_list : public testing::Test {
  protected:
    check_list() {
        std::vector<limb*> lowest;
        link* last = nullptr;
        for (std::size_t b = 0; b < plan_.lowest; ++b) {
            limb& l = limbs_.emplace_back(limb{});
            lowest.push_back(&l);
            l.tree = tree(b, 0, 2 * plan_.nodes);
            // The left edge was touched.
            for (node* n = l.tree; n != nullptr; n = n->left) n->value = list::touched(n->value);
            std::uint64_t before = 0;
            std::uint64_t after = 0;
            for (std::size_t i = 0; i < 2 * plan_.nodes; ++i) {
                const std::uint64_t key = 2 * b * plan_.nodes + i;
                before += i % 2 == 0 ? apps::scatter(list::node_value(plan_, key)) : 0;
                after += apps::scatter(find(l.tree, key)->value);
            }
            before_.push_back(before);
            after_.push_back(after);
            for (std::size_t i = 0; i < plan_.nodes; ++i) {
                list_before_.hash = apps::scatter(list_before_.hash ^ list::link_value(plan_, b * plan_.nodes + i));
                ++list_before_.length;
            }
            for (std::size_t i = 0; i < 2 * plan_.nodes; i += 2) {
                const std::size_t place =
                    i < plan_.nodes ? b * plan_.nodes + i : (plan_.lowest + b - 1) * plan_.nodes + i;
                std::uint64_t value = list::changed(list::link_value(plan_, place), plan_.rounds);
                if (i == 0) value = list::touched(value);
                link& next = links_.emplace_back(link{value, nullptr});
                if (last != nullptr) last->next = &next;
                if (i == 0) l.first = &next;
                last = &next;
                list_after_.hash = apps::scatter(list_after_.hash ^ value);
                ++list_after_.length;
            }
            l.last = last;
        }
        top_ = &limbs_.emplace_back(limb{{}, lowest[0], lowest[1], nullptr, nullptr, nullptr});
    }

    /// Keys begin to end - 1 of limb b.
    node* tree(std::size_t b, std::size_t begin, std::size_t end) {
        if (begin == end) return nullptr;
        const std::size_t middle = begin + (end - begin) / 2;
        const std::uint64_t key = 2 * b * plan_.nodes + middle;
        node* const left = tree(b, begin, middle);
        node* const right = tree(b, middle + 1, end);
        return &nodes_.emplace_back(node{key, list::changed(list::node_value(plan_, key), plan_.rounds), left, right});
    }

    static node* find(node* n, std::uint64_t key) {
        while (n->key != key) n = key < n->key ? n->left : n->right;
        return n;
    }

    apps::verdict verdict() const { return list::structure(top_, plan_, {before_, after_, list_before_, list_after_}); }

    void expect_rejected(const char* reason) const {
        EXPECT_FALSE(verdict().ok);
        EXPECT_THAT(verdict().text, HasSubstr(reason));
    }

    plan plan_{2, 5, 3, 1};
    std::list<limb> limbs_;
    std::list<node> nodes_;
    std::list<link> links_;
    limb* top_ = nullptr;
    std::vector<std::uint64_t> before_;
    std::vector<std::uint64_t> after_;
    list::walk list_before_{};
    list::walk list_after_{};
};

TEST_F(check_list, accepts_what_is_planned) {
    EXPECT_TRUE(verdict().ok) << verdict().text;
    EXPECT_EQ(verdict().text, "20 nodes and 10 links as planned");
    EXPECT_EQ(list::contents(top_, plan_).size(), 30U);
}

TEST_F(check_list, rejects_each_wrong_value) {
    for (node& n : nodes_) {
        ++n.value;
        expect_rejected(("key " + std::to_string(n.key) + " has a wrong value").c_str());
        --n.value;
    }
    for (link& l : links_) {
        ++l.value;
        expect_rejected(" has a wrong value");
        --l.value;
    }
}

TEST_F(check_list, rejects_each_lost_link) {
    for (link& l : links_) {
        if (l.next == nullptr) continue;
        link* const next = l.next;
        l.next = next->next;
        expect_rejected("the list has not 10 links");
        l.next = next;
    }
}

TEST_F(check_list, ends_where_pointers_go_round) {
    links_.back().next = &links_.front();
    expect_rejected("the list has not 10 links");
    find(limbs_.front().tree, 0)->left = limbs_.front().tree;
    expect_rejected("tree 0: there are not 10 nodes");
}

TEST_F(check_list, rejects_lost_and_misplaced_nodes) {
    node* const parent = limbs_.front().tree;
    node* const lost = std::exchange(parent->right, nullptr);
    expect_rejected("tree 0: there are not 10 nodes");
    parent->right = lost;
    std::swap(limbs_.front().tree, std::next(limbs_.begin())->tree);
    expect_rejected("tree 0: key 0 is missing");
}

TEST_F(check_list, rejects_wrong_walks) {
    const auto damaged = [this](std::uint64_t& what, const char* reason) {
        ++what;
        expect_rejected(reason);
        --what;
    };
    damaged(before_[1], "tree 1: the first walk found another sum");
    damaged(after_[0], "tree 0: the last walk found another sum");
    damaged(list_before_.hash, "the first walk along the list");
    damaged(list_before_.length, "the first walk along the list");
    damaged(list_after_.hash, "the last walk along the list");
    before_.pop_back();
    expect_rejected("sums of walks are missing");
}

TEST_F(check_list, rejects_other_limbs) {
    top_->right = nullptr;
    expect_rejected("the upper tree is not of 2 lowest limbs");
    EXPECT_TRUE(list::contents(top_, plan_).empty());
    top_ = nullptr;
    expect_rejected("the upper tree is not of 2 lowest limbs");
}

} // namespace
