// SPDX-License-Identifier: Apache-2.0
// The program `packets` beside its serial elision, by turns in one process; of all runs the least counts.
//   cpu:   processor time on one core, with that of the thread that sends, over the elision's
//   cores: time on one core over that on two
#include "harness/harness.hpp"

#include "program.hpp"

#include <array>
#include <memory>
#include <stdexcept>

#include <time.h>

namespace {

using namespace bench;

seconds now(clockid_t clock) {
    timespec t{};
    ::clock_gettime(clock, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

class side {
  public:
    explicit side(std::unique_ptr<apps::instance> one) : one_(std::move(one)) {}

    void run(clockid_t clock) {
        one_->reset();
        const seconds begin = now(clock);
        one_->run();
        least_ = std::min(least_, now(clock) - begin);
        if (const apps::verdict v = one_->check(); !v.ok) {
            throw std::runtime_error("the result is wrong: " + v.text);
        }
    }
    seconds least() const { return least_; }
    const apps::instance& result() const { return *one_; }

  private:
    std::unique_ptr<apps::instance> one_;
    seconds least_{1e9};
};

result measure(const settings& how) {
    const apps::program* const packets = apps::find_program("packets");
    apps::options o;
    o.cores = 1;
    side one(packets->parallel(o));
    o.cores = 2;
    const bool of_cores = how.variant == "cores";
    side other(of_cores ? packets->parallel(o) : packets->serial(o));
    const clockid_t clock = of_cores ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID; // threads that have ended count too
    for (unsigned i = 0; i < how.repetitions; ++i) {
        one.run(clock);
        other.run(clock);
    }
    result got{"", {one.least() / other.least()}, {}};
    if (one.result().digest() != other.result().digest()) {
        got.wrong = "the results differ";
    }
    return got;
}

} // namespace

int main(int argc, char** argv) { return run(argc, argv, {"packets", {"cpu", "cores"}, 1, measure}); }
