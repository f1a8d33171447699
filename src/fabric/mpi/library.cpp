// SPDX-License-Identifier: Apache-2.0
#include "fabric/mpi/library.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/port/environment.hpp"
#include "base/port/library.hpp"
#include "fabric/mpi/mpi.hpp"

namespace skerry::inline SKERRY_ABI::fabric::mpi {

namespace {

struct known_mpi {
    const char* name;
    const char* in_words;
    const char* package;
    // What its launcher tells the ranks.
    const char* rank;
    const char* ranks;
    const char* here;
};
constexpr std::array<known_mpi, 2> all{{
    {"openmpi", "Open MPI", "libopenmpi-dev", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"mpich", "MPICH", "libmpich-dev", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
}};

unsigned whole(const char* variable, unsigned otherwise) {
    const std::optional<std::string> value = port::environment(variable);
    return value ? static_cast<unsigned>(port::parse_whole(variable, *value, 0, 1U << 20U)) : otherwise;
}

std::string file_of(std::string_view name) { return "skerry-mpi-" + std::string(name) + ".so"; }

std::string path_of(std::string_view name) {
    for (const std::string& folder : folders()) {
        std::string path = folder + "/" + file_of(name);
        if (port::is_readable(path)) {
            return path;
        }
    }
    return {};
}

[[noreturn]] void fail(const launcher& by, const std::string& why) {
    throw std::runtime_error("skerry: the launcher of " + std::string(by.in_words) + " has started " +
                             std::to_string(by.ranks) + " ranks, but " + why);
}

} // namespace

void check_choice(const std::string& choice) {
    const bool known = choice == "automatic" || choice == "off" || choice.find('/') != std::string::npos ||
                       std::ranges::any_of(all, [&](const known_mpi& m) { return choice == m.name; });
    if (!known) {
        throw std::invalid_argument("skerry: options::mpi (SKERRY_MPI) is " + choice +
                                    "; accepted is automatic, openmpi, mpich, off, or the path of a shared object");
    }
}

std::vector<std::string> folders() {
    std::vector<std::string> result;
    const auto add = [&result](std::string folder) {
        if (!folder.empty() && folder.front() != '.' && std::ranges::find(result, folder) == result.end()) {
            result.push_back(std::move(folder));
        }
    };
    const std::string code = port::folder_of_this_code();
    const std::string program = port::folder_of_the_program();
    for (const std::string& beside : {code, program}) {
        add(beside);
        add(beside.empty() ? beside : beside + "/skerry");
    }
    add(program.empty() ? program : program + "/../lib/skerry");
    add(SKERRY_OBJECTS_FOLDER);
    return result;
}

std::vector<object> objects() {
    std::vector<object> result;
    result.reserve(all.size());
    for (const known_mpi& m : all) {
        result.push_back({m.name, path_of(m.name)});
    }
    return result;
}

launcher find_launcher() {
    for (const known_mpi& m : all) {
        if (const unsigned ranks = whole(m.ranks, 0); ranks != 0) {
            return {m.name, m.in_words, m.package, whole(m.rank, 0), ranks, whole(m.here, 0)};
        }
    }
    return {};
}

const skerry_mpi_calls& open_calls(const std::string& choice, const launcher& by) {
    const bool is_path = choice.find('/') != std::string::npos;
    const std::string name = choice == "automatic" ? by.name : choice;
    const std::string path = is_path ? choice : path_of(name);
    if (path.empty()) {
        std::string text = "there is no " + file_of(name) + " in ";
        const std::vector<std::string> sought = folders();
        for (std::size_t i = 0; i < sought.size(); ++i) {
            text += (i == 0 ? "" : i + 1 == sought.size() ? " or " : ", ") + sought[i];
        }
        const auto known = std::ranges::find(all, name, &known_mpi::name);
        fail(by, text + ": build Skerry with this MPI's compiler (package " + known->package +
                     "), or name one by SKERRY_MPI; SKERRY_MPI=off runs the ranks one by one");
    }
    std::string why;
    const char* const file = path.c_str();
    void* const opened = port::open_library({&file, 1}, why, port::found_by::others); // an MPI's plugins need it
    if (opened == nullptr) {
        fail(by, path + " cannot be opened: " + why);
    }
    const auto* const calls = static_cast<const skerry_mpi_calls*>(port::symbol_of(opened, "skerry_mpi"));
    if (calls == nullptr || calls->interface != SKERRY_MPI_INTERFACE) {
        fail(by, path + " is not a shared object of this version of Skerry");
    }
    return *calls;
}

} // namespace skerry::inline SKERRY_ABI::fabric::mpi
