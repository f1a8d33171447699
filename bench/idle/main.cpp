// SPDX-License-Identifier: Apache-2.0
// Processors in use when there is nothing or little to do. Linked with fib's peers, whose forks are the work.
//   after: during the second that follows work that kept every worker busy
//   tiny:  with one region of fib(16) per millisecond
#include "fib/fib.hpp"
#include "harness/harness.hpp"

#include <thread>

namespace {

using namespace bench;

constexpr unsigned tiny_work = 16;
constexpr std::uint64_t tiny_result = 987;
constexpr std::chrono::milliseconds period{1};

template <class F>
double processors_used(F&& f) {
    const seconds before = processor_time_of_threads();
    const seconds passed = time(f);
    return (processor_time_of_threads() - before) / passed;
}

bool work_until(std::chrono::steady_clock::time_point end) {
    bool right = true;
    while (std::chrono::steady_clock::now() < end) {
        right &= fib::plain(unknown(tiny_work)) == tiny_result;
    }
    return right;
}

bool regions_at_fixed_rate(std::uint64_t count) {
    bool right = true;
    auto next = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < count; ++i) {
        right &= fib::plain(unknown(tiny_work)) == tiny_result;
        next += period;
        std::this_thread::sleep_until(next);
    }
    return right;
}

result measure(const settings& how) {
    using namespace std::chrono_literals;
    result got{"CPUs", {}, {}};
    bool right = work_until(std::chrono::steady_clock::now() + 200ms);
    for (unsigned i = 0; i < how.repetitions; ++i) {
        if (how.variant == "tiny") {
            got.samples.push_back(processors_used([&] { right &= regions_at_fixed_rate(how.size); }));
        } else {
            right &= work_until(std::chrono::steady_clock::now() + 50ms);
            got.samples.push_back(processors_used([&] { std::this_thread::sleep_for(period * how.size); }));
        }
    }
    if (!right) {
        got.wrong = "fib(16) is not 987";
    }
    return got;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, {"idle", {"after", "tiny"}, 1000, measure}); }
