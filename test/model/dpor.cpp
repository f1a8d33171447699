// SPDX-License-Identifier: Apache-2.0

// The walk by traces: executions one after the other, without a memory of states. Executions that differ only by the
// order of steps that commute are one trace, and one of them is enough. Where an execution has a race, the other order
// is tried from the place before the race (source sets) unless it is known to have been (sleep sets): Abdulla, Aronis,
// Jonsson, Sagonas, Optimal dynamic partial order reduction, POPL 2014, algorithm 1. README.md says how it is extended
// by what makes this machine's steps wait, by choices and by loops, and why nothing is lost.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "happens_before.hpp"
#include "state_store.hpp"
#include "walk.hpp"

namespace skerry::model {

namespace {

constexpr std::size_t longest = 4000; // steps of one execution
constexpr std::size_t largest_search = 200'000;

class trace_walk final : public walk {
  public:
    using walk::walk;

    result run_and_shorten() {
        result mine = run();
        if (mine.ok || mine.kind == "limit") {
            return mine;
        }
        // The shortest way to a failure is the other walk's to find. Its absence there is a failure of this walk.
        options by_states = options_;
        by_states.walk = walk_by::states;
        by_states.max_states = std::min<std::size_t>(options_.max_states, 3'000'000);
        result shortest = walk_states(scenario_, by_states);
        if (shortest.ok) {
            throw std::logic_error("model: only the walk by traces finds this failure: " + mine.report);
        }
        if (shortest.kind == "limit") {
            return mine;
        }
        shortest.executions = mine.executions;
        shortest.transitions = mine.transitions;
        return shortest;
    }

  private:
    static constexpr std::size_t none = ~std::size_t{0};

    struct choice {
        transition by;
        unsigned process = 0;
    };
    // A step that need not be taken from here: all that begins with it has been walked.
    struct sleeper {
        transition by;
        visible_event visible;
        std::vector<event> lives;
    };
    struct node {
        std::vector<std::uint32_t> state;
        std::vector<choice> choices;
        std::vector<sleeper> asleep;
        process_set wanted = 0; // to be tried from here
        process_set tried = 0;
        unsigned process = 0;          // that is tried now,
        std::size_t next = 0;          // and where among its choices
        std::uint32_t spinning = 0;    // bit i: thread i is in a loop that others must end
        std::size_t returns_to = none; // the first place that executions from here come back to
        bool returned_to = false;
        bool leaves = false; // some execution from here ends, or is known by another
    };

    std::string size_text() const override {
        return std::to_string(result_.executions) + " executions (" + std::to_string(result_.redundant) +
               " redundant, " + std::to_string(result_.spins) + " spin, " + std::to_string(result_.returns) +
               " return)";
    }

    bool attempt() override {
        order_.begin(options_);
        events_.clear();
        engine_.events = &events_;
        learned_ = false;
        begin();
        const bool done = everything();
        engine_.events = nullptr;
        return done;
    }

    bool everything() {
        if (options_.memory == memory_order_of::caches || options_.memory == memory_order_of::rc11) {
            return fail("limit", "the walk by traces knows neither private caches nor loads of old values", 0);
        }
        if (engine_.failed()) {
            return fail(engine_.failure_kind(), engine_.failure_text(), 0);
        }
        if (engine_.restart_wanted()) {
            return false;
        }
        order_.start(events_);
        nodes_.assign(1, node{});
        depth_ = 0;
        if (enter()) {
            return !learned_;
        }
        for (;;) {
            node& here = nodes_[depth_];
            const choice* const next = next_choice(here);
            if (next == nullptr) {
                if (leave() || learned_) {
                    return !learned_;
                }
                if (depth_ == 0) {
                    break;
                }
                --depth_;
                continue;
            }
            load(here.state.data());
            events_.clear();
            const transition by = next->by;
            engine_.apply(by);
            ++result_.transitions;
            if (engine_.restart_wanted()) {
                return false;
            }
            order_.add(depth_, by, events_, races_);
            if (engine_.failed()) {
                return fail(engine_.failure_kind(), engine_.failure_text(), depth_ + 1);
            }
            if (engine_.full_buffers != 0) {
                return report("limit",
                              "a store buffer of " + std::to_string(options_.buffer_entries) + " entries was full", {});
            }
            if (descend()) {
                return !learned_;
            }
            if (result_.executions > options_.max_states || bytes_.bytes() > byte_limit) {
                return report("limit", "too many executions: " + std::to_string(result_.executions), {});
            }
        }
        result_.ok = true;
        return true;
    }

