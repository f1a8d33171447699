// SPDX-License-Identifier: Apache-2.0
#include "back_ends.hpp"

#include "flags.hpp"
#include "measure.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <skerry/launch.hpp>
#include <unistd.h>

namespace cli {

namespace {

constexpr std::string_view processes_prefix = "processes:";
constexpr std::string_view mpi_prefix = "mpi:";
constexpr std::string_view simulated_prefix = "sim:";
constexpr std::string_view device_prefix = "device:";
constexpr unsigned most_processes = 64;

const apps::program& program_of(const run_request& request) {
    const apps::program* const program = apps::find_program(request.program);
    if (program == nullptr) {
        throw apps::usage_error(fmt::format("there is no program '{}'; did you mean '{}'? 'skerry list' names them all",
                                            request.program, apps::nearest_program(request.program)));
    }
    return *program;
}

// The number in "processes:N" and "mpi:N".
unsigned processes_of(std::string_view back_end) {
    const std::string_view digits = back_end.substr(back_end.find(':') + 1);
    unsigned n = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (error != std::errc() || end != digits.data() + digits.size() || n < 1 || n > most_processes) {
        throw apps::usage_error(fmt::format("--on {}: the number of processes is 1 to {}", back_end, most_processes));
    }
    return n;
}

// A file that is gone when this is.
class scratch_file {
  public:
    scratch_file() {
        std::string pattern = (std::filesystem::temp_directory_path() / "skerry-XXXXXX").string();
        const int descriptor = ::mkstemp(pattern.data());
        if (descriptor < 0) {
            throw std::system_error(errno, std::generic_category(), "cannot make a file like " + pattern);
        }
        ::close(descriptor);
        path_ = pattern;
    }
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;
    ~scratch_file() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    const std::filesystem::path& path() const noexcept { return path_; }

