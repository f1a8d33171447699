// SPDX-License-Identifier: Apache-2.0

// Random programs against their elision while one fault is switched on (SKERRY_FAULT): SECONDS SEED [HANG]. Prints one
// line: what came of it (passed, differs, hangs, crashes) and after how many programs; and to stderr what differs, in
// which program. So many seconds of HANG, else 2, without a program are a hang.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <thread>
#include <vector>

#include "interpreter.hpp"
#include "outcome.hpp"
#include "program.hpp"

namespace {

using namespace random_programs;

std::atomic<unsigned long> programs{0};

[[noreturn]] void end(const char* verdict) {
    std::printf("%s %lu\n", verdict, programs.load());
    std::fflush(stdout);
    std::_Exit(0);
}

// A fault may end in anything; the process is of no use afterwards.
void crash(int) { end("crashes"); }

// A program takes a millisecond. Without a fault there is no hurry to call it hung: the machine may be loaded.
void watch(std::chrono::seconds patience) {
    unsigned long seen = 0;
    auto since = std::chrono::steady_clock::now();
    for (;;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const auto now = std::chrono::steady_clock::now();
        if (const unsigned long latest = programs; latest != seen) {
            seen = latest;
            since = now;
        } else if (now - since > patience) {
            end("hangs");
        }
    }
}

std::vector<std::uint8_t> choices(std::mt19937_64& random) {
    std::vector<std::uint8_t> list(random() % 700);
    for (std::uint8_t& c : list) {
        c = static_cast<std::uint8_t>(random());
    }
    return list;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4) {
        std::fprintf(stderr, "usage: %s SECONDS SEED [HANG]\n", argv[0]);
        return 2;
    }
    const double seconds = std::atof(argv[1]);
    std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) {
        std::signal(signal, crash);
    }
    const bool fault = std::getenv("SKERRY_FAULT") != nullptr;
    std::thread(watch, std::chrono::seconds(argc == 4 ? std::atoi(argv[3]) : fault ? 2 : 60)).detach();

    skerry::serial::runtime serial;
    const auto with = [](unsigned workers) {
        skerry::options o;
        o.workers = workers;
        return o;
    };
    skerry::runtime one(with(1)); // runs tasks inside spawn()
    skerry::runtime two(with(2));
    skerry::runtime four(with(4));
    skerry::runtime* const runtimes[] = {&two, &one, &two, &four};
    const auto end_of_time = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end_of_time) {
        const program p = make_program(choices(random));
        install({&p, 1});
        const outcome expected = interpreter<serial_constructs>::run(serial, p);
        const outcome found = interpreter<parallel_constructs>::run(*runtimes[programs % 4], p);
        ++programs;
        if (const std::string wrong = difference(p, expected, found); !wrong.empty()) {
            std::fprintf(stderr, "%s%s", wrong.c_str(), text_of(p).c_str());
            end("differs");
        }
    }
    end("passed");
}