    bool fail(const std::string& kind, const std::string& text, std::size_t steps) {
        engine_.events = nullptr;
        ++result_.executions;
        return report(kind, text, way(steps));
    }

    std::vector<transition> way(std::size_t steps) const {
        std::vector<transition> all;
        for (std::size_t i = 0; i < steps; ++i) {
            all.push_back(order_.step(i).by);
        }
        return all;
    }

    // The next choice to be tried from there: all alternatives of each process that is wanted, but for those asleep.
    const choice* next_choice(node& n) {
        for (;;) {
            for (; n.next < n.choices.size(); ++n.next) {
                const choice& c = n.choices[n.next];
                if (c.process != n.process) {
                    continue;
                }
                if (!sleeps_there(n, c.process, c.by)) {
                    return &n.choices[n.next++];
                }
                n.leaves = true;
            }
            const process_set left = n.wanted & ~n.tried;
            if (left == 0) {
                return nullptr;
            }
            n.process = static_cast<unsigned>(__builtin_ctzll(left));
            n.tried |= only(n.process);
            n.next = 0;
        }
    }

    // Looks at what the step from nodes_[depth_] has done, and enters the place behind it. True: the walk is over.
    bool descend() {
        if (depth_ + 2 > nodes_.size()) {
            nodes_.resize(depth_ + 2);
        }
        const happened_step& step = order_.step(depth_);
        node& from = nodes_[depth_];
        node& to = nodes_[depth_ + 1];
        to.asleep.clear();
        for (const sleeper& s : from.asleep) {
            if (!conflict(s.visible, s.lives, step)) {
                to.asleep.push_back(s);
            }
        }
        from.asleep.push_back({step.by, step.visible, step.lives}); // for whatever is tried from there next
        to.spinning = from.spinning;
        // Whoever could have woken by itself had the choice to.
        for (const choice& c : from.choices) {
            from.wanted |= c.by.kind == transition_kind::spurious && (step.visible.what.woken >> c.by.thread & 1) != 0
                               ? only(c.process)
                               : 0;
        }
        for (const std::size_t i : races_) {
            if (order_.step(i).visible.what.plain || step.visible.what.plain) {
                return race_on_plain(i);
            }
            reverse(i);
        }
        ++depth_;
        return enter();
    }

    // Tries the step that was just made before the one at `first`.
    void reverse(std::size_t first) {
        node& n = nodes_[first];
        process_set before = 0; // that have a step among those that do not need `first`
        const choice* chosen = nullptr;
        std::vector<std::size_t>& free = free_;
        free.clear();
        for (std::size_t i = first + 1; i <= depth_; ++i) {
            if (i != depth_ && order_.ordered(first, i)) {
                continue;
            }
            const happened_step& s = order_.step(i);
            const unsigned process = s.visible.process;
            const bool initial =
                (before & only(process)) == 0 &&
                std::none_of(free.begin(), free.end(), [&](std::size_t earlier) { return order_.ordered(earlier, i); });
            free.push_back(i);
            before |= only(process);
            if (!initial) {
                continue;
            }
            if ((n.wanted & only(process)) != 0 || sleeps_there(n, process, s.by)) {
                return;
            }
            for (const choice& c : n.choices) {
                chosen = c.process == process ? &c : chosen;
            }
        }
        if (chosen == nullptr) {
            throw std::logic_error("model: no step of a race can come first");
        }
        n.wanted |= only(chosen->process);
    }

