// SPDX-License-Identifier: Apache-2.0

// What the simulated machine is to a process: its CPUs are its cores, and there is no operating system that could limit
// them, fork or place pages.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <system_error>

#include "base/port/cgroup.hpp"
#include "base/port/child.hpp"
#include "base/port/cpu_limits.hpp"
#include "base/port/fault_watch.hpp"
#include "base/port/futex.hpp"
#include "base/port/large_pages.hpp"
#include "base/port/lock_wait.hpp"
#include "base/port/membarrier.hpp"
#include "base/port/peer_memory.hpp"
#include "base/port/process.hpp"
#include "base/port/sandbox.hpp"
#include "base/port/thread_call.hpp"
#include "base/port/thread_stack.hpp"
#include "base/port/topology.hpp"
#include "sim/program.hpp"

namespace skerry::inline SKERRY_ABI {

namespace port {

std::vector<unsigned> process_cpus() {
    std::vector<unsigned> cores(skerry_sim::cores());
    std::iota(cores.begin(), cores.end(), 0U);
    return cores;
}

cpu_limits read_cpu_limits() {
    cpu_limits limits{.workers = skerry_sim::cores(), .cpus = process_cpus(), .found = {}, .tightest = {}};
    limits.tightest = {.cpus = static_cast<double>(limits.workers), .where = "the simulated machine", .text = {}};
    limits.found.push_back(limits.tightest);
    return limits;
}

topology topology::of_this_machine(const std::vector<unsigned>& cpus) { return flat(cpus); }

bool futex_wait(const void* word32, std::uint32_t expected, std::uint64_t timeout_ns) noexcept {
    return skerry_sim::wait_on(static_cast<const std::uint32_t*>(word32), expected, timeout_ns);
}
void futex_wake(const void* word32, int count) noexcept {
    skerry_sim::wake(static_cast<const std::uint32_t*>(word32), static_cast<unsigned>(count));
}

// There is one process.
bool futex_wait_shared(const void* word32, std::uint32_t expected, std::uint64_t timeout_ns) noexcept {
    return futex_wait(word32, expected, timeout_ns);
}
void futex_wake_shared(const void* word32, int count) noexcept { futex_wake(word32, count); }
std::uint32_t process_id() noexcept { return 1; }
bool is_memory_fault(int /*signal*/) noexcept { return false; }
std::size_t read_peer(std::uint32_t /*process*/, std::span<const peer_range> /*ranges*/) noexcept { return 0; }
std::size_t write_peer(std::uint32_t /*process*/, std::span<const peer_range> /*ranges*/) noexcept { return 0; }
void admit_siblings() noexcept {}

// And it starts no other.
child_watch::child_watch() noexcept { // whose members keep what a system would have to get back
    static_cast<void>(old_mask_);
    static_cast<void>(old_action_);
}
child_watch::~child_watch() = default;
int child_watch::start(const std::vector<std::string>& /*command*/,
                       const std::vector<std::pair<std::string, std::string>>& /*environment*/) {
    throw std::system_error(std::make_error_code(std::errc::operation_not_supported));
}
child_watch::event child_watch::next(const std::vector<int>& /*children*/, std::uint64_t /*timeout_ns*/) noexcept {
    return {};
}
void send_signal(int /*pid*/, int /*signal*/) noexcept {}
std::optional<memory_kills> read_memory_kills(const std::string& /*root*/) { return std::nullopt; }

// Its threads are not the system's, and take no lock of the system's.
std::uint32_t thread_number() noexcept { return 1; }
std::optional<lock_wait> lock_wait_of(std::uint32_t /*thread*/) noexcept { return std::nullopt; }
bool thread_call::may_be_interrupted() const noexcept { return false; }
std::optional<thread_call> call_of_thread(std::uint32_t /*thread*/) noexcept { return std::nullopt; }
std::uint64_t sleeps_of_thread(std::uint32_t /*thread*/) noexcept { return 0; }
std::mutex& thread_stacks_mutex() noexcept {
    static constinit std::mutex nobody_reads;
    return nobody_reads;
}
thread_stack_reader::~thread_stack_reader() { static_cast<void>(holds_in_); }
thread_stack thread_stack_reader::read(std::uint32_t /*thread*/) { return {}; }

// And it takes no task over.
void watch_faults(const void*, std::size_t, void (*)(const void*) noexcept) noexcept {}

bool ends_at_rare_calls() noexcept { return false; }
bool register_membarrier() noexcept { return false; }
bool heavy_barrier() noexcept { return false; }

void write_stderr(std::string_view text) noexcept { std::fwrite(text.data(), 1, text.size(), stderr); }
void abort_with(std::string_view text) noexcept {
    write_stderr(text);
    std::abort();
}
void end_with(std::string_view text, int status) noexcept {
    write_stderr(text);
    std::_Exit(status);
}
std::uint32_t process_generation() noexcept { return 0; }
void track_forks(const fork_hooks& /*hooks*/) {}
bool keep_loaded() noexcept { return true; }

void ask_for_large_pages(void* /*begin*/, std::size_t /*size*/) noexcept {}
bool let_contents_go(void* /*begin*/, std::size_t /*size*/) noexcept { return false; }

} // namespace port

} // namespace skerry::inline SKERRY_ABI
