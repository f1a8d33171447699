// SPDX-License-Identifier: Apache-2.0
#include <skerry/launch.hpp>

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/port/cgroup.hpp"
#include "base/port/child.hpp"
#include "base/port/clock.hpp"
#include "base/port/cpu_limits.hpp"
#include "base/port/environment.hpp"
#include "base/port/futex.hpp"
#include "base/port/shared_memory.hpp"
#include "base/variables.hpp"
#include "fabric/shm/protocol.hpp"

// Thread safety: one thread. Shared words: the stations' states, of processes that have ended only (F1 -> F2).

namespace skerry::inline SKERRY_ABI {

namespace {

using fabric::presence;
namespace shm = fabric::shm;

constexpr std::uint64_t second = 1'000'000'000;
constexpr int signal_base = 128;                           // as shells report a death by signal
constexpr const char* workers_variable = "SKERRY_WORKERS"; // skerry/runtime.hpp: options::workers

// The memory that the processes will share, and what the launcher tells them through it.
class shared_memory {
  public:
    explicit shared_memory(unsigned processes)
        : descriptor_(port::make_shared_memory("skerry", shm::shared_bytes(processes))),
          bytes_(shm::shared_bytes(processes)) {
        begin_ = descriptor_ >= 0 ? port::map_shared(descriptor_, bytes_) : nullptr;
        if (begin_ == nullptr) {
            const int why = errno;
            close();
            throw std::system_error(why, std::generic_category(), "skerry: no memory that processes can share");
        }
        auto* const head = ::new (begin_) shm::control;
        head->magic = shm::magic_number;
        head->layout = shm::layout_of_this_build();
        head->processes = processes;
        words_ = shm::segment_of(begin_, processes);
    }
    shared_memory(const shared_memory&) = delete;
    shared_memory& operator=(const shared_memory&) = delete;
    ~shared_memory() { close(); }

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

    // Whether a process that has ended has joined the others, or tried to.
    [[nodiscard]] bool has_come(unsigned who) const noexcept {
        return words_.station(who).state.load(detail::memory_order::acquire) != presence::absent;
    }

    // Tells everybody how a process ended, unless it had left before. It may have been killed in the middle of a ring.
    void tell(unsigned who, const port::child_end& end) noexcept {
        auto& station = words_.station(who);
        if (!over(station.state.load(detail::memory_order::relaxed))) {      // relaxed: the only other writer has ended
            station.number.store(end.number, detail::memory_order::relaxed); // published by F1, both
            station.before.store(told_++, detail::memory_order::relaxed);
            station.state.store(end.killed ? presence::killed : presence::exited,
                                detail::memory_order::release); // F1 -> F2
        }
        for (unsigned i = 0; i < words_.endpoints(); ++i) {
            words_.station(i).bell.ring_anyway();
        }
    }

  private:
    void close() noexcept {
        if (begin_ != nullptr) {
            port::unmap_shared(begin_, bytes_);
        }
        if (descriptor_ >= 0) {
            port::close_shared_memory(descriptor_);
        }
    }

    int descriptor_;
    std::size_t bytes_;
    void* begin_ = nullptr;
    std::uint32_t told_ = 0; // ends that were told
    fabric::segment<shm::across_processes> words_;
};

class crew {
  public:
    crew(unsigned processes, const launch_options& options) : shared_(processes), options_(options) {}
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;
    ~crew() {
        for (const int pid : running_) { // only if start() threw
            port::send_signal(pid, port::signal_kill);
        }
        while (!running_.empty()) {
            forget(watch_.next(running_, port::forever).child.pid);
        }
    }