    // A flush has another index where fewer stores lie before it.
    static bool sleeps_there(const node& n, unsigned process, const transition& t) {
        return std::any_of(n.asleep.begin(), n.asleep.end(), [&](const sleeper& s) {
            return s.visible.process == process &&
                   (t.kind == transition_kind::flush || s.by.alternative == t.alternative);
        });
    }

    // Two accesses that could stand beside each other. Goes to where they do, past the first.
    bool race_on_plain(std::size_t first) {
        std::vector<transition> all = way(first);
        happens_before order = order_;
        load(nodes_[first].state.data());
        for (std::size_t i = first + 1; i < depth_; ++i) {
            if (order_.ordered(first, i)) {
                continue;
            }
            // A store may stand elsewhere in its buffer now.
            const happened_step& s = order_.step(i);
            for (const transition& t : engine_.enabled()) {
                if (order.process_of(all.size(), t) == s.visible.process &&
                    (t.kind == transition_kind::flush || t.alternative == s.by.alternative)) {
                    events_.clear();
                    engine_.apply(t);
                    order.add(all.size(), t, events_, races_);
                    all.push_back(t);
                    break;
                }
            }
        }
        engine_.events = nullptr;
        ++result_.executions;
        return report("race", engine_.race(), all);
    }

    // Looks at the place that the execution has come to. True: the walk is over.
    bool enter() {
        node& n = nodes_[depth_];
        n.state = capture();
        n.choices.clear();
        n.wanted = n.tried = 0;
        n.next = 0;
        n.process = max_processes;
        n.returns_to = none;
        n.returned_to = n.leaves = false;
        const std::string race = engine_.race();
        if (!race.empty()) {
            return fail("race", race, depth_);
        }
        if (depth_ >= longest) {
            return fail("limit", "an execution of more than " + std::to_string(longest) + " steps", depth_);
        }
        const std::vector<transition> possible = engine_.enabled();
        const auto may_rely = [this](const transition& t) { return engine_.progress(t); };
        if (std::none_of(possible.begin(), possible.end(), may_rely)) {
            if (!engine_.finished()) {
                return fail("deadlock", "nothing can happen any more", depth_);
            }
            engine_.finish();
            if (engine_.failed()) {
                return fail(engine_.failure_kind(), engine_.failure_text(), depth_);
            }
            forget_current();
            ++result_.executions;
            n.leaves = true;
            return false;
        }
        if (goes_round()) {
            n.spinning |= 1U << order_.step(depth_ - 1).by.thread;
        } else if (const std::size_t same = seen_at(); same != none) {
            ++result_.executions;
            ++result_.returns;
            nodes_[same].returned_to = true;
            n.returns_to = same;
            for (std::size_t i = same; i < depth_; ++i) {
                for (const choice& c : nodes_[i].choices) {
                    nodes_[i].wanted |= only(c.process);
                }
            }
            return false;
        }
        bool waits = true;
        for (const transition& t : possible) {
            if (t.kind == transition_kind::flush || (n.spinning >> t.thread & 1) == 0) {
                n.choices.push_back({t, order_.process_of(depth_, t)});
                waits = waits && !may_rely(t);
            }
        }
        if (waits && options_.must_terminate && !can_end(n.state)) {
            return fail("no end", "from here the end cannot be reached any more", depth_);
        }
        if (n.choices.empty()) {
            ++result_.executions;
            ++result_.spins;
            n.leaves = true;
            return learned_;
        }
        for (const choice& c : n.choices) {
            if (!sleeps_there(n, c.process, c.by)) {
                n.wanted = only(c.process);
                return false;
            }
        }
        ++result_.executions;
        ++result_.redundant;
        n.leaves = true;
        return false;
    }

