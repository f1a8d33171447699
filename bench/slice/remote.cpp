// SPDX-License-Identifier: Apache-2.0
// What it costs to have another process run a task that does nothing: from spawn() to the end of the taskwait() behind
// it, with one worker in each process and each process on a logical CPU of its own. Starts itself twice; prints one
// line of JSON. Tasks that ran at home after all are counted, and their times left out.
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
#include "slice/pair.hpp"

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

void measure(const skerry::runtime& r) {
    static_cast<void>(skerry::root_region()); // a program without one has nothing to send
    skerry::spawn(nothing, skerry::in(no_bytes));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (run_by_the_other(r) == 0 && std::chrono::steady_clock::now() < deadline) { // it may not be there yet
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    std::vector<double> away;
    std::uint64_t at_home = 0;
    std::uint64_t before = run_by_the_other(r);
    while (away.size() < samples && std::chrono::steady_clock::now() < deadline) {
        const auto begin = std::chrono::steady_clock::now();
        skerry::spawn(nothing, skerry::in(no_bytes));
        skerry::taskwait();
        const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - begin;
        const std::uint64_t now = run_by_the_other(r);
        if (now != before) {
            away.push_back(passed.count());
        } else {
            ++at_home;
        }
        before = now;
    }
    if (away.size() < samples) {
        throw std::runtime_error("the other process ran " + std::to_string(away.size()) + " tasks, this one " +
                                 std::to_string(at_home));
    }
    bench::print_figure("remote spawn + execute of an empty task", "us", std::move(away),
                        ", \"ran_at_home\": " + std::to_string(at_home));
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (!skerry::fabric::shm::launched()) {
            return bench::launch_pair("bench_remote", argc, argv);
        }
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
