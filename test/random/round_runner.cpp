// SPDX-License-Identifier: Apache-2.0

// Rounds of random programs on one back end while a fault is switched on (SKERRY_FAULT), on all its forms by turns or
// on one alone (SKERRY_VARIANT): SECONDS SEED [HANG [shrink]]. Prints one line: what came of it (passed, differs,
// hangs, crashes) and after how many programs; and to stderr the program that failed, with `shrink` also a smaller one.
// So many seconds of HANG, else 5, in one program are a hang.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "rounds.hpp"

namespace {

using namespace random_programs;

// By the exit status of the round's process, which a launcher that reports a signal adds 128 to.
const char* verdict_of(const skerry_test::child_result& r) {
    const int signal = r.exited ? r.code - 128 : r.code;
    return signal == SIGALRM ? "hangs" : signal == SIGKILL ? "killed" : r.exited && r.code == 1 ? "differs" : "crashes";
}

} // namespace

int main(int argc, char** argv) {
    if (const std::optional<int> code = run_launched(argc, argv)) {
        return *code;
    }
    if (argc < 3 || argc > 5) {
        std::fprintf(stderr, "usage: %s SECONDS SEED [HANG [shrink]]\n", argv[0]);
        return 2;
    }
    const bool fault = std::getenv("SKERRY_FAULT") != nullptr;
    const back_end on = this_back_end(argc > 3 ? static_cast<unsigned>(std::atoi(argv[3]))
                                      : fault  ? 5
                                               : usual_patience_seconds);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[1]));
    const char* const only = std::getenv("SKERRY_VARIANT");
    std::size_t programs = 0;
    for (std::uint64_t seed = std::strtoull(argv[2], nullptr, 10); std::chrono::steady_clock::now() < end; ++seed) {
        if (only != nullptr && seed % on.variants != std::strtoull(only, nullptr, 10)) {
            continue;
        }
        const round_result r = run_round(on, seed);
        programs += r.begun();
        if (!r.wrong.empty()) {
            std::printf("%s %zu\n", verdict_of(r.process), programs);
            std::fprintf(stderr, "%s", report(on, seed, r, argc == 5).c_str());
            return 0;
        }
    }
    std::printf("passed %zu\n", programs);
    return 0;
}