  private:
    std::filesystem::path path_;
};

// The request as options for another process.
std::vector<std::string> options_of(const run_request& request, unsigned repeat, const std::filesystem::path& to) {
    const apps::options& o = request.options;
    std::vector<std::string> words{std::string(program_of(request).info.name),
                                   "--size",
                                   std::string(apps::name_of(o.size)),
                                   "--seed",
                                   std::to_string(o.seed),
                                   "--repeat",
                                   std::to_string(repeat),
                                   "--row-to",
                                   to.string()};
    const auto add = [&words](std::string_view flag, const std::string& value, bool given) {
        if (given) {
            words.emplace_back(flag);
            words.push_back(value);
        }
    };
    add("--input", o.input, !o.input.empty());
    for (const std::string& input : o.more_inputs) {
        add("--input", input, true);
    }
    add("--output", o.output, !o.output.empty());
    add("--passes", std::to_string(o.passes), o.passes != 0);
    add("--cores", std::to_string(o.cores), o.cores != 0);
    add("--from", o.from, !o.from.empty());
    add("--to", o.to, !o.to.empty());
    add("--train", std::to_string(o.train), o.train != 0);
    add("--granularity", std::to_string(o.granularity), o.granularity != 0);
    return words;
}

// Has other processes make the row. `launcher`: the program among `command` that starts them; empty: this one does.
back_end_row row_from(std::string_view back_end, unsigned processes, const std::vector<std::string>& command,
                      const scratch_file& row, std::string_view launcher = {}) {
    const skerry::launch_result end = skerry::launch(processes, command);
    if (end.status == exit_usage || end.status == exit_bad_input) {
        throw already_said{static_cast<exit_code>(end.status)};
    }
    if (end.status != 0 && end.status != exit_check_failed && !launcher.empty()) {
        throw std::runtime_error(
            fmt::format("--on {}: {} has ended with exit status {}: a rank failed, or died; what was "
                        "said of that stands above",
                        back_end, launcher, end.status));
    }
    if (end.status != 0 && end.status != exit_check_failed) {
        throw std::runtime_error(fmt::format("--on {}: {}", back_end,
                                             end.text.empty() ? fmt::format("exit status {}", end.status) : end.text));
    }
    std::ifstream in(row.path());
    back_end_row result = row_of(nlohmann::ordered_json::parse(in));
    result.back_end = back_end;
    return result;
}

std::filesystem::path this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

// This command with the request, as each of several processes on this machine runs it.
void add_command(std::vector<std::string>& to, const run_request& request, unsigned processes, unsigned repeat,
                 const scratch_file& row) {
    runtime_flags flags = request.runtime; // what is not among them, each process reads in the environment
    if (request.runtime.over(skerry::options::from_environment()).workers == 0) {
        flags.workers = std::max(1U, skerry::describe_machine().workers / processes);
    }
    to.insert(to.end(), {this_program().string(), "run"});
    std::ranges::move(options_of(request, repeat, row.path()), std::back_inserter(to));
    to.insert(to.end(), {"--on", "threads"});
    std::ranges::move(words_of(flags), std::back_inserter(to));
}

void name_workers_of_the_first(back_end_row& row) {
    for (executor_row& e : row.executors) {
        if (e.name.starts_with("worker")) {
            e.name = "process 0, " + e.name;
        }
    }
}

back_end_row run_processes(const run_request& request, std::string_view back_end, unsigned repeat) {
    const unsigned processes = processes_of(back_end);
    const scratch_file row;
    std::vector<std::string> command;
    add_command(command, request, processes, repeat, row);
    back_end_row result = row_from(back_end, processes, command, row);
    name_workers_of_the_first(result);
    return result;
}

// A launcher of MPI's, its options, and the variables without which it does not start ranks as root, or more of them
// than there are cores.
struct mpi_launcher {
    std::string_view mpi;
    std::array<std::string_view, 2> programs; // the first that there is
    std::vector<std::string> options;
    std::string_view package;  // Debian's
    std::string_view compiles; // the package with which a build makes the shared object
};

const std::array<mpi_launcher, 2>& mpi_launchers() {
    static const std::array<mpi_launcher, 2> all{{{"openmpi",
                                                   {"mpirun.openmpi", "mpirun"},
                                                   {"--allow-run-as-root", "--oversubscribe", "--bind-to", "none"},
                                                   "openmpi-bin",
                                                   "libopenmpi-dev"},
                                                  {"mpich", {"mpirun.mpich", "mpirun"}, {}, "mpich", "libmpich-dev"}}};
    return all;
}

// Empty: there is none in PATH.
std::string in_path(const mpi_launcher& launcher) {
    const char* const path = ::secure_getenv("PATH");
    for (const std::string_view program : launcher.programs) {
        std::istringstream folders(path != nullptr ? path : "");
        for (std::string folder; std::getline(folders, folder, ':');) {
            std::string whole = fmt::format("{}/{}", folder, program);
            if (::access(whole.c_str(), X_OK) == 0) {
                return whole;
            }
        }
    }
    return {};
}

// What starts ranks: of the MPI that was asked for, or else of the first that has a shared object and a launcher.
std::vector<std::string> launcher_for(std::string_view back_end, const std::string& choice) {
    const skerry::machine_description machine = skerry::describe_machine();
    if (machine.processes > 1) {
        throw apps::usage_error(fmt::format("--on {}: this is one of {} processes that a launcher has started already; "
                                            "leave --on out",
                                            back_end, machine.processes));
    }
    if (choice == "off") {
        throw not_here(fmt::format("--on {}: options::mpi (SKERRY_MPI, --mpi) is off", back_end));
    }
    std::string missing;
    for (const mpi_launcher& launcher : mpi_launchers()) {
        const bool is_path = choice.find('/') != std::string::npos;
        if (choice != "automatic" && choice != launcher.mpi &&
            !(is_path && choice.find(launcher.mpi) != std::string::npos)) {
            continue;
        }
        const auto found = std::ranges::find(machine.mpis, launcher.mpi, &skerry::mpi_description::name);
        std::string program = in_path(launcher);
        if (program.empty()) {
            missing += fmt::format("; {}: no mpirun (package {})", launcher.mpi, launcher.package);
        } else if (!is_path && (found == machine.mpis.end() || found->path.empty())) {
            missing += fmt::format("; {}: no skerry-mpi-{}.so in {} (package {}, and build Skerry again)", launcher.mpi,
                                   launcher.mpi, fmt::join(machine.mpi_folders, ", "), launcher.compiles);
        } else {
            std::vector<std::string> command{std::move(program)};
            command.insert(command.end(), launcher.options.begin(), launcher.options.end());
            return command;
        }
    }
    throw not_here(fmt::format("--on {}: there is no MPI to do it with{}", back_end, missing));
}

back_end_row run_mpi(const run_request& request, std::string_view back_end, unsigned repeat) {
    const unsigned ranks = processes_of(back_end);
    std::vector<std::string> command =
        launcher_for(back_end, request.runtime.over(skerry::options::from_environment()).mpi);
    const std::string launcher = command.front();
    command.insert(command.end(), {"-n", std::to_string(ranks)});
    const scratch_file row;
    add_command(command, request, ranks, repeat, row);
    back_end_row result = row_from(back_end, 1, command, row, launcher);
    name_workers_of_the_first(result);
    return result;
}

// The simulator is a program of its own beside this one: its objects are of another machine and do not link with these.
back_end_row run_simulated(const run_request& request, std::string_view back_end, unsigned repeat) {
    const std::filesystem::path simulator = simulator_path();
    if (!std::filesystem::exists(simulator)) {
        throw not_here(fmt::format("--on {}: there is no {}: this Skerry was built without its simulator", back_end,
                                   simulator.string()));
    }
    const scratch_file row;
    std::vector<std::string> command{simulator.string(), std::string(back_end.substr(simulated_prefix.size()))};
    std::ranges::move(options_of(request, repeat, row.path()), std::back_inserter(command));
    // It does not read the environment: its workers are not this machine's. Only the trace is written on this one.
    const skerry::options o = request.runtime.over(skerry::options::from_environment());
    runtime_flags flags;
    flags.steal = request.runtime.steal;
    if (!o.trace.empty()) {
        flags.trace = o.trace;
        flags.trace_memory = o.trace_memory;
    }
    std::ranges::move(words_of(flags), std::back_inserter(command));
    return row_from(back_end, 1, command, row);
}

std::string text_of(const std::vector<side_row>& sides) {
    std::string text;
    for (const side_row& s : sides) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", s.name, s.iterations);
        if (s.bytes_in != 0 || s.bytes_out != 0) {
            text += fmt::format(" ({} bytes in, {} out)", s.bytes_in, s.bytes_out);
        }
    }
    return text;
}

std::string text_of(const std::vector<executor_row>& executors) {
    std::string text;
    for (const executor_row& e : executors) {
        text += fmt::format("{}{}: {} ({})", text.empty() ? "" : "; ", e.name, e.tasks, e.stolen);
    }
    return text;
}

} // namespace