    void start(unsigned processes, const std::vector<std::string>& command) {
        running_.reserve(processes);
        std::vector<std::pair<std::string, std::string>> variables{
            {shm::ranks_variable, std::to_string(processes)},
            {shm::descriptor_variable, std::to_string(shared_.descriptor())}};
        if (port::environment(workers_variable).value_or("0") == "0") { // else the user has said how many
            variables.emplace_back(workers_variable,
                                   std::to_string(std::max(1U, port::read_cpu_limits().workers / processes)));
        }
        std::string& rank = variables.emplace_back(shm::rank_variable, "").second;
        for (unsigned i = 0; i < processes; ++i) {
            rank = std::to_string(i);
            try {
                ranks_.push_back(watch_.start(command, variables));
            } catch (const std::system_error& e) {
                throw std::system_error(e.code(), "skerry: cannot start '" + command.front() + "'");
            }
            running_.push_back(ranks_.back());
        }
    }

    launch_result wait() {
        using what = port::child_watch::event::what;
        int next_signal = port::signal_terminate;
        while (!running_.empty()) {
            const std::uint64_t now = port::now_ns();
            const std::uint64_t limit = !end_at_ ? port::forever : *end_at_ > now ? *end_at_ - now : 0;
            const port::child_watch::event e = watch_.next(running_, limit);
            switch (e.kind) {
            case what::child_ended: ended(e.child); break;
            case what::asked_to_end: send(e.signal); break;
            case what::time_over:
                send(next_signal);
                next_signal = port::signal_kill;
                end_at_ = port::now_ns() + second;
                break;
            }
        }
        if (ranks_.size() > 1 && !met_ && result_.status == 0) {
            result_.text = "the " + std::to_string(ranks_.size()) +
                           " processes never met, and each has run the whole program: it calls run() of no "
                           "skerry::runtime, where they meet, or has more rights than its caller and reads no variable";
        }
        return result_;
    }

  private:
    void ended(const port::child_end& end) {
        const auto rank = static_cast<unsigned>(std::find(ranks_.begin(), ranks_.end(), end.pid) - ranks_.begin());
        forget(end.pid);
        met_ = met_ || shared_.has_come(rank);
        shared_.tell(rank, end);
        if ((end.killed || end.number != 0) && result_.status == 0) {
            result_.status = end.killed ? signal_base + end.number : end.number;
            result_.text = "process " + std::to_string(rank) +
                           (end.killed ? " was killed by signal " : " ended with exit status ") +
                           std::to_string(end.number) +
                           (end.killed && end.number == port::signal_kill ? why_killed() : "");
            end_at_ = port::now_ns() + static_cast<std::uint64_t>(options_.grace_seconds * double{second});
        }
    }

    // The kernel leaves nothing but the count of a control group, which others may share.
    [[nodiscard]] std::string why_killed() const {
        const auto now = port::read_memory_kills();
        return now && kills_before_ && now->where == kills_before_->where && now->count > kills_before_->count
                   ? "; it may have been for want of memory: the count oom_kill in " + now->where + " has grown"
                   : "";
    }

    void send(int signal) const noexcept {
        for (const int pid : running_) {
            port::send_signal(pid, signal);
        }
    }

    void forget(int pid) { std::erase(running_, pid); }

    shared_memory shared_;
    launch_options options_;
    const std::optional<port::memory_kills> kills_before_ = port::read_memory_kills();
    port::child_watch watch_;
    std::vector<int> ranks_;   // of every process ever started
    std::vector<int> running_; // not yet waited for
    std::optional<std::uint64_t> end_at_;
    bool met_ = false; // some process has joined the others, or tried to
    launch_result result_;
};

} // namespace

launch_result launch(unsigned processes, const std::vector<std::string>& command, const launch_options& options) {
    static_assert(most_processes == shm::most_processes);
    if (processes < 1 || processes > most_processes) {
        throw std::invalid_argument("skerry: launch: " + std::to_string(processes) + " processes; accepted is 1 to " +
                                    std::to_string(most_processes));
    }
    if (command.empty()) {
        throw std::invalid_argument("skerry: launch: no program is given");
    }
    detail::name_unknown_variables(); // for all of them
    crew all(processes, options);
    all.start(processes, command);
    return all.wait();
}

} // namespace skerry::inline SKERRY_ABI
