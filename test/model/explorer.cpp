// SPDX-License-Identifier: Apache-2.0

// The walk by states, and the choice of the walk.

#include "explorer.hpp"

#include <algorithm>
#include <vector>

#include "replay.hpp"
#include "state_store.hpp"
#include "walk.hpp"

namespace skerry::model {

namespace {

bool all_by_traces = false;

class state_walk final : public walk {
  public:
    using walk::walk;

  private:
    struct step {
        std::uint32_t from = 0;
        transition by;
    };

    void restart() {
        begin();
        states_ = state_store{engine_.components()};
        parents_.clear();
        successors_.clear();
        first_successor_.clear();
        ends_.clear();
    }

    std::string size_text() const override { return std::to_string(states_.size()) + " states"; }

    // False if something thought local was not: to be done again.
    bool attempt() override {
        restart();
        if (engine_.failed()) {
            return report(engine_.failure_kind(), engine_.failure_text(), {});
        }
        if (engine_.restart_wanted()) {
            return false;
        }
        insert();
        parents_.push_back({});
        for (std::uint32_t s = 0; s < states_.size(); ++s) {
            first_successor_.push_back(successors_.size());
            load(states_.components(s));
            const std::string race = engine_.race();
            if (!race.empty()) {
                return report("race", race, path(s));
            }
            engine_.look_at_state();
            if (engine_.failed()) {
                return report(engine_.failure_kind(), engine_.failure_text(), path(s));
            }
            const std::vector<transition> choices = engine_.enabled();
            const bool stuck = std::none_of(choices.begin(), choices.end(),
                                            [this](const transition& t) { return engine_.progress(t); });
            if (stuck && engine_.finished()) {
                ends_.push_back(s);
                engine_.finish();
                if (engine_.failed()) {
                    return report(engine_.failure_kind(), engine_.failure_text(), path(s));
                }
                forget_current();
            } else if (stuck) {
                return report("deadlock", "nothing can happen any more", path(s));
            }
            for (const transition& t : choices) {
                load(states_.components(s));
                const bool progress = engine_.progress(t);
                engine_.apply(t);
                ++result_.transitions;
                if (engine_.restart_wanted()) {
                    return false;
                }
                if (engine_.failed()) {
                    std::vector<transition> way = path(s);
                    way.push_back(t);
                    return report(engine_.failure_kind(), engine_.failure_text(), way);
                }
                const std::size_t known = states_.size();
                const std::uint32_t next = insert();
                if (next == known) {
                    parents_.push_back({s, t});
                }
                if (progress) {
                    successors_.push_back(next);
                }
            }
            if (states_.size() > options_.max_states || bytes_.bytes() > byte_limit) {
                return report("limit", "too many states: " + std::to_string(states_.size()), {});
            }
        }
        if (engine_.full_buffers != 0 && !options_.full_buffers_allowed) {
            return report("limit", "a store buffer of " + std::to_string(options_.buffer_entries) + " entries was full",
                          {});
        }
        if (options_.must_terminate) {
            const std::uint32_t lost = first_without_end();
            if (lost != byte_strings::none) {
                return report("no end", "from here the end cannot be reached any more", path(lost));
            }
        }
        result_.ok = true;
        return true;
    }

    // Backwards from the final states along what may be relied on.
    std::uint32_t first_without_end() const {
        const std::size_t n = states_.size();
        std::vector<std::uint64_t> first(n + 1);
        for (const std::uint32_t to : successors_) {
            ++first[to + 1];
        }
        for (std::size_t i = 0; i < n; ++i) {
            first[i + 1] += first[i];
        }
        std::vector<std::uint32_t> predecessors(successors_.size());
        std::vector<std::uint64_t> fill(first.begin(), first.end() - 1);
        for (std::uint32_t s = 0; s < n; ++s) {
            const std::size_t last = s + 1 < n ? first_successor_[s + 1] : successors_.size();
            for (std::size_t i = first_successor_[s]; i < last; ++i) {
                predecessors[fill[successors_[i]]++] = s;
            }
        }
        std::vector<bool> ends(n);
        std::vector<std::uint32_t> todo = ends_;
        for (const std::uint32_t s : ends_) {
            ends[s] = true;
        }
        while (!todo.empty()) {
            const std::uint32_t s = todo.back();
            todo.pop_back();
            for (std::size_t i = first[s]; i < first[s + 1]; ++i) {
                if (!ends[predecessors[i]]) {
                    ends[predecessors[i]] = true;
                    todo.push_back(predecessors[i]);
                }
            }
        }
        const auto lost = std::find(ends.begin(), ends.end(), false);
        return lost == ends.end() ? byte_strings::none : static_cast<std::uint32_t>(lost - ends.begin());
    }

    std::uint32_t insert() {
        const std::uint32_t state = states_.insert(capture()).first;
        result_.states = states_.size();
        return state;
    }

    std::vector<transition> path(std::uint32_t state) const {
        std::vector<transition> way;
        for (; state != 0; state = parents_[state].from) {
            way.push_back(parents_[state].by);
        }
        std::reverse(way.begin(), way.end());
        return way;
    }

    state_store states_{1};
    std::vector<step> parents_;
    std::vector<std::uint32_t> successors_; // along transitions that may be relied on
    std::vector<std::size_t> first_successor_;
    std::vector<std::uint32_t> ends_;
};

} // namespace

result walk_states(const scenario& s, const options& o) { return state_walk(s, o).run(); }

void set_walk(walk_by how) { all_by_traces = how == walk_by::traces; }

result explore_scenario(const scenario& s, const options& o) {
    if (const auto way = count_exploration()) {
        return state_walk(s, o).follow(*way);
    }
    options chosen = o;
    chosen.walk = all_by_traces ? walk_by::traces : o.walk;
    const bool by_states_alone = o.memory == memory_order_of::caches || o.memory == memory_order_of::rc11;
    if (s.always != nullptr || o.alike != 0 || (all_by_traces && by_states_alone)) {
        chosen.walk = walk_by::states; // who looks at each state, or at one naming of each, needs all of them
    }
    return chosen.walk == walk_by::traces ? walk_traces(s, chosen) : walk_states(s, chosen);
}

} // namespace skerry::model
