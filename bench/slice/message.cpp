// SPDX-License-Identifier: Apache-2.0
// What it costs two processes, each on a logical CPU of its own, to talk through the fabric `shm`. Starts itself twice;
// prints one line of JSON for each figure, the least and the median of several samples.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/port/futex.hpp"
#include "fabric/shm/shm.hpp"
#include "slice/figure.hpp"
#include "slice/pair.hpp"
#include "support/pin.hpp"

namespace {

namespace fabric = skerry::fabric;
using fabric::kind;

// Many short samples: on a machine that is not quiet, some fall between two interruptions.
constexpr unsigned samples = 101;

struct counter final : fabric::receiver {
    std::uint64_t come = 0;
    std::uint64_t last = 0;
    void receive(unsigned /*from*/, kind /*k*/, const fabric::message& m) override {
        ++come;
        last = m.words[0];
    }
};

double seconds_of(const std::function<void()>& f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class pair_of {
  public:
    explicit pair_of(fabric::endpoint& e) : me_(e), self_(e.describe().self), other_(1 - self_) { me_.on_message(in_); }

    void run() {
        ping_pong(false);
        ping_pong(true);
        stream();
        for (const std::size_t bytes :
             {std::size_t{64}, std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{16} << 20}) {
            pull(bytes);
        }
        meet();
    }

  private:
    void post(std::uint64_t word) {
        fabric::message m;
        m.words[0] = word;
        while (me_.post(other_, kind::request, m) != fabric::post_result::sent) {
            me_.poll(64);
        }
    }

    void await(std::uint64_t n, bool asleep = false) {
        while (in_.come < n) {
            if (me_.poll(64) == 0 && asleep) {
                static_cast<void>(me_.wait(skerry::port::forever));
            }
        }
    }

    // Both have come here.
    void meet() {
        post(0);
        await(++due_);
    }

    void print(const char* step, const char* unit, std::vector<double> values) const {
        if (self_ == 0) {
            bench::print_figure(step, unit, std::move(values));
        }
    }

    void ping_pong(bool asleep) {
        const std::uint64_t turns = asleep ? 20 : 1000;
        std::vector<double> one_way;
        for (unsigned s = 0; s < samples; ++s) {
            meet();
            const double passed = seconds_of([&] {
                for (std::uint64_t i = 1; i <= turns; ++i) {
                    if (self_ == 0) {
                        post(i);
                    }
                    await(++due_, asleep);
                    if (self_ == 1) {
                        post(i);
                    }
                }
            });
            one_way.push_back(passed / static_cast<double>(2 * turns) * 1e9);
        }
        print(asleep ? "a message through wait(), one way" : "64-byte message, one way", "ns", one_way);
    }

    void stream() {
        constexpr std::uint64_t messages = 20'000;
        std::vector<double> each;
        for (unsigned s = 0; s < samples; ++s) {
            meet();
            each.push_back(seconds_of([&] {
                               if (self_ == 0) {
                                   for (std::uint64_t i = 0; i < messages; ++i) {
                                       post(i);
                                   }
                                   await(++due_);
                               } else {
                                   await(due_ += messages);
                                   post(0);
                               }
                           }) /
                           messages * 1e9);
        }
        print("a message of a stream in one direction", "ns", each);
    }

    void pull(std::size_t bytes) {
        std::vector<std::byte> room(bytes, std::byte{1});
        meet();
        post(reinterpret_cast<std::uintptr_t>(room.data()));
        await(++due_);
        const std::uint64_t there = in_.last;
        std::vector<double> rate;
        const unsigned repeat = static_cast<unsigned>(std::max<std::size_t>(1, (std::size_t{1} << 20) / bytes));
        for (unsigned s = 0; self_ == 0 && s < samples; ++s) {
            const double passed = seconds_of([&] {
                for (unsigned i = 0; i < std::min(repeat, 1000U); ++i) {
                    const fabric::extent e{room.data(), there, bytes};
                    me_.copy(other_, fabric::direction::pull, {&e, 1}, {});
                    while (!me_.completed()) {
                        me_.poll(64);
                    }
                }
            });
            rate.push_back(passed / std::min(repeat, 1000U) * 1e6);
        }
        if (self_ == 0) {
            post(0);
            const std::string step = "pull of " + std::to_string(bytes) + " bytes";
            print(step.c_str(), "us", rate);
            std::vector<double> speed;
            speed.reserve(rate.size());
            for (const double us : rate) {
                speed.push_back(static_cast<double>(bytes) / us / 1e3);
            }
            print((step + ", rate").c_str(), "GB/s", speed);
            await(++due_);
        } else {
            await(++due_);
            post(0);
        }
    }

    fabric::endpoint& me_;
    unsigned self_;
    unsigned other_;
    std::uint64_t due_ = 0; // messages that must have come by now
    counter in_;
};

} // namespace

int main(int argc, char** argv) {
    try {
        if (!fabric::shm::launched()) {
            return bench::launch_pair("bench_message", argc, argv);
        }
        const fabric::connection joined = fabric::shm::connect();
        apps::pin(joined.fabric->describe().self);
        pair_of(*joined.fabric).run();
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bench_message: %s\n", e.what());
        return 1;
    }
}
