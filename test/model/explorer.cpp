// SPDX-License-Identifier: Apache-2.0

#include "explorer.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "state_store.hpp"

namespace skerry::model {

namespace {

std::string replay_steps;

// Keeps one exploration within the memory of a small machine.
constexpr std::size_t byte_limit = std::size_t{6} << 30;

// A crash of the code under test is a failure with a way to it, like any other. The handler runs on the fiber's stack
// and leaves it for good.
void on_crash(int signal) {
    engine& e = engine::instance();
    if (!e.busy()) {
        std::signal(signal, SIG_DFL);
        return;
    }
    e.use_host_memory();
    e.fail("crash", signal == SIGSEGV ? "an access to memory that is not there" : "abort() was called");
}

class crash_guard {
  public:
    crash_guard() {
        struct sigaction action{};
        action.sa_handler = on_crash;
        action.sa_flags = SA_NODEFER;
        sigaction(SIGSEGV, &action, &segv_);
        sigaction(SIGABRT, &action, &abrt_);
    }
    crash_guard(const crash_guard&) = delete;
    crash_guard& operator=(const crash_guard&) = delete;
    ~crash_guard() {
        sigaction(SIGSEGV, &segv_, nullptr);
        sigaction(SIGABRT, &abrt_, nullptr);
    }

  private:
    struct sigaction segv_{};
    struct sigaction abrt_{};
};

class exploration {
  public:
    exploration(const scenario& s, const options& o) : scenario_(s), options_(o) {}

    result run() {
        const crash_guard guard;
        const auto begin = std::chrono::steady_clock::now();
        engine_.outcomes.clear();
        engine_.goals.clear();
        engine_.forget_conflicts();
        if (!replay_steps.empty()) {
            replay(std::exchange(replay_steps, {}));
        } else {
            do {
                learn();
            } while (!walk());
        }
        result_.outcomes = engine_.outcomes;
        result_.goals = engine_.goals;
        result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        std::printf("[model] %zu states, %zu transitions, %.2f s", static_cast<std::size_t>(result_.states),
                    static_cast<std::size_t>(result_.transitions), result_.seconds);
        if (!result_.ok) {
            std::printf(": %s after %zu steps", result_.kind.c_str(), result_.steps);
        }
        std::printf("\n");
        return result_;
    }

  private:
    struct step {
        std::uint32_t from = 0;
        transition by;
    };

    // Random runs that find most of what threads share before the real walk begins, so that it seldom starts again.
    void learn() {
        if (!options_.reduce) {
            return;
        }
        std::uint64_t seed = 0x853c49e6748fea9bU;
        const auto random = [&seed](std::size_t n) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            return (seed >> 33) % n;
        };
        engine_.learn(true);
        begin();
        std::uint32_t initial = capture();
        // What fails before the first step cannot be begun again; the walk will say so.
        for (int quiet = 0; quiet < 400 && !engine_.failed(); ++quiet) {
            load(initial);
            unsigned favourite = 0;
            for (int i = 0; i < 2000 && !engine_.failed() && !engine_.restart_wanted(); ++i) {
                std::vector<transition> choices = engine_.enabled();
                if (choices.empty()) {
                    break;
                }
                // Long runs of one thread reach what even steps of all do not.
                favourite = random(16) == 0 ? static_cast<unsigned>(random(max_threads)) : favourite;
                const auto liked = std::partition(choices.begin(), choices.end(),
                                                  [&](const transition& t) { return t.thread == favourite; });
                const auto n = liked != choices.begin() && random(8) != 0 ? liked - choices.begin()
                                                                          : static_cast<std::ptrdiff_t>(choices.size());
                engine_.apply(choices[random(static_cast<std::size_t>(n))]);
            }
            std::fill(current_.begin(), current_.end(), byte_strings::none);
            engine_.forget_failure();
            if (engine_.take_learned()) {
                quiet = 0;
                begin();
                initial = capture();
            }
        }
        engine_.forget_failure();
        engine_.learn(false);
    }

    void begin() {
        engine_.full_buffers = 0;
        engine_.start(scenario_, options_);
        bytes_ = byte_strings{};
        states_ = state_store{engine_.components()};
        current_.assign(engine_.components(), byte_strings::none);
        parents_.clear();
        successors_.clear();
        first_successor_.clear();
        ends_.clear();
    }

