// SPDX-License-Identifier: Apache-2.0
#include "mixed/model.hpp"
#include "mixed/tasks.hpp"
#include "support/dataflow.hpp"
#include "support/digest.hpp"
#include "support/preset.hpp"

#include <exception>

namespace apps::SKERRY_APP_VARIANT {

namespace {

using namespace mixed_tasks;
using mixed::outcome;

// Lanes, and the numbers of a lane.
constexpr presets sizes{{{4, 64}, {16, 256}, {64, 4096}, {256, 1024}}};

plan planned(const options& o) {
    constexpr std::size_t rounds = 64;
    const preset p = chosen(sizes, o);
    return {p.n, p.granularity, rounds, o.seed};
}

/// The constructs inside each other, each way; then an exception from each place, and a group called off.
class all_constructs final : public instance {
  public:
    explicit all_constructs(const options& o) : plan_(planned(o)), home_(par::root_region().create()) {
        for (std::size_t lane = 0; lane < plan_.lanes; ++lane) {
            data_.push_back(home_.make_array<std::uint64_t>(plan_.items));
            cells_.push_back(home_.make_array<std::uint64_t>(mixed::cells_per_lane));
        }
    }

    ~all_constructs() override { home_.destroy_all(); }

    std::string problem() const override {
        return std::to_string(plan_.lanes) + " lanes, " + std::to_string(plan_.items) + " numbers each";
    }

    void reset() override {
        outcomes_.clear();
        for (const numbers cells : cells_) std::ranges::fill(cells, 0);
    }

    void run() override {
        using par::in, par::inout, par::out;
        stage("fork and join in tasks", [this](std::size_t lane) {
            par::spawn(fill, out(data_[lane]), plan_, lane);
            par::spawn(work, inout(data_[lane]), plan_.rounds);
            par::spawn(total, in(data_[lane]), out(cells_[lane][0]));
        });
        stage("tasks in tasks", [this](std::size_t lane) { par::spawn(nest, inout(cells_[lane])); });
        outcomes_.push_back(waited("tasks from branches", [this] {
            spawn_by_halves(0, plan_.lanes);
            par::taskwait();
        }));
        outcomes_.push_back(waited("finish around all", [this] {
            par::finish([this](par::scope& s) {
                for (std::size_t lane = 0; lane < plan_.lanes; ++lane) {
                    s.async([this, lane] { par::spawn(step, inout(cells_[lane][0]), std::uint64_t{11}); });
                    par::spawn(step, inout(cells_[lane][1]), std::uint64_t{12});
                }
                par::parallel_invoke([this] { par::spawn(step, inout(cells_[0][2]), std::uint64_t{13}); }, [] {});
            });
        }));
        stage("finish in tasks", [this](std::size_t lane) { par::spawn(finish_all, inout(cells_[lane])); });
        stage("futures in tasks", [this](std::size_t lane) { par::spawn(look_ahead, inout(cells_[lane])); });

        failing("exception of a task", fail_in_body);
        failing("exception of a branch", fail_in_branch);
        failing("exception of an async", fail_in_async);
        failing("exception of a future", fail_in_future);
        failing("exception of a group", fail_in_group);
        failing("exception of a finish", fail_in_finish);
        failing("exception of a branch's task", fail_in_task_of_branch);
        failing("exception of an async's task", fail_in_task_of_async);
        const auto nested = [this] {
            for (std::size_t lane = 0; lane < plan_.lanes; ++lane) {
                par::spawn(step, inout(cells_[lane][3]), std::uint64_t{14});
                par::spawn(fail_in_child, inout(cells_[lane].first(3)), lane);
            }
            par::taskwait();
        };
        outcomes_.push_back(waited("exception of a nested task", nested, [this] {
            for (const numbers cells : cells_) {
                for (std::uint64_t& cell : cells.first(3)) par::spawn(set, out(cell), std::uint64_t{18});
            }
        }));
        const auto finished = [this] {
            par::finish([this](par::scope&) {
                par::spawn(fail_in_body, inout(cells_[0][0]), std::size_t{0});
                par::spawn(step, inout(cells_[0][1]), std::uint64_t{15});
            });
        };
        outcomes_.push_back(
            waited("exception at finish", finished, [this] { par::spawn(set, out(cells_[0][0]), std::uint64_t{18}); }));
        stage("groups called off", [this](std::size_t lane) { par::spawn(call_off, inout(cells_[lane])); });
    }

