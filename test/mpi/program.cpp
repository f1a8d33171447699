// SPDX-License-Identifier: Apache-2.0

// A program that mpirun starts: program WHAT [FILE]. What it does stands beside each name below.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <numeric>
#include <span>
#include <string>
#include <thread>

#include <dlfcn.h>
#include <skerry/skerry.hpp>
#include <unistd.h>

#include "fabric/mpi/mpi.hpp"

namespace {

int told(const char* by_open_mpi, const char* by_mpich, const char* otherwise) {
    const char* const open_mpi = std::getenv(by_open_mpi);
    const char* const mpich = std::getenv(by_mpich);
    return std::atoi(open_mpi != nullptr ? open_mpi : mpich != nullptr ? mpich : otherwise);
}
int rank() { return told("OMPI_COMM_WORLD_RANK", "PMI_RANK", "0"); }
int ranks() { return told("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "1"); }

// Where each rank leaves a file when it has begun a task; empty: tasks do not wait for each other.
std::string meeting;

// Every rank runs a task: none goes on before each has begun one. A rank that gets none would be a hang, which the test
// ends.
void meet() {
    if (meeting.empty()) {
        return;
    }
    std::ofstream(meeting + std::to_string(rank())).put('x');
    for (int other = 0; other < ranks(); ++other) {
        while (access((meeting + std::to_string(other)).c_str(), F_OK) != 0) {
            std::this_thread::yield();
        }
    }
}

void add(std::span<long> part) {
    meet();
    for (long& x : part) {
        ++x;
    }
}
#ifdef ANOTHER
void add_twice(std::span<long> part) {
    add(part);
    add(part);
}
void spawn_twice(std::span<long> part) { skerry::spawn(add_twice, skerry::inout(part)); }
#endif
void die(std::span<long> part) {
    add(part);
    if (rank() == 1) {
        std::raise(SIGKILL);
    }
}

void tasks(void (*what)(std::span<long>)) {
    skerry::runtime machine;
    long sum = 0;
    machine.run([&] {
        const std::span<long> all = skerry::root_region().make_array<long>(64'000);
        for (int round = 0; round < 3; ++round) {
            for (std::size_t at = 0; at < all.size(); at += 1000) {
                if (what == &die) {
                    skerry::spawn(die, skerry::inout(all.subspan(at, 1000)));
                } else {
                    skerry::spawn(add, skerry::inout(all.subspan(at, 1000)));
                }
            }
        }
        skerry::taskwait();
        sum = std::accumulate(all.begin(), all.end(), 0L);
    });
    std::printf("the sum is %ld\n", sum);
    for (const auto& e : machine.executors()) {
        std::printf("%s ran %ju tasks\n", e.name.c_str(), e.tasks);
    }
}

double cpu_seconds_of(const std::string& process) {
    std::ifstream stat("/proc/" + process + "/stat");
    const std::string line{std::istreambuf_iterator<char>(stat), {}};
    long long user = 0;
    long long system = 0;
    std::sscanf(line.c_str() + line.rfind(')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld", &user,
                &system);
    return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void write_process(const std::string& file) { std::ofstream(file) << getpid() << '\n'; }

bool has_ended(const std::string& file) {
    std::ifstream in(file);
    std::string process;
    return std::getline(in, process) && !in.eof() && access(("/proc/" + process).c_str(), F_OK) != 0; // a whole line
}

// Until mpirun, too, knows that the process has ended: a rank that has joined by then is killed with the message of
// mpirun. One that does not end would be a hang, which the test ends.
void await_end_of(const std::string& file) {
    while (!has_ended(file)) {
        std::this_thread::yield();
    }
}

// What an idle rank takes of a CPU while the first one sleeps.
void idle(const std::string& file) {
    if (rank() != 0) {
        write_process(file);
    }
    skerry::runtime machine;
    machine.run([&] {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        std::string process;
        std::ifstream(file) >> process;
        const double before = cpu_seconds_of(process);
        std::this_thread::sleep_for(std::chrono::seconds(4));
        std::printf("%.3f\n", (cpu_seconds_of(process) - before) / 4);
    });
}

int run(const std::string& what, const std::string& file) {
    if (what == "tasks") { // FILE: every rank runs some
        meeting = file;
        tasks(&add);
    } else if (what == "die") { // rank 1 kills itself in a task
        meeting = file;
        tasks(&die);
    } else if (what == "early" && rank() == 1) { // FILE: rank 1 ends before it joins the others
        write_process(file);
    } else if (what == "early") {
        await_end_of(file);
        static_cast<void>(skerry::fabric::mpi::connect(
            {.table = {}, .choice = std::getenv("SKERRY_MPI"), .timeout_ns = 2'000'000'000}));
    } else if (what == "exit") { // the first ends inside run()
        skerry::runtime machine;
        machine.run([] { std::exit(0); });
    } else if (what == "idle") {
        idle(file);
    } else if (what == "own") { // the program starts MPI itself
        void* const mpi = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
        auto* const start = mpi != nullptr ? reinterpret_cast<int (*)(int*, char***)>(dlsym(mpi, "MPI_Init")) : nullptr;
        if (start == nullptr || start(nullptr, nullptr) != 0) {
            std::fprintf(stderr, "no MPI_Init in %s\n", file.c_str());
            return 2;
        }
        tasks(&add);
    } else {
        return 2;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
#ifdef ANOTHER
    static_cast<void>(&spawn_twice);
#endif
    try {
        return argc < 2 ? 2 : run(argv[1], argc > 2 ? argv[2] : "");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
