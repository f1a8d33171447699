// SPDX-License-Identifier: Apache-2.0

#include "launched_programs.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

#include <skerry/launch.hpp>

namespace skerry_test {

namespace {

std::map<std::string, launched_program>& all() {
    static std::map<std::string, launched_program> programs;
    return programs;
}

} // namespace

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

child_result launch_program(unsigned processes, const std::string& name, bool guard) {
    return run_in_child([&] {
        ::setenv("SKERRY_WORKERS", "1", 1);
        ::setenv("SKERRY_GUARD_ACCESSES", guard ? "on" : "off", 1);
        const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
        const skerry::launch_result end = skerry::launch(processes, {self, name}, {.grace_seconds = 5});
        std::fprintf(stderr, "launcher: %s\n", end.text.c_str());
        return end.status;
    });
}

} // namespace skerry_test
