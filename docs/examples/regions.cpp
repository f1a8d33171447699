// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <skerry/skerry.hpp>

namespace {

// [tree]
struct tree {
    int key;
    skerry::region place; // of the subtrees
    tree* left = nullptr;
    tree* right = nullptr;
};

tree* grow(skerry::region here, int first, int last) {
    if (first == last) return nullptr;
    const int middle = first + (last - first) / 2;
    tree* t = here.make<tree>(middle, here.create());
    t->left = grow(t->place, first, middle);
    t->right = grow(t->place, middle + 1, last);
    return t;
}

long sum(const tree* t) { return t == nullptr ? 0 : t->key + sum(t->left) + sum(t->right); }
// [/tree]

bool trees() {
    // [destroy]
    skerry::region forest = skerry::root_region().create();
    tree* t = grow(forest, 0, 100);
    const long all = sum(t);
    t->place.destroy_all(); // both subtrees, with every region in them; t itself stays
    t->left = t->right = nullptr;
    const long top = sum(t);
    forest.destroy_all();
    // [/destroy]
    return all == 4950 && top == 50;
}

bool objects() {
    skerry::region r = skerry::root_region().create();
    // [objects]
    double* pi = r.make<double>(3.14);
    std::span<float> matrix = r.make_array<float>(512 * 512); // zeros
    r.destroy(pi);
    r.destroy(matrix.data()); // the whole array
    // [/objects]
    // [containers]
    std::vector<int, skerry::region_allocator<int>> v(1000, 1, r.allocator<int>());
    using entry = std::pair<const int, long>;
    std::map<int, long, std::less<>, skerry::region_allocator<entry>> m(r.allocator<entry>());
    m[7] = v[7];
    // [/containers]
    const bool right = m[7] == 1;
    m.clear();
    v.clear();
    r.destroy_all();
    bool refused = false;
    // [gone]
    try {
        r.make<int>(1);
    } catch (const std::logic_error& e) {
        refused = true;
        std::puts(e.what()); // skerry: region::make: region 0x... was destroyed
    }
    // [/gone]
    return right && refused;
}

} // namespace

int main() { return trees() && objects() ? 0 : 1; }
