// SPDX-License-Identifier: Apache-2.0

// What messages, credits, copies and deaths cost on simulated cores: what the machine's description says, to the cycle.
// The code here is not simulated, so that only the network takes time.

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/fabric.hpp"
#include "sim/fabric/fabric_sim.hpp"
#include "sim/messages.hpp"
#include "sim/program.hpp"
#include "sim/simulation.hpp"
#include "simulated_run.hpp"

namespace {

using namespace skerry::fabric;
using skerry_sim::now;

constexpr std::uint64_t long_after = 1'000'000;
constexpr std::uint64_t never = ~std::uint64_t{0};

skerry_sim::machine_description machine_named(const char* name) {
    return skerry_sim::read_machine(std::filesystem::path(SKERRY_MACHINES) / name);
}

const skerry_sim::fabric_description& network_of(const skerry_sim::machine_description& machine) {
    if (!machine.fabric) {
        throw std::runtime_error("the machine has no message network");
    }
    return *machine.fabric;
}

struct taker final : receiver {
    taker() { times.reserve(64); } // the heap takes time too
    void receive(unsigned from, kind k, const message& m) override {
        times.push_back(now());
        last = m;
        if (then) {
            then(from, k);
        }
    }
    std::vector<std::uint64_t> times;
    message last;
    std::function<void(unsigned, kind)> then;
};

using end_program = std::function<void(endpoint&, taker&)>;

struct one_end {
    std::unique_ptr<endpoint> e;
    const end_program* program;
};

void drive(one_end& end) {
    taker in;
    end.e->on_message(in);
    (*end.program)(*end.e, in);
    end.e.reset();
}

// Runs one program on each of these cores; the first is core 0.
skerry_sim::statistics on_cores(const skerry_sim::machine_description& machine, const std::vector<unsigned>& cores,
                                const std::vector<end_program>& programs, const skerry_sim::settings& set = {}) {
    struct {
        const std::vector<unsigned>& cores;
        const std::vector<end_program>& programs;
        std::vector<one_end> ends;
    } run{cores, programs, {}};
    skerry_sim::simulation simulation(machine, set);
    return simulation.run(
        [](void* p) {
            auto& r = *static_cast<decltype(run)*>(p);
            auto ends = sim::make(r.cores);
            for (std::size_t i = 0; i < ends.size(); ++i) {
                r.ends.push_back({std::move(ends[i]), &r.programs[i]});
            }
            // Every core up to the last has a thread, so that each endpoint's is where it belongs.
            std::vector<unsigned> threads;
            for (unsigned core = 1; core <= r.cores.back(); ++core) {
                one_end* mine = nullptr;
                for (std::size_t i = 1; i < r.cores.size(); ++i) {
                    mine = r.cores[i] == core ? &r.ends[i] : mine;
                }
                threads.push_back(skerry_sim::start_thread(
                    [](void* end) {
                        if (end != nullptr) {
                            drive(*static_cast<one_end*>(end));
                        }
                    },
                    mine));
            }
            skerry_sim::pause(long_after); // all are there, and wait
            drive(r.ends[0]);
            for (const unsigned t : threads) {
                skerry_sim::join_thread(t);
            }
        },
        &run);
}

// Polls until so many messages have come.
void take(endpoint& e, const taker& in, std::size_t count) {
    while (in.times.size() < count) {
        ASSERT_TRUE(e.wait(never));
        static_cast<void>(e.poll(count));
    }
}

struct trip {
    std::uint64_t there = 0; // from before the post to the receiver's call
    std::uint64_t round = 0;
};

trip round_trip(const skerry_sim::machine_description& machine, unsigned to) {
    trip result;
    on_cores(machine, {0, to},
             {[&](endpoint& e, taker& in) {
                  message m;
                  m.tag = 7;
                  const std::uint64_t begin = now();
                  m.words[3] = begin;
                  EXPECT_EQ(e.post(1, kind::request, m), post_result::sent);
                  take(e, in, 1);
                  result.round = in.times[0] - begin;
              },
              [&](endpoint& e, taker& in) {
                  in.then = [&](unsigned from, kind k) {
                      EXPECT_EQ(k, kind::request);
                      EXPECT_EQ(in.last.tag, 7);
                      result.there = now() - in.last.words[3];
                      EXPECT_EQ(e.post(from, kind::reply, in.last), post_result::sent);
                  };
                  take(e, in, 1);
              }});
    return result;
}

TEST(simulated_times, a_message_takes_what_the_machine_says) {
    for (const char* name : {"tiny4-gwb.toml", "tiny4-mesi.toml", "formic16.toml"}) {
        const auto machine = machine_named(name);
        const auto& f = network_of(machine);
        for (unsigned to = 1; to < machine.cores.count; ++to) {
            const trip t = round_trip(machine, to);
            const std::uint64_t one_way =
                f.post_cycles + f.message_cycles + f.hops(0, to) * f.hop_cycles + 2 * f.poll_cycles;
            EXPECT_EQ(t.there, one_way) << name << " core " << to;
            EXPECT_EQ(t.round, 2 * one_way) << name << " core " << to;
        }
    }
    EXPECT_EQ(round_trip(machine_named("tiny4-gwb.toml"), 1).there, 4U + 7 + 2 + 4 + 4);
    EXPECT_EQ(round_trip(machine_named("tiny4-gwb.toml"), 3).there, 4U + 7 + 2 * 2 + 4 + 4);
}

// Myrmics, Sec. III: 38 cycles there and back to the nearest core, 131 to the farthest.
TEST(simulated_times, formic_messages_are_those_of_the_paper) {
    const auto machine = machine_named("formic16.toml");
    EXPECT_EQ(round_trip(machine, 1).round, 38U);
    EXPECT_EQ(round_trip(machine, 1).there, 19U);
    EXPECT_EQ(network_of(machine).hops(0, 15), 3U);
    EXPECT_NEAR(static_cast<double>(round_trip(machine, 15).round), 131, 0.03 * 131);
    EXPECT_NEAR(static_cast<double>(round_trip(machine, 15).there), 65.5, 0.03 * 65.5);
}

TEST(simulated_times, a_credit_comes_back_as_a_message_does) {
    const auto machine = machine_named("tiny4-gwb.toml");
    const auto& f = network_of(machine);
    std::uint64_t taken_at = 0;
    std::uint64_t room_at = 0;
    on_cores(machine, {0, 1},
             {[&](endpoint& e, taker& /*in*/) {
                  for (unsigned i = 0; i < f.request_slots; ++i) {
                      ASSERT_EQ(e.post(1, kind::request, {}), post_result::sent);
                  }
                  const std::uint64_t begin = now();
                  EXPECT_EQ(e.post(1, kind::request, {}), post_result::full);
                  EXPECT_EQ(now() - begin, f.post_cycles);
                  EXPECT_FALSE(e.wait(now() + 10));
                  EXPECT_EQ(now() - begin, f.post_cycles + 10);
                  EXPECT_TRUE(e.wait(never));
                  room_at = now();
                  EXPECT_EQ(e.post(1, kind::request, {}), post_result::sent);
              },
              [&](endpoint& e, taker& in) {
                  skerry_sim::pause(2 * long_after);
                  EXPECT_EQ(e.poll(1), 1U);
                  taken_at = in.times[0] - f.poll_cycles; // the slot is free before the message is handed over
                  skerry_sim::pause(long_after);
              }});
    EXPECT_EQ(room_at - taken_at, f.message_cycles + f.hop_cycles);
}

TEST(simulated_times, copies_run_at_the_transfer_engines_rate) {
    const auto machine = machine_named("tiny4-gwb.toml");
    const auto& f = network_of(machine);
    const std::uint64_t way = f.message_cycles + f.hop_cycles;
    std::vector<std::byte> there(1 << 20, std::byte{7});
    on_cores(machine, {0, 1},
             {[&](endpoint& e, taker& /*in*/) {
                  const auto time_of = [&](direction d, const std::vector<std::size_t>& pieces) {
                      std::vector<std::byte> here(1 << 20);
                      std::vector<extent> extents;
                      for (const std::size_t bytes : pieces) {
                          extents.push_back({here.data(), reinterpret_cast<std::uintptr_t>(there.data()), bytes});
                      }
                      const std::uint64_t begin = now();
                      e.copy(1, d, extents, {&here, 3});
                      EXPECT_FALSE(e.completed());
                      EXPECT_EQ(here[0], std::byte{0}) << "bytes move only when the copy is over";
                      EXPECT_TRUE(e.wait(never));
                      const std::uint64_t took = now() - begin;
                      EXPECT_EQ(e.poll(8), 0U);
                      const auto back = e.completed();
                      EXPECT_TRUE(back && back->arrived && back->done.context == &here && back->done.word == 3);
                      EXPECT_EQ(here[0], pieces[0] == 0 || d == direction::push ? std::byte{0} : std::byte{7});
                      return took;
                  };
                  EXPECT_EQ(time_of(direction::pull, {0}), 0U);
                  EXPECT_EQ(time_of(direction::pull, {1}), 24 + 1 + 2 * way);
                  EXPECT_EQ(time_of(direction::pull, {64}), 24 + 4 + 2 * way);
                  EXPECT_EQ(time_of(direction::pull, {65}), 24 + 5 + 2 * way);
                  EXPECT_EQ(time_of(direction::pull, {1 << 20}), 24 + (1 << 16) + 2 * way);
                  // The core starts the second while the first is under way.
                  EXPECT_EQ(time_of(direction::pull, {1 << 10, 1 << 10}), 24 + 2 * (1 << 6) + 2 * way);
                  EXPECT_EQ(time_of(direction::push, {1 << 10, 16}), 24 + (1 << 6) + 1 + 2 * way);
                  EXPECT_EQ(there[0], std::byte{0});
              },
              [](endpoint& /*e*/, taker& /*in*/) { skerry_sim::pause(10 * long_after); }});
}

TEST(simulated_times, a_kick_and_a_leaving_arrive_as_messages_do) {
    const auto machine = machine_named("tiny4-gwb.toml");
    const auto& f = network_of(machine);
    const std::uint64_t way = f.message_cycles + 2 * f.hop_cycles;
    std::uint64_t kicked_at = 0;
    std::uint64_t left_at = 0;
    on_cores(machine, {0, 3},
             {[&](endpoint& e, taker& /*in*/) {
                  kicked_at = now() + f.post_cycles;
                  e.kick(1);
                  skerry_sim::pause(long_after);
                  left_at = now();
              },
              [&](endpoint& e, taker& /*in*/) {
                  EXPECT_TRUE(e.wait(never));
                  EXPECT_EQ(now(), kicked_at + way);
                  EXPECT_EQ(e.poll(1), 0U);
                  EXPECT_TRUE(e.wait(never));
                  EXPECT_EQ(now(), left_at + way);
                  EXPECT_EQ(e.post(0, kind::request, {}), post_result::gone);
              }});
}

// A script kills a core while it sleeps, while it computes, and twice.
TEST(simulated_times, a_scripted_death) {
    const auto machine = machine_named("tiny4-gwb.toml");
    const auto& f = network_of(machine);
    const std::uint64_t way = f.message_cycles + f.hop_cycles;
    for (const bool sleeps : {true, false}) {
        skerry_sim::settings set;
        set.deaths = {{1, 5 * long_after}, {1, 3 * long_after}};
        bool lived_on = false;
        std::vector<std::string> news;
        std::uint64_t known_at = 0;
        on_cores(machine, {0, 1},
                 {[&](endpoint& e, taker& in) {
                      e.on_failure([&](const failure& dead) { news.push_back(dead.text()); });
                      std::byte here[64];
                      const extent pull{here, reinterpret_cast<std::uintptr_t>(here), 64};
                      take(e, in, 1);
                      skerry_sim::pause(3 * long_after - 10 - now());
                      e.copy(1, direction::pull, {&pull, 1}, {nullptr, 1}); // under way when it happens
                      EXPECT_TRUE(e.wait(never));
                      EXPECT_EQ(e.poll(1), 0U);
                      const auto back = e.completed();
                      EXPECT_TRUE(back && !back->arrived);
                      EXPECT_EQ(e.post(1, kind::request, {}), post_result::sent) << "nobody knows it yet";
                      EXPECT_TRUE(e.wait(never));
                      known_at = now();
                      EXPECT_EQ(e.poll(1), 1U);
                      EXPECT_EQ(e.post(1, kind::request, {}), post_result::gone);
                      e.copy(1, direction::pull, {&pull, 1}, {nullptr, 2});
                      EXPECT_FALSE(e.completed()->arrived);
                      EXPECT_FALSE(e.wait(now() + long_after)) << "a death is news once";
                  },
                  [&](endpoint& e, taker& /*in*/) {
                      EXPECT_EQ(e.post(0, kind::request, {}), post_result::sent);
                      while (!sleeps && now() < 6 * long_after) {
                          skerry_sim::pause(1);
                      }
                      static_cast<void>(e.wait(6 * long_after));
                      lived_on = true;
                  }},
                 set);
        EXPECT_FALSE(lived_on);
        EXPECT_EQ(known_at, 3 * long_after + way + f.failure_cycles);
        EXPECT_THAT(news, testing::ElementsAre("process 1 was killed by signal 9"));
    }
}

TEST(simulated_times, copies_of_64_mebibytes) {
    const auto end =
        skerry::fabric_test::run_simulated(skerry::fabric_test::body_named("large_copies"), "tiny4-gwb.toml", {});
    EXPECT_EQ(end.said, "");
    // A pull, two pushes and a pull.
    const std::uint64_t least = 4 * ((std::uint64_t{64} << 20) / 16);
    EXPECT_GT(end.counts.total.cycles, least);
    EXPECT_LT(end.counts.total.cycles, least + 100'000);
}

TEST(simulated_times, a_machine_without_a_network) {
    auto machine = machine_named("tiny4-gwb.toml");
    const auto error_of = [&](unsigned endpoints) {
        struct {
            unsigned endpoints;
            std::string text;
        } run{endpoints, "no error"};
        skerry_sim::simulation simulation(machine);
        simulation.run(
            [](void* p) {
                auto& r = *static_cast<decltype(run)*>(p);
                try {
                    static_cast<void>(sim::make(r.endpoints));
                } catch (const std::runtime_error& error) {
                    r.text = error.what();
                }
            },
            &run);
        return run.text;
    };
    EXPECT_EQ(error_of(5), "skerry: sim: an endpoint was asked for on core 4, but the machine has 4 cores");
    machine.fabric.reset();
    EXPECT_EQ(error_of(1),
              "skerry: sim: this machine has no message network; its description needs a section [fabric]");
}

TEST(simulated_times, settings_that_no_machine_can_have) {
    const auto error_of = [](const skerry_sim::settings& set, const skerry_sim::machine_description& machine) {
        try {
            const skerry_sim::simulation s(machine, set);
        } catch (const std::invalid_argument& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    auto machine = machine_named("tiny4-gwb.toml");
    skerry_sim::settings set;
    set.deaths = {{3, 0}, {4, 10}};
    EXPECT_EQ(error_of(set, machine),
              "skerry: sim: settings::deaths has core 4 at cycle 10; accepted is a core below 4 "
              "and a cycle from 0 to 1099511627776");
    set.deaths.clear();
    set.fault = {skerry_sim::message_fault::lost, 4, 1};
    EXPECT_EQ(error_of(set, machine),
              "skerry: sim: settings::fault is on messages of core 4; accepted is a core of a machine with [fabric]");
    set.fault.from = 3;
    EXPECT_EQ(error_of(set, machine), "no error");
    machine.fabric.reset();
    EXPECT_NE(error_of(set, machine), "no error");
}

} // namespace