    verdict check() const override { return mixed::compare(outcomes_, plan_); }
    void corrupt() override { outcomes_[2].hash ^= 1U; }

    std::optional<std::uint64_t> digest() const override {
        std::vector<std::uint64_t> all;
        for (const outcome& o : outcomes_) {
            all.push_back(o.hash);
            all.insert(all.end(), o.arrived.begin(), o.arrived.end());
        }
        return digest_of(std::span<const std::uint64_t>(all));
    }

    std::string print() const override {
        std::string text;
        for (const outcome& o : outcomes_) {
            if (!o.arrived.empty()) text += (text.empty() ? "" : "\n") + o.stage + ": '" + o.arrived + "'";
        }
        return text;
    }

  private:
    /// Runs body, which waits for what it begins; then what makes sound again what a failed task may have left.
    template <class F, class G>
    outcome waited(const char* name, F&& body, G&& repair) {
        std::string arrived;
        try {
            body();
        } catch (const std::exception& e) {
            arrived = e.what();
        }
        repair();
        par::taskwait();
        std::vector<std::uint64_t> all;
        for (const numbers cells : cells_) all.insert(all.end(), cells.begin(), cells.end());
        return {name, arrived, mixed::hash_of(all)};
    }
    template <class F>
    outcome waited(const char* name, F&& body) {
        return waited(name, body, [] {});
    }

    /// Spawns for each lane, and waits.
    template <class F>
    void stage(const char* name, F&& spawn_for) {
        outcomes_.push_back(waited(name, [&] {
            for (std::size_t lane = 0; lane < plan_.lanes; ++lane) spawn_for(lane);
            par::taskwait();
        }));
    }

    /// A task fails in each lane; the one that reads what it has not written is skipped, any other is not; what is
    /// written anew is sound again.
    void failing(const char* name, void (*task)(std::uint64_t&, std::size_t)) {
        using par::in, par::inout, par::out;
        stage(name, [this, task](std::size_t lane) {
            const numbers cells = cells_[lane];
            par::spawn(task, inout(cells[0]), lane);
            par::spawn(join, in(cells[0]), inout(cells[1]));
            par::spawn(step, inout(cells[2]), std::uint64_t{16});
            par::spawn(set, out(cells[0]), std::uint64_t{17});
            par::spawn(join, in(cells[0]), inout(cells[3]));
        });
    }

    /// The branches of a fork spawn tasks on lanes of their own.
    void spawn_by_halves(std::size_t begin, std::size_t end) {
        if (end - begin == 1) {
            par::spawn(step, par::inout(cells_[begin][0]), std::uint64_t{begin});
            par::spawn(join, par::in(cells_[begin][0]), par::inout(cells_[begin][1]));
            return;
        }
        const std::size_t middle = begin + (end - begin) / 2;
        par::parallel_invoke([=, this] { spawn_by_halves(begin, middle); },
                             [=, this] { spawn_by_halves(middle, end); });
    }

    plan plan_;
    par::region home_;
    std::vector<numbers> data_;
    std::vector<numbers> cells_;
    std::vector<outcome> outcomes_;
};

} // namespace

entry entry_mixed() {
    return {{.name = "mixed",
             .summary = "every construct inside every other, an exception from each place",
             .example = "skerry run mixed --size small",
             .of = system::dataflow},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<all_constructs>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
