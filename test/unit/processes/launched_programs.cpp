// SPDX-License-Identifier: Apache-2.0

#include "launched_programs.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <thread>

#include <skerry/launch.hpp>
#include <sys/mman.h>
#include <unistd.h>

namespace skerry_test {

namespace {

std::map<std::string, launched_program>& all() {
    static std::map<std::string, launched_program> programs;
    return programs;
}

// The descriptor of memory that all processes of a program share: which moments were told.
constexpr const char* moments_variable = "SKERRY_TEST_MOMENTS";
using moments = std::atomic<bool>[3];

moments& told() {
    static auto& shared = *[] {
        const char* const descriptor = std::getenv(moments_variable);
        void* const begin = descriptor == nullptr ? MAP_FAILED
                                                  : ::mmap(nullptr, sizeof(moments), PROT_READ | PROT_WRITE, MAP_SHARED,
                                                           std::atoi(descriptor), 0);
        if (begin == MAP_FAILED) {
            throw std::logic_error("no moments: launch_program() launches what tells of them");
        }
        return static_cast<moments*>(begin);
    }();
    return shared;
}

} // namespace

void tell(moment m) { told()[static_cast<unsigned>(m)] = true; }

void await(moment m) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!told()[static_cast<unsigned>(m)]) {
        if (std::chrono::steady_clock::now() > deadline) {
            throw std::logic_error("moment " + std::to_string(static_cast<unsigned>(m)) + " has not come");
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

launched_programs::launched_programs(std::initializer_list<std::pair<const char*, launched_program>> list) {
    for (const auto& [name, program] : list) {
        all().emplace(name, program);
    }
}

bool is_launched_program(const std::string& name) { return all().contains(name); }

int run_launched_program(const std::string& name) {
    try {
        skerry::runtime r;
        r.run([&] { all().at(name)(r); });
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), e.what());
        return 1;
    }
}

child_result launch_program(unsigned processes, const std::string& name, bool guard,
                            const std::vector<std::string>& within) {
    return run_in_child([&] {
        ::setenv("SKERRY_WORKERS", "1", 1);
        ::setenv("SKERRY_GUARD_ACCESSES", guard ? "on" : "off", 1);
        const int shared = ::memfd_create("moments", 0);
        if (shared == -1 || ::ftruncate(shared, sizeof(moments)) != 0) {
            throw std::runtime_error("no memory that processes can share");
        }
        ::setenv(moments_variable, std::to_string(shared).c_str(), 1);
        const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
        std::vector<std::string> command = within;
        command.insert(command.end(), {self, name});
        const skerry::launch_result end = skerry::launch(processes, command, {.grace_seconds = 5});
        std::fprintf(stderr, "launcher: %s\n", end.text.c_str());
        return end.status;
    });
}

} // namespace skerry_test
