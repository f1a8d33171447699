// SPDX-License-Identifier: Apache-2.0
#include "reproduce/runs.hpp"

#include "exit_code.hpp"
#include "reproduce/run.hpp"

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cli {

namespace {

using clock = std::chrono::steady_clock;
using json = nlohmann::ordered_json;

constexpr std::uint64_t no_bytes = 0xCBF2'9CE4'8422'2325; // FNV-1a

constexpr std::uint64_t with_byte(std::uint64_t hash, char byte) {
    return (hash ^ static_cast<unsigned char>(byte)) * 0x0000'0100'0000'01B3;
}

std::uint64_t with_file(std::uint64_t hash, const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    for (std::istreambuf_iterator<char> at(in), end; at != end; ++at) {
        hash = with_byte(hash, *at);
    }
    return hash;
}

std::string reason() { return std::generic_category().message(errno); }

void write_file(const std::filesystem::path& file, const std::string& text) {
    errno = 0;
    std::ofstream out(file, std::ios::binary);
    out << text << std::flush;
    if (!out) {
        const std::string why = reason();
        std::error_code ignored;
        std::filesystem::remove(file, ignored);
        throw std::runtime_error(fmt::format("reproduce: cannot write {}: {}", file.string(), why));
    }
}

// Opened to read: rows of a folder that cannot be written can still be shown.
int lock_of(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / "lock";
    const int lock = ::open(file.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0) {
        throw std::runtime_error(fmt::format("reproduce: cannot write {}: {}", file.string(), reason()));
    }
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
        const bool held = errno == EWOULDBLOCK;
        const std::string why = reason();
        ::close(lock);
        throw std::runtime_error(
            held ? fmt::format("reproduce: another skerry reproduce is at work in {}", folder.string())
                 : fmt::format("reproduce: cannot lock {}: {}", file.string(), why));
    }
    return lock;
}

constexpr std::size_t probe_bytes = 65536; // more than a row has

struct running {
    const wanted_row* row;
    std::filesystem::path made;
    clock::time_point since;
};

} // namespace

kept_rows::kept_rows(std::filesystem::path folder, std::filesystem::path program)
    : folder_(std::move(folder)),
      program_(std::move(program)) {
    std::error_code wrong;
    std::filesystem::create_directories(folder_ / "runs", wrong);
    if (wrong) {
        throw std::runtime_error(
            fmt::format("reproduce: cannot make the folder {}: {}", folder_.string(), wrong.message()));
    }
    if (::access(program_.c_str(), X_OK) != 0) {
        throw std::runtime_error(fmt::format("reproduce: there is no {}, which runs the programs on simulated cores; "
                                             "'make reproduce' builds it, and 'make install' installs it",
                                             program_.string()));
    }
    program_hash_ = with_file(no_bytes, program_);
    lock_ = lock_of(folder_);
}

kept_rows::~kept_rows() { ::close(lock_); }

std::string kept_rows::key_of(const wanted_row& row) const {
    std::uint64_t hash = with_file(program_hash_, row.read);
    for (const std::string& argument : row.arguments) {
        hash = with_byte(hash, '\0');
        for (const char c : argument) {
            hash = with_byte(hash, c);
        }
    }
    return fmt::format("{:016x}", hash);
}

json kept_rows::read(const wanted_row& row) const {
    std::ifstream in(file_of(row.name));
    json there = in ? json::parse(in, nullptr, false) : json(nullptr);
    const bool same = there.is_object() && there.contains("made_by") && there["made_by"] == key_of(row);
    return same && row.fits(there) ? there : json(nullptr);
}

void kept_rows::keep(const wanted_row& row, const std::filesystem::path& made) const {
    std::ifstream in(made);
    json it = json::parse(in, nullptr, false);
    if (!it.is_object() || !row.fits(it)) {
        throw std::runtime_error(fmt::format("reproduce: {} is not a row", made.string()));
    }
    it["made_by"] = key_of(row);
    write_file(made, it.dump(2) + "\n");
    std::error_code wrong;
    std::filesystem::rename(made, file_of(row.name), wrong);
    if (wrong) {
        throw std::runtime_error(
            fmt::format("reproduce: cannot write {}: {}", file_of(row.name).string(), wrong.message()));
    }
}

