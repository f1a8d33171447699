// SPDX-License-Identifier: Apache-2.0
#include "list/check.hpp"
#include "list/structure.hpp"
#include "list/tasks.hpp"
#include "support/dataflow.hpp"
#include "support/digest.hpp"
#include "support/preset.hpp"

#include <bit>

namespace apps::SKERRY_APP_VARIANT {

namespace {

using namespace list_tasks;

// Nodes when built, and those of one lowest limb.
constexpr presets sizes{{{256, 32}, {4096, 256}, {std::size_t{1} << 17, 4096}, {std::size_t{1} << 17, 1024}}};

plan planned(const options& o) {
    constexpr std::size_t rounds = 64;
    const preset p = chosen(sizes, o);
    const std::size_t lowest = std::bit_floor(std::max<std::size_t>(1, p.n / p.granularity));
    return {lowest, p.n / lowest, rounds, o.seed};
}

/// A tree and a list in regions within regions: built by one task; walked, changed, extended and thinned by others.
class list_and_tree final : public instance {
  public:
    explicit list_and_tree(const options& o) : plan_(planned(o)), results_(par::root_region().create()) {
        entrance_ = results_.make<list::entrance>();
        list_before_ = results_.make<list::walk>();
        list_after_ = results_.make<list::walk>();
        trees_before_ = results_.make_array<std::uint64_t>(plan_.lowest);
        trees_after_ = results_.make_array<std::uint64_t>(plan_.lowest);
        home_ = par::root_region().create();
    }

    ~list_and_tree() override {
        home_.destroy_all();
        results_.destroy_all();
    }

    std::string problem() const override {
        return std::to_string(plan_.lowest * plan_.nodes) + " nodes and links, doubled; " +
               std::to_string(plan_.lowest) + " subtrees";
    }

    void reset() override {
        home_.destroy_all();
        home_ = par::root_region().create();
        *entrance_ = {};
        *list_before_ = *list_after_ = {};
        std::ranges::fill(trees_before_, 0);
        std::ranges::fill(trees_after_, 0);
    }

    void run() override {
        using par::in, par::inout, par::out;
        par::spawn(build, inout(home_), out(*entrance_), plan_);
        par::taskwait_on(in(*entrance_));
        limb* const top = entrance_->top;
        par::spawn(walk_tree, in(home_), out(trees_before_), top);
        par::spawn(walk_list, in(home_), out(*list_before_), top);
        par::spawn(change, inout(home_), top, plan_.rounds);
        par::spawn(extend, inout(home_), top, plan_, std::size_t{0}, plan_.lowest);
        par::spawn(touch, inout(home_), top);
        par::spawn(thin, inout(home_), top);
        par::spawn(walk_tree, in(home_), out(trees_after_), top);
        par::spawn(walk_list, in(home_), out(*list_after_), top);
        par::taskwait();
    }

    verdict check() const override {
        return list::structure(entrance_->top, plan_, {trees_before_, trees_after_, *list_before_, *list_after_});
    }

    void corrupt() override {
        limb* l = entrance_->top;
        while (l->left != nullptr) l = l->right;
        l->tree->value = list::changed(l->tree->value, plan_.rounds);
    }

    std::optional<std::uint64_t> digest() const override {
        std::vector<std::uint64_t> all = list::contents(entrance_->top, plan_);
        all.insert(all.end(), trees_before_.begin(), trees_before_.end());
        all.insert(all.end(), trees_after_.begin(), trees_after_.end());
        all.insert(all.end(), {list_before_->hash, list_after_->hash});
        return digest_of(std::span<const std::uint64_t>(all));
    }

  private:
    plan plan_;
    par::region results_;
    list::entrance* entrance_ = nullptr;
    list::walk* list_before_ = nullptr;
    list::walk* list_after_ = nullptr;
    sums trees_before_;
    sums trees_after_;
    par::region home_;
};

} // namespace

entry entry_list() {
    return {{.name = "list",
             .summary = "a tree and a list in regions, walked, changed and extended by pointers",
             .example = "skerry run list --granularity 512",
             .of = system::dataflow},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<list_and_tree>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
