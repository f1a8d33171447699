// SPDX-License-Identifier: Apache-2.0
// What a trace costs `digits` on two threads: one runtime that writes a trace, as --trace would have it, and one that
// does not, by lot in one process, since a ratio of two processes differs by more than a trace costs. A third
// runtime without a trace says what such a ratio is of two that are the same. Prints a line of JSON for each ratio and
// size. That the trace was written is looked at; the time that took, after all runs, is in no figure.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <skerry/runtime.hpp>

#include "program.hpp"
#include "slice/figure.hpp"

namespace {

struct trace_path {
    const std::string name;
    explicit trace_path(const std::string& of)
        : name((std::filesystem::temp_directory_path() / "bench_trace.").string() + std::to_string(::getpid()) + "." +
               of) {}
    trace_path(const trace_path&) = delete;
    trace_path& operator=(const trace_path&) = delete;
    ~trace_path() {
        std::error_code ignored;
        std::filesystem::remove(name, ignored);
    }
};

skerry::options two_workers(const std::string& trace) {
    skerry::options o;
    o.workers = 2;
    o.trace = trace;
    return o;
}

class side {
  public:
    side(const apps::program& program, const apps::options& o, const std::string& trace)
        : workers_(two_workers(trace)) {
        workers_.run([&] { instance_ = program.parallel(o); });
    }
    side(const side&) = delete;
    side& operator=(const side&) = delete;
    ~side() {
        workers_.run([&] { instance_.reset(); });
    }

    double seconds() {
        workers_.run([&] { instance_->reset(); });
        const auto begin = std::chrono::steady_clock::now();
        workers_.run([&] { instance_->run(); });
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

    std::optional<std::uint64_t> digest() const {
        if (const apps::verdict v = instance_->check(); !v.ok) {
            throw std::runtime_error("the result is wrong: " + v.text);
        }
        return instance_->digest();
    }

    std::uint64_t tasks() const { return workers_.stats().tasks; }

  private:
    skerry::runtime workers_;
    std::unique_ptr<apps::instance> instance_;
};

// Records in the file: each has a phase.
std::uint64_t records_in(const std::string& name) {
    std::ifstream in(name);
    std::uint64_t found = 0;
    for (std::string line; std::getline(in, line);) {
        found += line.find("\"ph\":") != std::string::npos ? 1 : 0;
    }
    return found;
}

enum : std::size_t { off, on, off_again, sides };

// Ratios of `on` to both others and of these, and what the trace of the last runtime that wrote one holds.
struct found {
    std::vector<double> traced;
    std::vector<double> same;
    std::uint64_t tasks = 0; // of one run
    std::uint64_t records = 0;
};

// Rounds of three runtimes made for them, which leave their ratios in `into`.
void compare(const apps::program& program, const apps::options& o, std::size_t batch, std::size_t rounds, found& into) {
    const trace_path path(std::string(apps::name_of(o.size)) + std::to_string(batch));
    {
        std::array<std::unique_ptr<side>, sides> all;
        for (std::size_t i = 0; i < sides; ++i) {
            const std::size_t next = (batch + i) % sides;
            all[next] = std::make_unique<side>(program, o, next == on ? path.name : "");
            static_cast<void>(all[next]->seconds()); // warms up
        }
        std::array<std::size_t, sides> order{off, on, off_again};
        std::minstd_rand by_lot(static_cast<unsigned>(batch + 1)); // the same each time
        for (std::size_t r = 0; r < rounds; ++r) {
            std::array<double, sides> took{};
            std::ranges::shuffle(order, by_lot); // what one leaves behind falls on each other one alike
            for (const std::size_t next : order) {
                took[next] = all[next]->seconds();
            }
            for (const std::size_t other : {off, off_again}) { // else one that is slow by chance would decide
                into.traced.push_back(took[on] / took[other]);
            }
            into.same.push_back(took[off_again] / took[off]);
        }
        if (all[on]->digest() != all[off]->digest() || all[off_again]->digest() != all[off]->digest()) {
            throw std::runtime_error("the results differ");
        }
        into.tasks = all[on]->tasks() / (rounds + 1);
    }
    into.records = records_in(path.name);
    if (into.records < into.tasks) {
        throw std::runtime_error("the trace has " + std::to_string(into.records) + " records, and one run " +
                                 std::to_string(into.tasks) + " tasks");
    }
}

// Several batches: where the system has put the threads and the memory of a runtime, it stays for as long as that
// lives.
void measure(const apps::program& program, apps::size size, std::size_t batches, std::size_t rounds,
             const std::string& step) {
    apps::options o;
    o.size = size;
    found all;
    for (std::size_t batch = 0; batch < batches; ++batch) {
        compare(program, o, batch, rounds, all);
    }
    bench::print_figure((step + ", traced").c_str(), "", std::move(all.traced),
                        ", \"tasks\": " + std::to_string(all.tasks) + ", \"records\": " + std::to_string(all.records));
    bench::print_figure((step + ", untraced again").c_str(), "", std::move(all.same));
}

} // namespace

int main() {
    try {
        const apps::program* const digits = apps::find_program("digits");
        if (digits == nullptr) {
            throw std::runtime_error("there is no program digits");
        }
        measure(*digits, apps::size::small, 21, 10, "digits, tiles of 64");
        measure(*digits, apps::size::medium, 5, 3, "digits, tiles of 144");
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bench_trace: %s\n", e.what());
        return 1;
    }
}
