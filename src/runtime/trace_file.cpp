// SPDX-License-Identifier: Apache-2.0

#include "runtime/trace_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/port/clock.hpp"
#include "base/port/file.hpp"
#include "base/port/process.hpp"
#include "base/text.hpp"
#include "trace/json.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constinit std::mutex files_mutex;

// Guarded by files_mutex; never destroyed, since the end of the process uses it.
struct open_files {
    std::map<std::string, std::shared_ptr<trace_file>> by_path;
    std::vector<trace_entry*> entries;
    std::terminate_handler next = nullptr;
};
open_files& known() {
    static auto& all = *new open_files;
    return all;
}

} // namespace

std::mutex& trace_files_mutex() noexcept { return files_mutex; }

class trace_file {
  public:
    trace_file(const std::string& path, fabric::place_in_line place)
        : path_(path),
          place_(place),
          file_(nullptr, &std::fclose),
          // Processes of one machine agree on its monotonic clock, and on nothing that began with one of them.
          json_([this](std::string_view piece) { put(piece); }, place.ranks > 1 ? 0 : port::now_ns(),
                tasks_of_a_process * place.rank) {
        if (place.rank == 0) {
            open("we"); // and empties it
            put(json_trace::head);
            finish();
        }
    }

    // Puts the domain where the tail was, and the tail behind it.
    void add(trace_part part) {
        if (part.executors.empty()) {
            return;
        }
        if (file_ == nullptr) {
            open("r+e"); // the first process has made it
        }
        part.domain = place_.rank + place_.ranks * domains_++;
        std::optional<port::file_lock> lock;
        json_.add({&part, 1}, [&] {
            lock.emplace(file_.get());
            return find_tail();
        });
        finish();
    }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    // Of the process that opened it: in a child of a fork the file is still the parent's.
    [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }

  private:
    // Numbers of one process's tasks: together they stay below 2^53, where readers count in floating point.
    static constexpr std::uint64_t tasks_of_a_process = std::uint64_t{1} << 46;

    void open(const char* mode) {
        std::error_code ignored;
        const auto status = std::filesystem::status(path_, ignored);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) { // a pipe would wait here
            fail(EINVAL, path_, " is no regular file");
        }
        file_.reset(std::fopen(path_.c_str(), mode));
        if (file_ == nullptr) {
            fail(errno, path_, "");
        }
    }

    [[noreturn]] static void fail(int reason, const std::string& path, const char* more) {
        throw std::system_error(reason, std::generic_category(),
                                "skerry: cannot open the trace file '" + path + "' (options::trace, SKERRY_TRACE)" +
                                    more);
    }

    // Goes to where the next domain belongs, and says whether another stands before: other processes may have written
    // since.
    [[nodiscard]] bool find_tail() {
        const auto tail = static_cast<long>(json_trace::tail.size());
        if (std::fseek(file_.get(), -tail, SEEK_END) != 0) {
            throw std::system_error(errno, std::generic_category());
        }
        return std::ftell(file_.get()) != static_cast<long>(json_trace::head.size());
    }
    void put(std::string_view text) {
        if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) {
            throw std::system_error(errno, std::generic_category());
        }
    }
    void finish() {
        put(json_trace::tail);
        if (std::fflush(file_.get()) != 0) {
            throw std::system_error(errno, std::generic_category());
        }
    }

    const std::string path_;
    const fabric::place_in_line place_;
    const std::uint32_t generation_ = port::process_generation();
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_; // null: not opened yet
    json_trace json_;
    std::uint32_t domains_ = 0;
};

// What runs until the process ends.
void write_open_traces() noexcept {
    for (trace_entry* const entry : known().entries) {
        entry->write_locked();
    }
}

void write_traces_before_the_end() noexcept {
    if (files_mutex.try_lock()) { // whoever holds it writes, or is what ends the process
        write_open_traces();
        files_mutex.unlock();
    }
}

namespace {

void at_exit() {
    const std::lock_guard lock(files_mutex);
    write_open_traces();
}

void on_terminate() {
    write_traces_before_the_end();
    if (known().next != nullptr) {
        known().next();
    }
    std::abort();
}

std::shared_ptr<trace_file> open_file(std::string path, fabric::place_in_line place) {
    auto& files = known().by_path;
    auto found = files.find(path);
    if (found != files.end() && found->second->generation() != port::process_generation()) {
        path.append(".").append(std::to_string(port::process_id())); // it is the parent process's
        found = files.find(path);
    }
    return found != files.end() ? found->second
                                : files.emplace(path, std::make_shared<trace_file>(path, place)).first->second;
}

void watch_the_end() {
    static const bool watched = [] {
        port::keep_loaded(); // the handlers are called at the end of the process
        known().next = std::set_terminate(&on_terminate);
        return std::atexit(&at_exit) == 0;
    }();
    static_cast<void>(watched);
}

} // namespace

trace_entry::trace_entry(const std::string& path, fabric::place_in_line place, std::function<trace_part()> take)
    : take_(std::move(take)),
      generation_(port::process_generation()) {
    const std::lock_guard lock(files_mutex);
    file_ = open_file(path, place);
    known().entries.push_back(this);
    watch_the_end();
}

trace_entry::~trace_entry() {
    const std::lock_guard lock(files_mutex);
    std::erase(known().entries, this);
}

void trace_entry::write() noexcept {
    const std::lock_guard lock(files_mutex);
    write_locked();
}

void trace_entry::write_locked() noexcept {
    if (file_ == nullptr || generation_ != port::process_generation()) {
        return;
    }
    const std::shared_ptr<trace_file> file = std::exchange(file_, nullptr);
    const auto report = [&](const char* reason) {
        fixed_text<400> line;
        line << "skerry: cannot write the trace to '" << file->path() << "': " << reason << '\n';
        port::write_stderr(line.view());
    };
    try {
        file->add(take_());
    } catch (const std::system_error& e) {
        report(e.code().message().c_str());
    } catch (const std::exception& e) {
        report(e.what());
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
