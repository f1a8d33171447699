// SPDX-License-Identifier: Apache-2.0
#include "back_ends.hpp"
#include "commands.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <skerry/runtime.hpp>

namespace cli {

namespace {

using json = nlohmann::ordered_json;

std::string counted(std::size_t n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string text_of(const skerry::device_statistics& d) {
    if (d.driver.empty()) { // nothing of the kind is there
        return fmt::format("{:<10} not used: {}{}", d.name, d.why_not,
                           package_for(d).empty() ? "" : fmt::format(" ({})", package_for(d)));
    }
    return fmt::format("{:<10} {}: {} ({}), {} MiB", d.name, d.used ? "used" : "not used, " + d.why_not, d.description,
                       d.driver, d.memory >> 20);
}

json json_of(const skerry::device_statistics& d) {
    return {{"name", d.name}, {"description", d.description}, {"driver", d.driver}, {"memory", d.memory},
            {"used", d.used}, {"why_not", d.why_not}};
}

json json_of(const skerry::machine_description& machine, unsigned asked_for,
             const std::vector<skerry::device_statistics>& found) {
    json devices = json::array();
    for (const skerry::device_statistics& d : found) {
        devices.push_back(json_of(d));
    }
    json limits = json::array();
    for (const skerry::cpu_limit_source& limit : machine.limits) {
        limits.push_back({{"where", limit.where},
                          {"text", limit.text},
                          {"cpus", std::isinf(limit.cpus) ? json(nullptr) : json(limit.cpus)}});
    }
    json mpis = json::array();
    for (const skerry::mpi_description& mpi : machine.mpis) {
        const mpi_launcher_found launcher = launcher_of(mpi.name);
        mpis.push_back({{"name", mpi.name},
                        {"object", mpi.path.empty() ? json(nullptr) : json(mpi.path)},
                        {"launcher", launcher.program.empty() ? json(nullptr) : json(launcher.program)},
                        {"packages", {launcher.package, launcher.compiles}}});
    }
    return {{"workers", asked_for != 0 ? asked_for : machine.workers},
            {"workers_from", asked_for != 0 ? "SKERRY_WORKERS" : machine.decided_by},
            {"limits", std::move(limits)},
            {"cpus", machine.cpus},
            {"cores", machine.cores},
            {"packages", machine.packages},
            {"numa_nodes", machine.numa_nodes},
            {"topology_known", machine.topology_known},
            {"membarrier", machine.membarrier},
            {"mpi", std::move(mpis)},
            {"devices", std::move(devices)},
            {"simulator", std::filesystem::exists(simulator_path()) ? json(simulator_path()) : json(nullptr)}};
}

void print(const skerry::machine_description& machine, unsigned asked_for,
           const std::vector<skerry::device_statistics>& found) {
    if (asked_for != 0) {
        fmt::print("workers   {}, from SKERRY_WORKERS; the machine allows {}\n", asked_for, machine.workers);
    } else {
        fmt::print("workers   {}, from {}\n", machine.workers, machine.decided_by);
    }
    const char* heading = "limits";
    for (const skerry::cpu_limit_source& limit : machine.limits) {
        const std::string allowed = std::isinf(limit.cpus) ? "no limit" : fmt::format("{:g} CPUs", limit.cpus);
        fmt::print("{:<9} {:<10} {}: {}\n", heading, allowed, limit.where, limit.text);
        heading = "";
    }
    fmt::print("CPUs      {}\n", fmt::join(machine.cpus, ", "));
    if (machine.topology_known) {
        fmt::print("topology  {}, {}, {}\n", counted(machine.cores, "core"), counted(machine.packages, "package"),
                   counted(machine.numa_nodes, "NUMA node"));
    } else {
        fmt::print("topology  not known; all CPUs count as equally far from each other\n");
    }
    fmt::print("stealing  {}\n", machine.membarrier ? "asymmetric: the kernel has expedited membarrier"
                                                    : "locked: the kernel refuses expedited membarrier");
    heading = "MPI";
    for (const skerry::mpi_description& mpi : machine.mpis) {
        const mpi_launcher_found launcher = launcher_of(mpi.name);
        fmt::print("{:<9} {}: {}; {}\n", heading, mpi.name,
                   mpi.path.empty() ? fmt::format("no skerry-mpi-{}.so in {} (package {}, and build Skerry again)",
                                                  mpi.name, fmt::join(machine.mpi_folders, ", "), launcher.compiles)
                                    : mpi.path,
                   launcher.program.empty() ? fmt::format("no mpirun (package {})", launcher.package)
                                            : launcher.program);
        heading = "";
    }
    heading = "devices";
    for (const skerry::device_statistics& d : found) {
        fmt::print("{:<9} {}\n", heading, text_of(d));
        heading = "";
    }
    if (found.empty()) {
        fmt::print("{:<9} none: SKERRY_DEVICES=none\n", heading);
    }
    const std::filesystem::path simulator = simulator_path();
    fmt::print("simulator {}\n", std::filesystem::exists(simulator)
                                     ? simulator.string()
                                     : fmt::format("none: there is no {}", simulator.string()));
}

} // namespace

exit_code info(const info_request& request) {
    const unsigned asked_for = skerry::options::from_environment().workers;
    const skerry::machine_description machine = skerry::describe_machine();
    const std::vector<skerry::device_statistics> devices = skerry::current_devices();
    if (request.json) {
        fmt::print("{}\n", json_of(machine, asked_for, devices).dump(2));
    } else {
        print(machine, asked_for, devices);
    }
    return exit_ok;
}

} // namespace cli
