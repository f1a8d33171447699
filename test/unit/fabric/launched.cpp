// SPDX-License-Identifier: Apache-2.0
#include "launched.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/port/child.hpp"
#include "base/port/clock.hpp"
#include "base/port/reserve.hpp"
#include "fabric/shm/shm.hpp"

namespace skerry::fabric_test {

namespace {

namespace shm = fabric::shm;

constexpr std::uint64_t second = 1'000'000'000;

[[noreturn]] void sleep_for_ever() {
    for (;;) {
        ::pause();
    }
}

// Waits until the other end of a pipe that the test holds says so, or is closed.
void hear(const char* descriptor) {
    char byte = 0;
    static_cast<void>(::read(std::atoi(descriptor), &byte, 1) == 0);
}

int same_arena() {
    const fabric::connection joined = shm::connect();
    const port::arena_place place = joined.arena.place();
    auto* const word = reinterpret_cast<volatile std::uint64_t*>(joined.arena.begin());
    if (!port::commit(joined.arena.begin(), 4096) || place.bytes == 0) {
        return 10;
    }
    const std::uint64_t self = joined.fabric->describe().self;
    if (*word != 0) {
        return 11;
    }
    *word = self + 1;
    // A message each way says that both have written.
    struct sink final : fabric::receiver {
        std::uint64_t address = 0;
        void receive(unsigned, fabric::kind, const fabric::message& m) override { address = m.words[0]; }
    } in;
    joined.fabric->on_message(in);
    fabric::message m;
    m.words[0] = place.address;
    if (joined.fabric->post(self == 0 ? 1 : 0, fabric::kind::request, m) != fabric::post_result::sent) {
        return 12;
    }
    while (joined.fabric->poll(1) == 0) {
        if (!joined.fabric->wait(port::now_ns() + 20 * second)) {
            return 13;
        }
    }
    if (in.address != place.address) {
        return 14;
    }
    return *word == self + 1 ? 0 : 15; // the other's write is not seen here
}

bool joins() {
    try {
        static_cast<void>(shm::connect());
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

// Leaves so much address space to this process.
void limit_address_space(rlim_t mebibytes) {
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = mebibytes << 20;
    ::setrlimit(RLIMIT_AS, &limit);
}

int run(std::string_view what, unsigned rank, char** arguments) {
    if (what == "succeed") {
        return 0;
    }
    if (what == "exit_5_or_sleep") {
        if (rank == 0) {
            return 5;
        }
        sleep_for_ever();
    }
    if (what == "exit_5_or_be_stubborn") {
        if (rank == 0) {
            hear(arguments[0]); // the other has closed its ears by then
            return 5;
        }
        std::signal(SIGTERM, SIG_IGN);
        const char byte = 1;
        static_cast<void>(::write(std::atoi(arguments[1]), &byte, 1) == 1);
        sleep_for_ever();
    }
    if (what == "be_killed_or_sleep") {
        if (rank == 1) {
            port::kill_this_process();
        }
        sleep_for_ever();
    }
    if (what == "use_up_memory_or_sleep") {
        if (rank == 0) {
            constexpr std::size_t most = std::size_t{2} << 30;
            const std::vector<char> used(most, 1);
            return used[most / 2];
        }
        sleep_for_ever();
    }
    if (what == "say_and_sleep") {
        const char byte = 1;
        static_cast<void>(::write(std::atoi(arguments[0]), &byte, 1) == 1);
        sleep_for_ever();
    }
    if (what == "other_table") {
        static_cast<void>(
            shm::connect({.table = {.hash = 0xabc0 + rank, .entries = 12 + rank, .code = 0xdef0 + rank}}));
    } else if (what == "never_come") {
        if (rank == 1) {
            hear(arguments[0]);
            return 0;
        }
        static_cast<void>(shm::connect({.timeout_ns = second / 10}));
    } else if (what == "die_before") {
        if (rank == 1) {
            port::kill_this_process();
        }
        static_cast<void>(shm::connect());
    } else if (what == "die_before_another_gives_up") {
        if (rank == 2) {
            port::kill_this_process();
        } else if (rank == 0) {
            hear(arguments[0]);
            static_cast<void>(shm::connect());
        }
        try {
            static_cast<void>(shm::connect());
        } catch (const std::exception&) {
            const char byte = 1;
            static_cast<void>(::write(std::atoi(arguments[1]), &byte, 1) == 1);
            throw;
        }
    } else if (what == "end_before") {
        if (rank == 0) {
            static_cast<void>(shm::connect());
        }
        return 0;
    } else if (what == "give_up") {
        if (rank == 0) {
            hear(arguments[0]);
            static_cast<void>(shm::connect());
        }
        try {
            static_cast<void>(shm::connect({.timeout_ns = 1}));
        } catch (const std::exception&) {
            const char byte = 1;
            static_cast<void>(::write(std::atoi(arguments[1]), &byte, 1) == 1);
        }
    } else if (what == "connect_twice") {
        const fabric::connection first = shm::connect();
        static_cast<void>(shm::connect());
    } else if (what == "with_its_child") { // at the same time
        const pid_t child = ::fork();
        const bool joined = joins();
        if (child == 0) {
            ::_exit(joined ? 1 : 0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return int{joined} + WEXITSTATUS(status) == 1 ? 0 : 8;
    } else if (what == "after_its_child") {
        if (const pid_t child = ::fork(); child != 0) {
            ::waitpid(child, nullptr, 0);
        }
        static_cast<void>(shm::connect());
    } else if (what == "same_arena") {
        return same_arena();
    } else if (what == "other_arena") { // one process has something else at the best place
        const port::arena_place best = port::arena_places()[0];
        if (rank == 1 && !port::reserve_at(best.address + best.bytes / 2, 1 << 20)) {
            return 9;
        }
        return same_arena();
    } else if (what == "no_arena") {
        if (rank != 0) {
            limit_address_space(512);
        }
        static_cast<void>(shm::connect());
    } else if (what == "small_arena") { // a limit in MiB for each rank, 0: none
        if (const int mebibytes = std::atoi(arguments[rank]); mebibytes != 0) {
            limit_address_space(static_cast<rlim_t>(mebibytes));
        }
        const fabric::connection joined = shm::connect();
        return joined.arena.place().bytes == std::size_t{1} << 30 ? 0 : 8;
    } else if (what == "meet") {
        static_cast<void>(shm::connect());
    }
    return 0;
}

} // namespace

int run_launched(int argc, char** argv) {
    try {
        return argc < 2 ? 2 : run(argv[1], static_cast<unsigned>(std::atoi(std::getenv("SKERRY_RANK"))), argv + 2);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 7;
    }
}

} // namespace skerry::fabric_test
