// SPDX-License-Identifier: Apache-2.0
// What every measured program shares: its command line, the repetition of one measurement, and the line it prints.
//
// A program measures one peer on one workload and prints one JSON object on one line:
//   {"workload", "variant", "peer", "compiler", "workers", "copies", "unit", "value", "samples", "cpu", "check"}
// value is the median of the samples, cpu the processors in use meanwhile. With --copies N, N processes measure side by
// side and begin each repetition at the same moment; a sample then is the time of the last to end. A program whose peer
// computed a wrong result prints "check": what was wrong, and fails.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

struct settings {
    std::string variant;
    unsigned workers = 1;
    unsigned repetitions = 3;
    std::uint64_t size = 0; // what it counts is the workload's business
    unsigned copies = 1;
    std::function<void()> meet = [] {}; // before each repetition, outside of its time: the copies wait for each other
};

struct result {
    std::string unit;
    std::vector<double> samples;
    std::string wrong; // empty: every repetition computed what it should
};

struct workload {
    const char* name;
    std::vector<std::string> variants; // the first is the default
    std::uint64_t default_size;
    std::function<result(const settings&)> measure;
    const char* unit_of_copies = nullptr; // null: it does not meet, so --copies is refused
};

/// Parses the command line, starts the peer, measures, prints the line. Returns the exit status of main: 0 measured and
/// right, 1 wrong result, 2 bad command line.
int run(int argc, char** argv, const workload& measured);

/// Keeps the compiler from removing the computation of value. Costs no instruction for a value in a register.
template <class T>
[[gnu::always_inline]] inline void keep(const T& value) {
    asm volatile("" : : "r"(value));
}

/// Hides from the compiler where value came from, so that it cannot compute the result of a measured call beforehand.
template <class T>
[[gnu::always_inline]] inline T unknown(T value) {
    asm volatile("" : "+r"(value));
    return value;
}

using seconds = std::chrono::duration<double>;

/// Runs f and returns how long it took.
template <class F>
seconds time(F&& f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    return std::chrono::steady_clock::now() - begin;
}

/// What sample(size) returns for each repetition. Before them it is called once for a size that is enough to warm up.
template <class Sample>
std::vector<double> repeated(const settings& how, std::uint64_t enough_to_warm_up, const Sample& sample) {
    sample(std::min(how.size, enough_to_warm_up));
    std::vector<double> samples(how.repetitions);
    std::ranges::generate(samples, [&] { return sample(how.size); });
    return samples;
}

/// Runs a computation that lasts this long by the clock, whatever else the machine does.
void spin_for(seconds duration);

/// Processor time that this process has used, all threads and the copies that have ended.
seconds processor_time();
/// The same of the threads that live now, exact: the system counts a thread that runs on another processor up to its
/// last tick only, which may be milliseconds ago. The difference of two readings is right if no thread has ended
/// between them. Throws std::system_error if a thread ends meanwhile.
seconds processor_time_of_threads();

/// A stream of numbers that is the same on every machine (splitmix64).
class random_numbers {
  public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}

    std::uint64_t operator()() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

  private:
    std::uint64_t state_;
};

} // namespace bench
