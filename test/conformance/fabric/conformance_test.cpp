// SPDX-License-Identifier: Apache-2.0

// Runs each body on each back end: as conformance_fabric, under GoogleTest; and, started by it through launch() as
// conformance_fabric BODY PIPES COPIES, one body in one of several processes; with "mpi" for COPIES, in a rank of MPI.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <skerry/launch.hpp>
#include <unistd.h>

#include "../../unit/base/reach.hpp"
#include "base/port/peer_memory.hpp"
#include "fabric/mpi/mpi.hpp"
#include "fabric/sequential/sequential.hpp"
#include "fabric/shm/shm.hpp"
#include "fabric/threads/threads.hpp"
#include "pipes.hpp"
#include "place.hpp"

namespace skerry::fabric_test {

namespace {

constexpr int body_failed = 3;
constexpr int not_applicable = 4;

std::string run_sequential(const body& b, unsigned /*endpoints*/) {
    pipes beside;
    return run_here(b, fabric::sequential::make(), beside);
}

std::string run_threads(const body& b, unsigned count) {
    pipes beside;
    auto endpoints = fabric::threads::make(count);
    std::vector<std::string> said(endpoints.size());
    {
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < endpoints.size(); ++i) {
            threads.emplace_back([&, i] { said[i] = run_here(b, std::move(endpoints[i]), beside); });
        }
        for (std::thread& t : threads) {
            t.join();
        }
    }
    for (const std::string& s : said) {
        if (!s.empty()) {
            return s;
        }
    }
    return "";
}

// `copies`: how, "direct" where the system allows that, or "staged".
std::string run_processes(const body& b, unsigned processes, const std::string& copies) {
    const pipes beside;
    const launch_result end = launch(processes, {"/proc/self/exe", b.name, beside.text(), copies});
    const bool meant = std::string(b.name).starts_with("a_peer_is_killed");
    const std::string wanted = meant ? "process " + std::to_string(processes - 1) + " was killed by signal 9" : "";
    const int status = meant ? 128 + 9 : 0;
    if (end.text.ends_with(" ended with exit status " + std::to_string(not_applicable))) {
        const bool reached = copies == "direct" && port::uses_peer_memory && skerry_test::processes_reach_each_other();
        return reached && b.name == std::string("copies_without_the_peer") ? "the handshake reaches no memory"
                                                                           : "not applicable";
    }
    return end.text == wanted && end.status == status ? "" : "the launcher says: " + end.text;
}

std::string run_shm(const body& b, unsigned processes) { return run_processes(b, processes, "direct"); }
std::string run_shm_staged(const body& b, unsigned processes) { return run_processes(b, processes, "staged"); }

// Ranks of an MPI. What there is not is skipped by that reason.
std::string run_ranks(const body& b, unsigned ranks, const std::string& mpi) {
    const std::string object = SKERRY_OBJECTS "/skerry-mpi-" + mpi + ".so";
    if (::access(object.c_str(), R_OK) != 0) {
        return "not applicable: no compiler of " + mpi + " when this was built";
    }
    const pipes beside;
    std::vector<std::string> command{"/usr/bin/env", "SKERRY_MPI=" + object, "mpirun." + mpi};
    if (mpi == "openmpi") {
        command.insert(command.end(), {"--allow-run-as-root", "--oversubscribe", "--bind-to", "none"});
    }
    command.insert(command.end(),
                   {"-n", std::to_string(ranks), std::filesystem::read_symlink("/proc/self/exe").string(), b.name,
                    beside.text_for_strangers(), "mpi"});
    const launch_result end = launch(1, command);
    if (end.status == not_applicable) {
        return "not applicable";
    }
    return end.status == 0 ? "" : "the launcher says: " + end.text;
}

std::string run_openmpi(const body& b, unsigned ranks) { return run_ranks(b, ranks, "openmpi"); }
std::string run_mpich(const body& b, unsigned ranks) { return run_ranks(b, ranks, "mpich"); }

struct back_end {
    const char* name;
    std::string (*run)(const body&, unsigned endpoints);
    unsigned most; // endpoints
};

struct combination {
    back_end on;
    body what;
    unsigned endpoints;
};

std::string name_of(const combination& c) {
    return std::string(c.on.name) + "_" + c.what.name +
           (c.endpoints > 2 ? "_among_" + std::to_string(c.endpoints) : std::string());
}

std::ostream& operator<<(std::ostream& out, const combination& c) { return out << name_of(c); }

std::vector<combination> all_combinations() {
    std::vector<back_end> all{{"sequential", run_sequential, 1},
                              {"threads", run_threads, 4},
                              {"shm", run_shm, 4},
                              {"mpi_openmpi", run_openmpi, 2},
                              {"mpi_mpich", run_mpich, 2}};
    if (port::uses_peer_memory) { // else that is what shm is already
        all.push_back({"shm_staged", run_shm_staged, 4});
    }
    std::vector<combination> result;
    for (const back_end& on : all) {
        for (const body& b : bodies()) {
            for (unsigned endpoints = 2; endpoints <= (b.among_more ? std::max(2U, on.most) : 2U); ++endpoints) {
                result.push_back({on, b, endpoints});
            }
        }
    }
    return result;
}

class conformance : public testing::TestWithParam<combination> {};

TEST_P(conformance, holds) {
    const std::string said = GetParam().on.run(GetParam().what, GetParam().endpoints);
    if (said == "not applicable") {
        GTEST_SKIP() << "describe() says that this back end has it not";
    }
    if (said.starts_with("not applicable: ")) {
        GTEST_SKIP() << said.substr(said.find(' ', said.find(':')) + 1);
    }
    EXPECT_EQ(said, "");
}

INSTANTIATE_TEST_SUITE_P(fabric, conformance, testing::ValuesIn(all_combinations()),
                         [](const testing::TestParamInfo<combination>& i) { return name_of(i.param); });

} // namespace

// One body in this process, which launch() has started.
int run_launched(const std::string& name, const std::string& descriptors, const std::string& copies) {
    for (const body& b : bodies()) {
        if (b.name == name) {
            pipes beside(descriptors);
            std::string said;
            try {
                if (copies == "mpi") { // an endpoint that leaves waits for the others: whoever fails ends at once
                    said = run_here(b, fabric::mpi::connect({.table = {}, .choice = std::getenv("SKERRY_MPI")}).fabric,
                                    beside, [](const char* text) {
                                        std::fprintf(stderr, "%s\n", text);
                                        std::_Exit(body_failed);
                                    });
                    return said.empty() ? 0 : not_applicable;
                }
                fabric::shm::connect_options options;
                options.reach = options.reach && copies == "direct";
                fabric::connection joined = fabric::shm::connect(options);
                said = run_here(b, std::move(joined.fabric), beside);
            } catch (const std::exception& error) {
                said = error.what();
            }
            if (said == "not applicable") {
                return not_applicable;
            }
            if (!said.empty()) {
                std::fprintf(stderr, "%s: %s\n", b.name, said.c_str());
                return body_failed;
            }
            return 0;
        }
    }
    return 2;
}

} // namespace skerry::fabric_test

int main(int argc, char** argv) {
    if (argc == 4) {
        return skerry::fabric_test::run_launched(argv[1], argv[2], argv[3]);
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
