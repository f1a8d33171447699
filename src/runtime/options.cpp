// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <skerry/detail/trace/writer.hpp>
#include <skerry/runtime.hpp>

#include "base/port/cpu_limits.hpp"
#include "base/port/environment.hpp"
#include "base/variables.hpp"
#include "fabric/mpi/mpi.hpp"
#include "runtime/device_list.hpp"
#include "runtime/resolve.hpp"

namespace skerry::inline SKERRY_ABI {

namespace {

constexpr unsigned most_workers = 4096;
constexpr unsigned most_slots = 65536;
constexpr unsigned most_blocking_threads = 16384;
constexpr std::size_t least_stack = std::size_t{128} << 10;
constexpr std::size_t most_stack = std::size_t{64} << 30;
constexpr double most_watchdog_seconds = 1e6;
constexpr std::size_t least_trace = std::size_t{4} << 10;
constexpr std::size_t most_trace = std::size_t{64} << 30;

constexpr std::array<std::string_view, 2> device_memories{"automatic", "private"};
constexpr std::array<std::string_view, 2> task_managers{"software", "nexus-model"};
constexpr std::array<std::string_view, 4> steal_modes{"automatic", "asymmetric", "locked", "interrupt"};

template <class Number>
void check(const char* name, Number value, Number least, Number most) {
    if (value < least || value > most) {
        throw std::invalid_argument("skerry: options::" + std::string(name) + " is " + std::to_string(value) +
                                    "; accepted is " + std::to_string(least) + " to " + std::to_string(most));
    }
}

} // namespace

options options::from_environment() {
    detail::name_unknown_variables();
    options o;
    const auto read = [](const char* name, auto&& parse) {
        if (const auto value = port::environment(name)) {
            parse(name, *value);
        }
    };
    read("SKERRY_WORKERS", [&](const char* name, const std::string& value) {
        o.workers = static_cast<unsigned>(port::parse_whole(name, value, 0, most_workers));
    });
    read("SKERRY_PIN", [&](const char* name, const std::string& value) { o.pin = port::parse_switch(name, value); });
    read("SKERRY_STACK_SIZE", [&](const char* name, const std::string& value) {
        o.stack_size = port::parse_bytes(name, value, least_stack, most_stack);
    });
    read("SKERRY_MAX_SLOTS", [&](const char* name, const std::string& value) {
        o.max_slots = static_cast<unsigned>(port::parse_whole(name, value, 1, most_slots));
    });
    read("SKERRY_BLOCKING_THREADS", [&](const char* name, const std::string& value) {
        o.blocking_threads = static_cast<unsigned>(port::parse_whole(name, value, 0, most_blocking_threads));
    });
    read("SKERRY_STEAL", [&](const char* name, const std::string& value) {
        o.steal = static_cast<steal_mode>(port::parse_choice(name, value, steal_modes));
    });
    read("SKERRY_GUARD_ACCESSES",
         [&](const char* name, const std::string& value) { o.guard_accesses = port::parse_switch(name, value); });
    read("SKERRY_MPI", [&](const char*, const std::string& value) { o.mpi = value; });
    read("SKERRY_WATCHDOG", [&](const char* name, const std::string& value) {
        o.watchdog_seconds = port::parse_seconds(name, value, most_watchdog_seconds);
    });
    read("SKERRY_TRACE", [&](const char*, const std::string& value) { o.trace = value; });
    read("SKERRY_TRACE_MEMORY", [&](const char* name, const std::string& value) {
        o.trace_memory = port::parse_bytes(name, value, least_trace, most_trace);
    });
    read("SKERRY_DEVICES", [&](const char* name, const std::string& value) {
        static_cast<void>(detail::parse_devices(name, value));
        o.devices = value;
    });
    read("SKERRY_DEVICE_MEMORY", [&](const char* name, const std::string& value) {
        o.device_memory = static_cast<skerry::device_memory>(port::parse_choice(name, value, device_memories));
    });
    read("SKERRY_TASK_MANAGER", [&](const char* name, const std::string& value) {
        o.task_manager = static_cast<task_manager_kind>(port::parse_choice(name, value, task_managers));
    });
    return o;
}

namespace detail {

options resolve(options o) {
    if constexpr (!takes_events<machine>) { // a simulated machine has no environment
        name_unknown_variables();
    }
    check("workers", o.workers, 0U, most_workers);
    check("stack_size", o.stack_size, least_stack, most_stack);
    check("max_slots", o.max_slots, 1U, most_slots);
    check("blocking_threads", o.blocking_threads, 0U, most_blocking_threads);
    check("watchdog_seconds", o.watchdog_seconds, 0.0, most_watchdog_seconds);
    check("trace_memory", o.trace_memory, least_trace, most_trace);
    static_cast<void>(parse_devices("skerry: options::devices", o.devices));
    const bool shared = o.workers == 0; // with the ranks of this machine
    if (shared) {
        o.workers = port::read_cpu_limits().workers;
    }
    if constexpr (!takes_events<machine>) {
        fabric::mpi::check_choice(o.mpi);
        if (shared && fabric::mpi::launched_as(o.mpi).ranks > 1) {
            o.workers = std::max(1U, o.workers / std::max(1U, fabric::mpi::ranks_of_this_machine()));
        }
    }
    const auto refuse = [](const char* chosen, const char* missing) {
        throw std::system_error(std::make_error_code(std::errc::operation_not_supported),
                                "skerry: options::steal (SKERRY_STEAL) is " + std::string(chosen) + ", but " + missing);
    };
    if (takes_events<machine> && o.task_manager != task_manager_kind::software) {
        throw std::invalid_argument("skerry: options::task_manager is nexus-model, but on simulated cores the runtime "
                                    "orders its tasks itself; use software");
    }
    if (o.steal == steal_mode::asymmetric && !machine::asymmetric()) {
        refuse("asymmetric", machine::asymmetric_needs);
    }
    if (o.steal == steal_mode::interrupt && !machine::has_interrupts()) {
        refuse("interrupt", "this machine has no user-level interrupts; use automatic, asymmetric or locked");
    }
    if (o.steal == steal_mode::automatic) {
        o.steal = machine::asymmetric()       ? steal_mode::asymmetric
                  : machine::has_interrupts() ? steal_mode::interrupt
                                              : steal_mode::locked;
    }
    return o;
}

} // namespace detail

} // namespace skerry::inline SKERRY_ABI
