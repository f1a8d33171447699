// SPDX-License-Identifier: Apache-2.0
// What it costs to have another process run a task that does nothing: from spawn() to the end of the taskwait() behind
// it, with one worker in each process and each process on a logical CPU of its own. Starts itself twice; prints one
// line of JSON for that, one for the share of tasks that ran at home after all, whose times are left out, and one for
// the share of the time in which nothing was measured for that reason.
//
// Each task is spawned right after one that the other process ran: after one that did not go, nothing is measured until
// it takes tasks again. Else the share would say how long the system had that process wait for a processor: this one
// runs thousands of tasks in a time slice.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <skerry/dataflow.hpp>
#include <skerry/runtime.hpp>

#include "fabric/shm/shm.hpp"
#include "slice/figure.hpp"
#include "slice/pair.hpp"
#include "support/pin.hpp"

namespace {

constexpr std::size_t samples = 5'000;

// What declares nothing stays at home, since nobody knows what its children will need there: this declares no bytes.
constexpr std::span<const int> no_bytes;
void nothing(std::span<const int> /*none*/) {}

std::uint64_t run_by_the_other(const skerry::runtime& r) {
    for (const skerry::executor_statistics& e : r.executors()) {
        if (e.name.starts_with("process")) {
            return e.stolen;
        }
    }
    return 0;
}

using time_point = std::chrono::steady_clock::time_point;

// Until the other process has run a task. This one is inside its root task and runs none meanwhile.
void until_the_other_takes_one(const skerry::runtime& r, time_point deadline) {
    const std::uint64_t before = run_by_the_other(r);
    skerry::spawn(nothing, skerry::in(no_bytes));
    while (run_by_the_other(r) == before) {
        if (std::chrono::steady_clock::now() > deadline) {
            throw std::runtime_error("the other process takes no task");
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    skerry::taskwait();
}

void measure(const skerry::runtime& r) {
    static_cast<void>(skerry::root_region()); // a program without one has nothing to send
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    until_the_other_takes_one(r, deadline); // it may not be there yet
    std::vector<double> away;
    std::uint64_t at_home = 0;
    std::chrono::duration<double> waited{}; // for the other process, after a task that ran at home
    const auto start = std::chrono::steady_clock::now();
    while (away.size() < samples) {
        const std::uint64_t before = run_by_the_other(r);
        const auto begin = std::chrono::steady_clock::now();
        skerry::spawn(nothing, skerry::in(no_bytes));
        skerry::taskwait();
        const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - begin;
        if (run_by_the_other(r) != before) {
            away.push_back(passed.count());
        } else {
            ++at_home;
            const auto missed = std::chrono::steady_clock::now();
            until_the_other_takes_one(r, deadline);
            waited += std::chrono::steady_clock::now() - missed;
        }
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const auto all = static_cast<double>(away.size() + at_home);
    bench::print_figure("remote spawn + execute of an empty task", "us", std::move(away));
    bench::print_figure("ran at home", "%", {100 * static_cast<double>(at_home) / all},
                        ", \"tasks\": " + std::to_string(at_home));
    bench::print_figure("took none", "%", {100 * waited / passed});
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (!skerry::fabric::shm::launched()) {
            return bench::launch_pair("bench_remote", argc, argv);
        }
        // Before the runtime has threads, so that the one that moves messages is the worker's neighbour here and not
        // the other process's.
        apps::pin(skerry::fabric::shm::launched_as().rank);
        skerry::options one;
        one.workers = 1;
        skerry::runtime r(one);
        r.run([&] { measure(r); });
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bench_remote: %s\n", e.what());
        return 1;
    }
}
