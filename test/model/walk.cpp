// SPDX-License-Identifier: Apache-2.0

#include "walk.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "replay.hpp"

namespace skerry::model {

namespace {

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

// The memory that was walked, with the bound on it, if any: a bound leaves out what C++ allows, and is told.
std::string memory_text(const options& o) {
    switch (o.memory) {
    case memory_order_of::tso: return "tso";
    case memory_order_of::sequential: return "sequential";
    case memory_order_of::partial: return "partial";
    case memory_order_of::caches: return "caches";
    case memory_order_of::rc11: break;
    }
    return o.newest == 0 ? "rc11" : "rc11 newest " + std::to_string(o.newest);
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

void print_lines(std::ostringstream& out, const std::vector<engine::log_line>& lines) {
    int number = 0;
    for (const engine::log_line& line : lines) {
        out << "  " << ++number << "  " << line.text << "\n";
    }
}

} // namespace

result walk::run() {
    const crash_guard guard;
    const auto begin = std::chrono::steady_clock::now();
    engine_.outcomes.clear();
    engine_.goals.clear();
    engine_.faults = 0;
    engine_.forget_conflicts();
    do {
        learn();
        result_ = result{};
    } while (!attempt());
    result_.outcomes = engine_.outcomes;
    result_.goals = engine_.goals;
    result_.full_buffers = engine_.full_buffers;
    result_.faults = engine_.faults;
    if (result_.ok && options_.fault != nullptr && result_.faults == 0) {
        // A function of another name, say: what is expected to be well would be so without having been tested.
        result_.ok = false;
        result_.kind = "no fault";
        result_.text = "the hook has changed no operation";
        result_.report = result_.kind + ": " + result_.text + " (of " + size_text() + ")\n";
    }
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("[model] %s: %s, %zu transitions, %.2f s", memory_text(options_).c_str(), size_text().c_str(),
                static_cast<std::size_t>(result_.transitions), result_.seconds);
    if (!result_.ok) {
        std::printf(": %s after %zu steps", result_.kind.c_str(), result_.steps);
    }
    std::printf("\n");
    return result_;
}

// Random runs that find most of what threads share before the real walk begins, so that it seldom starts again.
void walk::learn() {
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
    std::vector<std::uint32_t> initial = capture();
    // What fails before the first step cannot be begun again; the walk will say so.
    for (int quiet = 0; quiet < 400 && !engine_.failed(); ++quiet) {
        load(initial.data());
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
        forget_current();
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

void walk::begin() {
    engine_.full_buffers = 0;
    engine_.start(scenario_, options_);
    bytes_ = component_store{};
    components_.clear();
    for (std::size_t k = 0; k < engine_.components(); ++k) {
        components_.emplace_back(engine_.grows_down(k));
    }
    captured_.resize(components_.size());
}

void walk::forget_current() {
    for (component& c : components_) {
        c.forget();
    }
}

const std::vector<std::uint32_t>& walk::capture() {
    for (std::size_t k = 0; k < components_.size(); ++k) {
        captured_[k] = components_[k].capture(bytes_, engine_.component_data(k), engine_.component_size(k));
    }
    known_at_ = engine_.changes();
    return captured_;
}

void walk::load(const std::uint32_t* wanted) {
    const bool known = known_at_ == engine_.changes(); // else any component may have changed since
    known_at_ = engine_.changes();
    for (std::size_t k = 0; k < components_.size(); ++k) {
        if (!known || components_[k].current() != wanted[k]) {
            std::byte* const to = engine_.component_place(k, component::size_of(bytes_, wanted[k]));
            components_[k].load(bytes_, wanted[k], to, known);
        }
    }
}

bool walk::report(const std::string& kind, const std::string& text, const std::vector<transition>& way) {
    result_.kind = kind;
    result_.text = text; // before the engine forgets it
    result_.steps = way.size();
    std::ostringstream out;
    out << kind << ": " << result_.text << " (after " << size_text() << ")\n";
    if (!way.empty() || kind != "limit") {
        std::vector<engine::log_line> lines;
        engine_.forget_failure();
        engine_.log = &lines;
        engine_.start(scenario_, options_);
        for (const transition& t : way) {
            engine_.apply(t);
        }
        engine_.log = nullptr;
        print_lines(out, lines);
        result_.replay = replay_token(lines);
        out << engine_.describe_threads() << "replay: " << replay_command(result_.replay) << "\n";
    }
    engine_.forget_failure();
    result_.report = out.str();
    return true;
}

// Every operation is a step here, so that a recorded way does not depend on what was learned when it was found.
result walk::follow(const std::vector<transition>& way) {
    const crash_guard guard;
    std::vector<engine::log_line> lines;
    std::ostringstream out;
    engine_.outcomes.clear();
    engine_.goals.clear();
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
    result_.outcomes = engine_.outcomes;
    result_.goals = engine_.goals;
    return result_;
}

} // namespace skerry::model