void kept_rows::write(const std::string& name, const std::string& text) const {
    const std::filesystem::path unfinished = folder_ / (name + ".unfinished");
    write_file(unfinished, text);
    std::error_code wrong;
    std::filesystem::rename(unfinished, folder_ / name, wrong);
    if (wrong) {
        throw std::runtime_error(
            fmt::format("reproduce: cannot write {}: {}", (folder_ / name).string(), wrong.message()));
    }
}

void kept_rows::make(std::span<const wanted_row> rows, unsigned jobs, const after_run& after) {
    std::vector<const wanted_row*> to_do;
    for (const wanted_row& r : rows) {
        if (read(r).is_null()) {
            to_do.push_back(&r);
        }
    }
    const std::size_t number = to_do.size();
    if (number != 0) { // no run is to be in vain
        const std::filesystem::path probe = folder_ / "runs" / "probe.unfinished";
        write_file(probe, std::string(probe_bytes, '\n'));
        std::filesystem::remove(probe);
    }
    std::map<pid_t, running> now;
    std::string lost; // the first that could not be kept; then no more is begun
    std::size_t next = 0;
    std::size_t done = 0;
    while (!now.empty() || (next != number && lost.empty())) {
        if (now.size() < jobs && next != number && lost.empty()) {
            const wanted_row& row = *to_do[next++];
            const std::filesystem::path made = folder_ / "runs" / (row.name + ".unfinished");
            std::vector<std::string> words{program_.string()};
            words.insert(words.end(), row.arguments.begin(), row.arguments.end());
            words.insert(words.end(), {"--row-to", made.string()});
            std::vector<char*> argv;
            argv.reserve(words.size() + 1);
            for (std::string& w : words) {
                argv.push_back(w.data());
            }
            argv.push_back(nullptr);
            const pid_t parent = ::getpid();
            const pid_t child = ::fork();
            if (child < 0) {
                throw std::system_error(errno, std::generic_category(), "reproduce: cannot start a run");
            }
            if (child == 0) { // ends with its parent
                ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                if (::getppid() == parent) {
                    ::execv(argv[0], argv.data());
                }
                ::_exit(exit_failure);
            }
            now.emplace(child, running{&row, made, clock::now()});
            continue;
        }
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, 0);
        const auto found = now.find(ended);
        if (found == now.end()) {
            if (ended < 0 && errno != EINTR) {
                throw std::system_error(errno, std::generic_category(), "reproduce: cannot wait for a run");
            }
            continue;
        }
        const running was = found->second;
        now.erase(found);
        ++done;
        const bool made =
            WIFEXITED(status) && (WEXITSTATUS(status) == exit_ok || WEXITSTATUS(status) == exit_check_failed);
        if (WIFEXITED(status) && WEXITSTATUS(status) == exit_not_written) {
            lost = lost.empty() ? fmt::format("reproduce: {} could not write its row, see above", was.row->name) : lost;
            std::error_code ignored;
            std::filesystem::remove(was.made, ignored);
            continue;
        }
        if (made) {
            try {
                keep(*was.row, was.made);
            } catch (const std::runtime_error& e) {
                lost = lost.empty() ? e.what() : lost;
                continue;
            }
        } else {
            const std::string what = fmt::format("reproduce: {} has failed ({} {})", was.row->name,
                                                 WIFEXITED(status) ? "exit status" : "signal",
                                                 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
            fmt::print(stderr, "skerry: {}\n", what);
            std::error_code ignored;
            std::filesystem::remove(was.made, ignored);
        }
        after(*was.row, done, number, std::chrono::duration<double>(clock::now() - was.since).count());
    }
    if (!lost.empty()) {
        throw std::runtime_error(lost);
    }
}

} // namespace cli