    // True: the walk is over.
    bool leave() {
        node& n = nodes_[depth_];
        if (options_.must_terminate && n.returned_to && !n.leaves && (n.returns_to == none || n.returns_to >= depth_) &&
            !can_end(n.state)) {
            return fail("no end", "from here the end cannot be reached any more", depth_);
        }
        if (depth_ != 0) {
            node& before = nodes_[depth_ - 1];
            before.leaves = before.leaves || n.leaves;
            before.returns_to = std::min(before.returns_to, n.returns_to);
        }
        return false;
    }

    // --- loops ------------------------------------------------------------------------------------------------------

    // Whether the thread that made the last step is where it has been, and nothing it did since has changed anything
    // but its stack. Without that round the execution would be the same: what is left of it is for another to walk, and
    // here the thread waits for the others.
    bool goes_round() const {
        if (depth_ == 0 || order_.step(depth_ - 1).by.kind != transition_kind::step) {
            return false;
        }
        const unsigned thread = order_.step(depth_ - 1).by.thread;
        const std::size_t stack = engine_.stack_component(thread);
        const node& now = nodes_[depth_];
        for (std::size_t i = depth_; i-- != 0;) {
            const happened_step& s = order_.step(i);
            if (s.visible.process != thread) {
                continue;
            }
            const action what = s.visible.what.what;
            if (s.by.kind != transition_kind::step || what == action::futex_wait || what == action::futex_wake ||
                what == action::heavy_fence || what == action::heavy_fence_end || what == action::light_fence ||
                changes_more_than(stack, nodes_[i].state, nodes_[i + 1].state)) {
                return false;
            }
            if (nodes_[i].state[stack] == now.state[stack]) {
                return true;
            }
        }
        return false;
    }

    static bool changes_more_than(std::size_t component, const std::vector<std::uint32_t>& before,
                                  const std::vector<std::uint32_t>& after) {
        for (std::size_t k = 0; k < before.size(); ++k) {
            if (k != component && before[k] != after[k]) {
                return true;
            }
        }
        return false;
    }

    // The same state of the whole machine, earlier in this execution. All that can follow here can follow there. What
    // races with the steps between is not seen any more, so everything is tried from each place between.
    std::size_t seen_at() const {
        for (std::size_t i = depth_; i-- != 0;) {
            if (nodes_[i].state == nodes_[depth_].state) {
                return i;
            }
        }
        return none;
    }

    // Whether some way from that state reaches the end along what may be relied on: a search that remembers states.
    bool can_end(const std::vector<std::uint32_t>& state) {
        state_store known{state.size()};
        known.insert(state);
        std::vector<std::uint32_t> todo = {0};
        while (!todo.empty() && known.size() < largest_search) {
            const std::uint32_t s = todo.back();
            todo.pop_back();
            load(known.components(s));
            for (const transition& t : engine_.enabled()) {
                load(known.components(s));
                if (!engine_.progress(t)) {
                    continue;
                }
                engine_.apply(t);
                if (engine_.failed() || engine_.restart_wanted()) {
                    learned_ = learned_ || engine_.restart_wanted();
                    engine_.forget_failure(); // the execution in which it happens is another
                    forget_current();
                    return true;
                }
                const auto [next, fresh] = known.insert(capture());
                if (engine_.finished()) {
                    return true;
                }
                if (fresh) {
                    todo.push_back(next);
                }
            }
        }
        return !todo.empty();
    }

    bool learned_ = false; // something thought local is not
    happens_before order_;
    std::vector<event> events_;
    std::vector<node> nodes_; // of the execution that is walked, up to depth_
    std::size_t depth_ = 0;
    std::vector<std::size_t> races_;
    std::vector<std::size_t> free_;
};

} // namespace

result walk_traces(const scenario& s, const options& o) { return trace_walk(s, o).run_and_shorten(); }

} // namespace skerry::model
