// SPDX-License-Identifier: Apache-2.0

// Runs each body on each back end: as conformance_fabric, under GoogleTest; and, started by it through launch() as
// conformance_fabric BODY PIPES COPIES, one body in one of several processes.

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <skerry/launch.hpp>

#include "../../unit/base/reach.hpp"
#include "base/port/peer_memory.hpp"
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

struct back_end {
    const char* name;
    std::string (*run)(const body&, unsigned endpoints);
    bool has_more; // than one endpoint
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
    std::vector<back_end> all{
        {"sequential", run_sequential, false}, {"threads", run_threads, true}, {"shm", run_shm, true}};
    if (port::uses_peer_memory) { // else that is what shm is already
        all.push_back({"shm_staged", run_shm_staged, true});
    }
    std::vector<combination> result;
    for (const back_end& on : all) {
        for (const body& b : bodies()) {
            for (unsigned endpoints = 2; endpoints <= (on.has_more && b.among_more ? 4U : 2U); ++endpoints) {
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
                fabric::shm::connect_options options;
                options.reach = options.reach && copies == "direct";
                fabric::shm::connection joined = fabric::shm::connect(options);
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
    if (skerry::fabric::shm::launched() && argc == 4) {
        return skerry::fabric_test::run_launched(argv[1], argv[2], argv[3]);
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
