// SPDX-License-Identifier: Apache-2.0
#pragma once

// What control groups set and count for this process, version 1 and version 2, as cgroups(7) describes them.
//
// A group's limit on CPUs holds for all groups below it, so every level from the process's own group up to the mount is
// read. Where a container shows only its part of the hierarchy, the levels above are out of sight and are not counted.
// Thread safety: any thread. Errors: what cannot be read or understood sets no limit (a limit's text says so) and
// counts nothing; only std::bad_alloc is thrown.

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

struct cpu_limit {
    double cpus = no_limit; // may be a fraction: a quota of half a CPU is 0.5
    std::string where;      // the file, or the call
    std::string text;       // what it said
};

// One entry per file that exists. `root` stands before every path, for tests on a made-up /proc and /sys; the reported
// paths do not contain it.
std::vector<cpu_limit> read_cgroup_limits(const std::string& root = "");

// How many processes of this process's group (version 2: and of those below) the kernel has ended for want of memory,
// at whichever limit.
struct memory_kills {
    unsigned long long count = 0;
    std::string where; // the file
};

// Nothing where the system does not count them, or the group is out of sight.
std::optional<memory_kills> read_memory_kills(const std::string& root = "");

// The number behind the word at the beginning of a line, of memory.events and memory.oom_control; nothing if malformed.
std::optional<unsigned long long> parse_count(std::string_view text, std::string_view word);

// "0-3,8" -> 0 1 2 3 8, ascending and without duplicates; nothing if malformed or a number is over 1'000'000.
std::optional<std::vector<unsigned>> parse_cpu_list(std::string_view text);

// The content of cpu.max, "150000 100000" -> 1.5 or "max 100000" -> no_limit; nothing if malformed.
std::optional<double> parse_cpu_max(std::string_view text);

} // namespace skerry::inline SKERRY_ABI::port