    // False if something thought local was not: to be done again.
    bool walk() {
        result_ = result{};
        begin();
        if (engine_.failed()) {
            return report(engine_.failure_kind(), engine_.failure_text(), {});
        }
        if (engine_.restart_wanted()) {
            return false;
        }
        capture();
        parents_.push_back({});
        for (std::uint32_t s = 0; s < states_.size(); ++s) {
            first_successor_.push_back(successors_.size());
            load(s);
            const std::string race = engine_.race();
            if (!race.empty()) {
                return report("race", race, path(s));
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
                std::fill(current_.begin(), current_.end(), byte_strings::none);
            } else if (stuck) {
                return report("deadlock", "nothing can happen any more", path(s));
            }
            for (const transition& t : choices) {
                load(s);
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
                const std::uint32_t next = capture();
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
        finish_result();
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

    std::uint32_t capture() {
        for (std::size_t k = 0; k < current_.size(); ++k) {
            const std::byte* data = engine_.component_data(k);
            const std::size_t size = engine_.component_size(k);
            if (current_[k] == byte_strings::none || !bytes_.equal(current_[k], data, size)) {
                current_[k] = bytes_.intern(data, size);
            }
        }
        return states_.insert(current_).first;
    }

    // Every component may have changed since it was loaded, so all are put back that do not hold the same bytes.
    void load(std::uint32_t state) {
        const std::uint32_t* wanted = states_.components(state);
        for (std::size_t k = 0; k < current_.size(); ++k) {
            const std::size_t size = bytes_.size(wanted[k]);
            std::memcpy(engine_.component_place(k, size), bytes_.data(wanted[k]), size);
            current_[k] = wanted[k];
        }
    }

    std::vector<transition> path(std::uint32_t state) const {
        std::vector<transition> way;
        for (; state != 0; state = parents_[state].from) {
            way.push_back(parents_[state].by);
        }
        std::reverse(way.begin(), way.end());
        return way;
    }

    void finish_result() {
        result_.states = states_.size();
        result_.full_buffers = engine_.full_buffers;
    }

    // Goes the way again and writes down every operation, local ones too.
    bool report(const std::string& kind, const std::string& text, const std::vector<transition>& way) {
        finish_result();
        result_.kind = kind;
        result_.text = text; // before the engine forgets it
        result_.steps = way.size();
        std::ostringstream out;
        out << kind << ": " << result_.text << " (after " << result_.states << " states)\n";
        if (!way.empty() || kind == "race" || kind == "deadlock") {
            std::vector<engine::log_line> lines;
            engine_.forget_failure();
            engine_.log = &lines;
            engine_.start(scenario_, options_);
            for (const transition& t : way) {
                engine_.apply(t);
            }
            engine_.log = nullptr;
            print_lines(out, lines);
            out << engine_.describe_threads() << "replay: --replay=" << compress(lines) << "\n";
            result_.replay = compress(lines);
        }
        engine_.forget_failure();
        result_.report = out.str();
        return true;
    }

    static void print_lines(std::ostringstream& out, const std::vector<engine::log_line>& lines) {
        int number = 0;
        for (const engine::log_line& line : lines) {
            out << "  " << ++number << "  " << line.text << "\n";
        }
    }

    // "s0*3,f0,s1.1": a kind, a thread, an alternative, and how often.
    static std::string compress(const std::vector<engine::log_line>& lines) {
        std::string text;
        for (std::size_t i = 0; i < lines.size();) {
            std::size_t same = i + 1;
            while (same < lines.size() && std::strcmp(lines[same].token, lines[i].token) == 0) {
                ++same;
            }
            text += (text.empty() ? "" : ",") + std::string(lines[i].token);
            if (same - i > 1) {
                text += "*" + std::to_string(same - i);
            }
            i = same;
        }
        return text;
    }

    static std::vector<transition> parse(const std::string& steps) {
        std::vector<transition> way;
        std::istringstream in(steps);
        for (std::string word; std::getline(in, word, ',');) {
            char kind = 0;
            unsigned thread = 0;
            unsigned alternative = 0;
            unsigned count = 1;
            const bool good = std::sscanf(word.c_str(), "%c%u.%u*%u", &kind, &thread, &alternative, &count) >= 3 ||
                              std::sscanf(word.c_str(), "%c%u*%u", &kind, &thread, &count) >= 2;
            if (!good || thread >= max_threads || std::strchr("sfw", kind) == nullptr) {
                throw std::runtime_error("--replay: not a step: '" + word + "'");
            }
            transition t;
            t.thread = static_cast<std::uint8_t>(thread);
            t.kind = kind == 's'   ? transition_kind::step
                     : kind == 'f' ? transition_kind::flush
                                   : transition_kind::spurious;
            t.alternative = static_cast<std::uint16_t>(alternative);
            way.insert(way.end(), count, t);
        }
        return way;
    }

    // Every operation is a step here, so that a recorded way does not depend on what was learned when it was found.
    void replay(const std::string& steps) {
        const std::vector<transition> way = parse(steps);
        std::vector<engine::log_line> lines;
        std::ostringstream out;
        options_.reduce = false;
        engine_.log = &lines;
        engine_.start(scenario_, options_);
        std::string race;
        for (const transition& t : way) {
            const std::vector<transition> choices = engine_.enabled();
            if (std::none_of(choices.begin(), choices.end(), [&t](const transition& c) {
                    return c.thread == t.thread && c.kind == t.kind && c.alternative == t.alternative;
                })) {
                engine_.log = nullptr;
                print_lines(out, lines);
                throw std::runtime_error(out.str() + "--replay: step " + std::to_string(lines.size() + 1) +
                                         " is not possible here\n" + engine_.describe_threads());
            }
            engine_.apply(t);
            if (engine_.failed()) {
                break;
            }
        }
        engine_.log = nullptr;
        race = engine_.failed() ? "" : engine_.race();
        print_lines(out, lines);
        if (!engine_.failed() && race.empty() && engine_.finished()) {
            engine_.finish();
        }
        result_.kind = engine_.failed() ? engine_.failure_kind() : race.empty() ? "replayed" : "race";
        out << engine_.describe_threads() << result_.kind << ": " << engine_.failure_text() << race << "\n";
        result_.report = out.str();
        std::fputs(result_.report.c_str(), stdout);
        engine_.forget_failure();
    }

    engine& engine_ = engine::instance();
    const scenario& scenario_;
    options options_;
    result result_;
    byte_strings bytes_;
    state_store states_{1};
    std::vector<std::uint32_t> current_; // which bytes each component had when it was last loaded or captured
    std::vector<step> parents_;
    std::vector<std::uint32_t> successors_; // along transitions that may be relied on
    std::vector<std::size_t> first_successor_;
    std::vector<std::uint32_t> ends_;
};

} // namespace

void set_replay(const std::string& steps) { replay_steps = steps; }

result explore_scenario(const scenario& s, const options& o) { return exploration(s, o).run(); }

} // namespace skerry::model