bool all_agree(const std::vector<back_end_row>& rows) {
    return std::ranges::all_of(rows, [&](const back_end_row& r) { return r.ok && r.digest == rows.front().digest; });
}

std::string table_of(const std::vector<back_end_row>& rows) {
    std::string text = fmt::format("{:<16} {:>18}  {:<16}  {}\n", "back end", "time", "checksum", "check");
    for (const back_end_row& r : rows) {
        text +=
            fmt::format("{:<16} {:>18}  {:<16}  {}\n", r.back_end,
                        r.cycles != 0 ? fmt::format("{} cycles", r.cycles) : fmt::format("{:.6f} s", r.seconds),
                        r.digest ? fmt::format("{:016x}", *r.digest) : "-", (r.ok ? "ok: " : "FAILED: ") + r.verdict);
        if (!r.executors.empty()) {
            text += fmt::format("{:<16} tasks run{} (of those stolen): {}\n", "",
                                r.runs != 1 ? fmt::format(" in {} runs", r.runs) : "", text_of(r.executors));
        }
        if (!r.sides.empty()) {
            text += fmt::format("{:<16} iterations of kernels in {} runs: {}\n", "", r.runs, text_of(r.sides));
        }
        if (r.managed_tasks != 0 || r.unmanaged_tasks != 0) {
            text += fmt::format("{:<16} tasks ordered in {} runs: {} by the task manager, {} by software\n", "", r.runs,
                                r.managed_tasks, r.unmanaged_tasks);
        }
        if (!r.note.empty()) {
            text += fmt::format("{:<16} {}\n", "", r.note);
        }
    }
    if (!rows.front().output.empty()) {
        text += rows.front().output + "\n";
    }
    text += all_agree(rows) ? fmt::format("all {} results are the same, bit for bit\n", rows.size())
                            : "the results DIFFER or a check failed\n";
    return text;
}

