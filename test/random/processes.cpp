// SPDX-License-Identifier: Apache-2.0

// The back end `shm`: programs run over several processes. A round is one launch of this program, whose processes read
// the same choices from a file and make the same programs of them.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <skerry/launch.hpp>
#include <unistd.h>

#include "exposure_audit.hpp"
#include "fabric/shm/shm.hpp"
#include "interpreter.hpp"
#include "rounds.hpp"

namespace random_programs {

namespace {

// What else a crew does.
constexpr const char* mortal = "mortal"; // one of them is killed at some time

// --- in the processes that are launched -----------------------------------------------------------------------------

// After so many tasks this process is killed, with what it has written; 0: it is not.
unsigned long tasks_to_live = 0;

// A moment later, so that at times the end of the last task is told. At no moment may it lead to a wrong result.
void die_soon() {
    std::thread([wait = std::chrono::microseconds(std::random_device{}() % 60)] {
        std::this_thread::sleep_for(wait);
        std::raise(SIGKILL);
    }).detach();
}

// A waiting process runs all tasks there are, and a task lasts microseconds: the others get theirs before that.
struct process_constructs : parallel_constructs {
    static constexpr bool crosses = true;
    struct task_audit : exposure_audit {
        using exposure_audit::exposure_audit;
        task_audit(const task_audit&) = delete;
        task_audit& operator=(const task_audit&) = delete;
        ~task_audit() {
            if (tasks_to_live == 1) {
                die_soon();
            }
            if (tasks_to_live != 0) { // one thread runs all tasks then
                --tasks_to_live;
            }
        }
    };
    static void made(std::span<const word> words_there) { made_here(words_there); }

    static void taskwait() {
        linger();
        parallel_constructs::taskwait();
    }
    template <class... A>
    static void taskwait_on(const A&... a) {
        linger();
        parallel_constructs::taskwait_on(a...);
    }
    template <class F>
    static void finish(F&& f) {
        parallel_constructs::finish([&f] {
            f();
            linger();
        });
    }

  private:
    static void linger() { ::usleep(50); }
};

// A line for each program: its choices, and the numbers of the statements that it lacks.
void write(std::span<const choices> all, std::ostream& out) {
    for (const choices& c : all) {
        out << c.list.size();
        for (const unsigned byte : c.list) {
            out << ' ' << byte;
        }
        for (const std::uint32_t id : c.without) {
            out << ' ' << id;
        }
        out << '\n';
    }
}

std::vector<program> read(std::istream&& in) {
    std::vector<program> programs;
    for (std::string line; std::getline(in, line);) {
        std::istringstream numbers(line);
        std::size_t size = 0;
        numbers >> size;
        choices c;
        for (unsigned n = 0; numbers >> n;) {
            if (c.list.size() < size) {
                c.list.push_back(static_cast<std::uint8_t>(n));
            } else {
                c.without.push_back(n);
            }
        }
        programs.push_back(made_of(c));
    }
    return programs;
}

int run_file(const std::string& file, unsigned patience_seconds) {
    const std::vector<program> programs = read(std::ifstream(file));
    install(programs);
    skerry::serial::runtime serial;
    skerry::runtime parallel;
    if (skerry::fabric::shm::launched_as().rank != 0 && parallel.workers() == 1) {
        audit_exposure(std::chrono::seconds(patience_seconds) / 2); // to be told, and not taken for a hang
    }
    parallel.run([] {}); // does not return but in the first process
    return run_programs(
        programs, patience_seconds,
        [&](std::uint32_t i) {
            const outcome expected = interpreter<serial_constructs>::run(serial, programs[i], i);
            return difference(programs[i], expected,
                              interpreter<process_constructs>::run(parallel, programs[i], i, &expected));
        },
        [&] {
            spread s;
            for (const auto& e : parallel.executors()) {
                s.tasks += e.tasks;
                s.elsewhere += e.name.starts_with("process") ? e.tasks : 0;
            }
            return s;
        });
}

// --- in the test ----------------------------------------------------------------------------------------------------

// Gone with this object.
class choices_file {
  public:
    explicit choices_file(std::span<const choices> list)
        : path_(std::filesystem::temp_directory_path() / ("skerry_random_" + std::to_string(::getpid()))) {
        std::ofstream out(path_);
        write(list, out);
        if (!out.flush()) {
            throw std::runtime_error("cannot write " + path_.string());
        }
    }
    choices_file(const choices_file&) = delete;
    choices_file& operator=(const choices_file&) = delete;
    ~choices_file() { std::filesystem::remove(path_); }

    [[nodiscard]] std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

struct crew {
    unsigned processes;
    const char* workers;     // of each
    const char* guard;       // off: what is written stays where it was, in debug builds, too
    const char* manner = ""; // or mortal
};
constexpr crew crews[] = {{2, "1", "on"}, {3, "1", "off"}, {2, "2", "on"},         {2, "1", "off"},
                          {3, "1", "on"}, {2, "2", "off"}, {2, "1", "off", mortal}};

constexpr std::string_view killed = "process 1 was killed by signal 9";

// Of a launch whose process 1 was killed. Whether the results were right until the first process said who was killed
// and which task it held, or to the end, if the killed one was not missed. A thread of its own says so: the first may
// begin another program before it ends.
bool has_told(const skerry_test::child_result& r) {
    std::istringstream lines(r.output);
    std::string line;
    bool told = false;
    while (std::getline(lines, line)) {
        if (line.starts_with("skerry: " + std::string(killed) + "; it held ") || line.starts_with(ends)) {
            told = true;
        } else if (line != killed && !line.empty() && !line.starts_with(begins) && !line.starts_with("elsewhere ")) {
            return false;
        }
    }
    return told;
}

} // namespace

back_end this_back_end(unsigned patience_seconds) {
    const auto run = [patience_seconds](unsigned variant, std::span<const choices> list) {
        const choices_file file(list);
        skerry_test::child_result r = skerry_test::run_in_child([&] {
            ::setenv("SKERRY_WORKERS", crews[variant].workers, 1);
            ::setenv("SKERRY_GUARD_ACCESSES", crews[variant].guard, 1);
            const skerry::launch_result end = skerry::launch(
                crews[variant].processes,
                {std::filesystem::read_symlink("/proc/self/exe").string(), file.path(),
                 std::to_string(patience_seconds), crews[variant].manner},
                {.grace_seconds = static_cast<double>(patience_seconds)}); // the first may not miss who was killed
            std::printf("%s\n", end.text.c_str());
            return end.status;
        });
        const bool was_killed = r.code == 128 + SIGKILL; // the launcher's report
        if (was_killed && crews[variant].manner == mortal) {
            r.code = has_told(r) ? 0 : 1;
        }
        return r;
    };
    return {.run = run, .variants = std::size(crews), .seconds = 3, .fewest = 600, .percent_elsewhere = 20};
}

std::optional<int> run_launched(int argc, char** argv) {
    if (!skerry::fabric::shm::launched() || argc != 4) {
        return std::nullopt;
    }
    if (std::string_view(argv[3]) == mortal && skerry::fabric::shm::launched_as().rank == 1) {
        tasks_to_live = 1 + std::random_device{}() % 60;
    }
    return run_file(argv[1], static_cast<unsigned>(std::stoul(argv[2])));
}

} // namespace random_programs
