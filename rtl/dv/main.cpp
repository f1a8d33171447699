// SPDX-License-Identifier: Apache-2.0
// The test bench: takes random programs through the hardware, under every kind of host, and holds it against the golden
// model (host.hpp). All sets of parameters are in this one program.
//
//   bench [--tasks N] [--seconds N] [--seed N] [--fault NUMBER]   N tasks on each set of parameters, or for so long
//   bench --figures                                               cycles per task
//
// Without an argument SKERRY_STRESS_SECONDS and SKERRY_STRESS_SEED count, as in other tests that tools/soak runs. Ends
// with 0 if all went through without a fault, 1 if there was one (the first is printed, with what repeats it), 2 if the
// arguments make no sense.

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "host.hpp"
#include "order.hpp"
#include "programs.hpp"
#include "verilated.hpp"

#include "Vpool1024.h"
#include "Vpool8.h"
#include "Vpool8_one_way.h"

namespace {

using namespace nexus_dv;

struct totals {
    std::uint64_t tasks = 0;
    std::uint64_t cycles = 0;
};

struct settings {
    std::uint64_t tasks = 100'000;
    std::uint64_t seed = 1;
    double seconds = 0; // not 0: for so long, however many tasks that are
};

// One program through one new piece of hardware. `round` decides what it is.
template <class Top>
std::string one_round(std::uint64_t seed, std::uint64_t round, std::size_t tasks, totals& sum) {
    random_bits random(seed * 1'000'003 + round);
    verilated<Top, VerilatedContext> hardware;
    // The table is being cleared.
    hardware.advance(~std::uint64_t{0});
    const auto shape = nexus_shape_word::unpack(hardware.read(nexus_register::shape));
    const auto& kind = graphs[round % std::size(graphs)];
    const program made =
        make_program(kind.kind, tasks, 1 + static_cast<unsigned>(below(random, shape.accesses)), shape, random);
    const host_habits habits{.how = static_cast<manner>(below(random, manner_names.size())),
                             .order = static_cast<ends>(below(random, ends_names.size())),
                             .cores = 1 + static_cast<unsigned>(below(random, 2ULL * shape.pool))};
    constexpr std::uint32_t window = 4096;
    golden_order judge(window);
    outcome result = host(hardware, judge, made, habits, window, random).run();
    if (result.wrong.empty() && !hardware.empty()) result.wrong = "is not empty at the end";
    if (result.wrong.empty() && !judge.empty()) result.wrong = "has left something in the golden model";
    if (hardware.broken()) result.wrong = "breaks an assertion";
    sum.tasks += result.tasks;
    sum.cycles += hardware.cycles();
    if (result.wrong.empty()) return {};
    return "the hardware " + result.wrong + ": " + std::string(kind.name) + ", host " +
           std::string(manner_names[static_cast<std::size_t>(habits.how)]) + ", ends " +
           std::string(ends_names[static_cast<std::size_t>(habits.order)]) + ", " + std::to_string(habits.cores) +
           " cores";
}

// Cycles per task of tasks with `accesses` accesses, from the first word to the last end; words come and go without a
// wait. `chained`: each task waits for the one before it.
template <class Top>
double cycles_per_task(unsigned accesses, bool chained) {
    verilated<Top, VerilatedContext> hardware;
    hardware.advance(~std::uint64_t{0});
    const auto shape = nexus_shape_word::unpack(hardware.read(nexus_register::shape));
    constexpr std::uint64_t tasks = 4000;
    const std::uint64_t begin = hardware.cycles();
    std::uint64_t written = 0;
    std::uint64_t word = 0;
    std::uint64_t ended = 0;
    std::vector<std::uint64_t> running;
    const auto status = [&](nexus_register r) { return nexus_status_word::unpack(hardware.read(r)); };
    while (ended < tasks) {
        const std::uint64_t before = hardware.cycles();
        const auto fresh = status(nexus_register::new_status);
        if (written < tasks && fresh.occupancy < fresh.depth) {
            if (word == 0) {
                hardware.write(
                    nexus_register::new_task,
                    nexus_header_word{.function = written, .accesses = static_cast<std::uint16_t>(accesses)}.pack());
            } else {
                const std::uint64_t object = chained ? word - 1 : (written * accesses + word - 1) % (shape.pool * 2ULL);
                hardware.write(nexus_register::new_task,
                               nexus_access_word{.address = address_of(object), .mode = nexus_mode::inout}.pack());
            }
            if (word++ == accesses) {
                word = 0;
                ++written;
            }
        }
        if (status(nexus_register::ready_status).occupancy != 0)
            running.push_back(nexus_ready_word::unpack(hardware.read(nexus_register::ready_task)).id);
        const auto ends = status(nexus_register::finished_status);
        if (!running.empty() && ends.occupancy < ends.depth) {
            hardware.write(nexus_register::finished_task, running.back());
            running.pop_back();
            ++ended;
        }
        if (hardware.cycles() == before) hardware.advance(1);
    }
    return static_cast<double>(hardware.cycles() - begin) / static_cast<double>(tasks);
}

// A set of parameters.
struct parameters {
    std::string_view name;
    std::size_t tasks; // of one program
    std::string (*round)(std::uint64_t seed, std::uint64_t round, std::size_t tasks, totals& sum);
    double (*cycles)(unsigned accesses, bool chained);
};

template <class Top>
constexpr parameters of(std::string_view name, std::size_t tasks) {
    return {.name = name, .tasks = tasks, .round = one_round<Top>, .cycles = cycles_per_task<Top>};
}

constexpr parameters all[] = {
    of<Vpool8>("pool8", 500),
    of<Vpool8_one_way>("pool8_one_way", 500),
    of<Vpool1024>("pool1024", 5'000),
};

int fault = 0;

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// All programs; the same for the same seed.
int check(const settings& wanted) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<totals> sums(std::size(all));
    for (std::uint64_t round = 0;; ++round) {
        bool all_done = true;
        for (std::size_t p = 0; p < std::size(all); ++p) {
            if (wanted.seconds != 0 ? seconds_since(begin) >= wanted.seconds : sums[p].tasks >= wanted.tasks) continue;
            all_done = false;
            const std::string wrong = all[p].round(wanted.seed, round, all[p].tasks, sums[p]);
            if (!wrong.empty()) {
                std::cout << all[p].name << ", seed " << wanted.seed << ", round " << round << ": " << wrong << '\n';
                return 1;
            }
        }
        if (all_done) break;
    }
    for (std::size_t p = 0; p < std::size(all); ++p) {
        std::cout << all[p].name << ": " << sums[p].tasks << " tasks, " << sums[p].cycles << " cycles, no fault\n";
    }
    std::cout << seconds_since(begin) << " s\nseed " << wanted.seed << '\n';
    return 0;
}

// Cycles per task, for README and people: they are the same on every machine.
int figures() {
    std::cout << "cycles per task, pool of 1024 (apart; each after the one before)\n";
    for (const unsigned accesses : {0U, 1U, 2U, 3U, 5U, 8U}) {
        std::cout << accesses << " accesses: " << cycles_per_task<Vpool1024>(accesses, false) << "; "
                  << cycles_per_task<Vpool1024>(accesses, true) << '\n';
    }
    return 0;
}

bool number(std::string_view text, auto& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

// What a source with seeded faults asks for (rtl/dv/mutants.toml); others do not.
extern "C" int nexus_fault_number() { return fault; }

int main(int count, char** arguments) {
    settings wanted;
    if (count == 2 && std::string_view{arguments[1]} == "--figures") return figures();
    const char* const stress = std::getenv("SKERRY_STRESS_SECONDS");
    bool sense = count % 2 == 1;
    if (count == 1 && stress != nullptr) {
        const char* const seed = std::getenv("SKERRY_STRESS_SEED");
        sense = number(stress, wanted.seconds) && (seed == nullptr || number(seed, wanted.seed));
        if (seed == nullptr) wanted.seed = std::random_device{}();
    }
    for (int i = 1; i + 1 < count && sense; i += 2) {
        const std::string_view name = arguments[i];
        const std::string_view value = arguments[i + 1];
        if (name == "--tasks")
            sense = number(value, wanted.tasks);
        else if (name == "--seed")
            sense = number(value, wanted.seed);
        else if (name == "--seconds")
            sense = number(value, wanted.seconds);
        else if (name == "--fault")
            sense = number(value, fault);
        else
            sense = false;
    }
    if (!sense) {
        std::cerr << "usage: bench [--tasks N] [--seconds N] [--seed N] [--fault NUMBER] | --figures\n";
        return 2;
    }
    return check(wanted);
}