namespace {

// Once untimed and `repeat` times.
back_end_row run_in(skerry::runtime& workers, std::string_view back_end,
                    std::unique_ptr<apps::instance> (*make)(const apps::options&), const apps::options& options,
                    unsigned repeat) {
    std::unique_ptr<apps::instance> instance;
    workers.run([&] { instance = make(options); });

    back_end_row row{.back_end = std::string(back_end),
                     .problem = instance->problem(),
                     .seconds = 0,
                     .cycles = 0,
                     .executors = {},
                     .sides = {},
                     .managed_tasks = 0,
                     .unmanaged_tasks = 0,
                     .note = {},
                     .runs = repeat + 1,
                     .ok = false,
                     .verdict = {},
                     .output = {},
                     .digest = {}};
    timing times;
    for (unsigned round = 0; round <= repeat; ++round) { // round 0 is not timed
        workers.run([&] { instance->reset(); });
        const auto begin = std::chrono::steady_clock::now();
        workers.run([&] { instance->run(); });
        if (round != 0) {
            times.runs.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        }
    }
    row.seconds = times.median();
    const apps::verdict v = instance->check();
    row.ok = v.ok;
    row.verdict = v.text;
    row.output = instance->print();
    row.digest = instance->digest();
    workers.run([&] { instance.reset(); });
    const skerry::statistics done = workers.stats();
    row.managed_tasks = done.managed_tasks;
    row.unmanaged_tasks = done.unmanaged_tasks;
    return row;
}

void add_executors(back_end_row& row, const skerry::runtime& workers) {
    for (const auto& e : workers.executors()) {
        row.executors.push_back({e.name, e.tasks, e.stolen});
    }
}

// What the workers and each device have done with kernels so far. Waits until devices are found.
std::vector<side_row> sides_of(skerry::runtime& workers) {
    std::vector<side_row> sides{{"workers", workers.stats().kernel_iterations, 0, 0}};
    for (const skerry::device_statistics& d : workers.run([] { return skerry::current_devices(); })) {
        if (d.used) {
            sides.push_back({d.name, d.iterations, d.bytes_in, d.bytes_out});
        }
    }
    return sides;
}

// On workers and a device, or on the device NAME of "device:NAME".
back_end_row run_on_devices(const run_request& request, std::string_view back_end, unsigned repeat) {
    const apps::program& program = program_of(request);
    if (program.info.of == apps::system::several) {
        throw apps::usage_error(fmt::format("--on {}: {} takes a device by itself, on threads; --devices says which",
                                            back_end, program.info.name));
    }
    if (!program.info.has_kernels()) {
        throw apps::usage_error(fmt::format("--on {}: {} has no kernels; 'skerry list' names the programs that have",
                                            back_end, program.info.name));
    }
    const bool alone = back_end != "hybrid";
    skerry::options o = request.runtime.over(skerry::options::from_environment());
    if (alone) {
        o.devices = back_end.substr(device_prefix.size());
    }
    auto workers = std::make_unique<skerry::runtime>(o);
    std::string note;
    if (!alone && sides_of(*workers).size() == 1) {
        note = "no device is usable here: this one is emulated";
        for (const skerry::device_statistics& d : workers->run([] { return skerry::current_devices(); })) {
            if (const std::string package = package_for(d); !package.empty()) {
                note += fmt::format("; {}: {} ({})", d.name, d.why_not, package);
            }
        }
        o.devices = "emulated";
        workers = std::make_unique<skerry::runtime>(o);
    }
    apps::options options = request.options;
    options.on_device = true;
    if (!alone) { // what is built once is no part of the times, nor are its iterations
        workers->run([&] { program.parallel(options)->run(); });
    }
    const std::vector<side_row> before = sides_of(*workers);
    options.on_device = alone;
    back_end_row row = run_in(*workers, back_end, program.parallel, options, repeat);
    row.note = note;
    add_executors(row, *workers);
    row.sides = sides_of(*workers);
    for (side_row& side : row.sides) { // one that has failed meanwhile is not among them
        const auto was = std::ranges::find(before, side.name, &side_row::name);
        if (was != before.end()) {
            side.iterations -= was->iterations;
            side.bytes_in -= was->bytes_in;
            side.bytes_out -= was->bytes_out;
        }
    }
    return row;
}

} // namespace

back_end_row run_here(const run_request& request, bool serial, unsigned repeat) {
    const apps::program& program = program_of(request);
    const runtime_flags flags = serial ? of_the_trace(request.runtime) : request.runtime;
    skerry::runtime workers(flags.over(skerry::options::from_environment()));
    trace_cores(program.info, flags);
    back_end_row row = run_in(workers, serial ? "serial" : "threads", serial ? program.serial : program.parallel,
                              request.options, repeat);
    if (!serial) {
        add_executors(row, workers);
    }
    return row;
}

std::string package_for(const skerry::device_statistics& d) {
    return d.driver.empty() && d.name == "opencl" ? "packages ocl-icd-libopencl1 and pocl-opencl-icd" : "";
}

mpi_launcher_found launcher_of(std::string_view mpi) {
    const auto& all = mpi_launchers();
    const auto found = std::ranges::find(all, mpi, &mpi_launcher::mpi);
    return found == all.end()
               ? mpi_launcher_found{}
               : mpi_launcher_found{in_path(*found), std::string(found->package), std::string(found->compiles)};
}

std::filesystem::path simulator_path() { return this_program().parent_path() / "skerry-sim"; }

std::vector<back_end_row> rows_on(const run_request& request, unsigned repeat) {
    std::vector<back_end_row> rows;
    for (const std::string& back_end : request.on) {
        if (back_end == "serial" || back_end == "threads") {
            rows.push_back(run_here(request, back_end == "serial", repeat));
        } else if (back_end.starts_with(processes_prefix)) {
            rows.push_back(run_processes(request, back_end, repeat));
        } else if (back_end.starts_with(mpi_prefix)) {
            rows.push_back(run_mpi(request, back_end, repeat));
        } else if (back_end == "hybrid" || back_end.starts_with(device_prefix)) {
            rows.push_back(run_on_devices(request, back_end, repeat));
        } else if (back_end.starts_with(simulated_prefix)) {
            rows.push_back(run_simulated(request, back_end, repeat));
        } else {
            throw apps::usage_error(fmt::format("--on: there is no back end '{}'; there are serial, threads, "
                                                "processes:N, mpi:N, sim:MACHINE, hybrid and "
                                                "device:NAME",
                                                back_end));
        }
    }
    return rows;
}

exit_code run_on(const run_request& request, unsigned repeat) {
    if (request.runtime.trace && request.on.size() > 1) {
        throw apps::usage_error(
            fmt::format("--trace {}: each back end writes a file of its own, and --on names {}; trace one at a time",
                        *request.runtime.trace, request.on.size()));
    }
    refuse_useless_flags(request);
    const std::vector<back_end_row> rows = rows_on(request, repeat);
    if (!request.row_to.empty()) {
        write_row(rows.front(), request.row_to);
    } else if (request.json) {
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        for (const back_end_row& r : rows) {
            all.push_back(json_of(r));
        }
        fmt::print("{}\n", nlohmann::ordered_json{{"rows", all}, {"agree", all_agree(rows)}}.dump(2));
    } else {
        fmt::print("{}: {}\n{}", request.program, rows.front().problem, table_of(rows));
    }
    std::fflush(stdout);
    return all_agree(rows) ? exit_ok : exit_check_failed;
}

} // namespace cli
