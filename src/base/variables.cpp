// SPDX-License-Identifier: Apache-2.0
#include "base/variables.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/port/environment.hpp"
#include "base/port/process.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// All variables that Skerry, its launcher, its tests and its tools read: a test holds the sources against this table.
// The members of skerry::options and of skerry_em_options_t:
constexpr std::array<std::string_view, 21> options{
    "SKERRY_WORKERS",          "SKERRY_PIN",
    "SKERRY_STACK_SIZE",       "SKERRY_MAX_SLOTS",
    "SKERRY_BLOCKING_THREADS", "SKERRY_STEAL",
    "SKERRY_GUARD_ACCESSES",   "SKERRY_MPI",
    "SKERRY_WATCHDOG",         "SKERRY_TRACE",
    "SKERRY_TRACE_MEMORY",     "SKERRY_DEVICES",
    "SKERRY_DEVICE_MEMORY",    "SKERRY_TASK_MANAGER",
    "SKERRY_EM_ESV",           "SKERRY_EM_ASYNCHRONOUS",
    "SKERRY_EM_COOPERATIVE",   "SKERRY_EM_SUSPENDED_MAX",
    "SKERRY_EM_STARVATION",    "SKERRY_EM_STACK_SIZE",
    "SKERRY_EM_POLL_NS",
};
// All of them are set in a process that was launched.
constexpr std::array<const char*, 3> of_launcher{"SKERRY_RANK", "SKERRY_RANKS", "SKERRY_FABRIC_FD"};
constexpr std::array<std::string_view, 12> others{
    "SKERRY_FAULT",       "SKERRY_VARIANT",     "SKERRY_STRESS_SECONDS", "SKERRY_STRESS_SEED",  // tests'
    "SKERRY_SANITIZED",   "SKERRY_SIM_OUTCOME", "SKERRY_TEST",           "SKERRY_TEST_MOMENTS", // tests'
    "SKERRY_TEST_INSIDE", "SKERRY_TEST_KILL",                                                   // tests'
    "SKERRY_ROOT",        "SKERRY_DIR", // CMake's, of any package
};
constexpr std::size_t longest = 64;

// How many letters must be put in, left out or changed to make one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t before = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = before + (a[i] == b[j] ? 0 : 1);
            before = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

bool known(std::string_view name) noexcept {
    const auto among = [name](const auto& names) { return std::ranges::find(names, name) != names.end(); };
    return among(options) || among(of_launcher) || among(others);
}

// A name may hold whatever the caller of the program likes; a terminal must not obey it.
std::string readable(std::string_view name) {
    std::string text(name.substr(0, longest));
    std::ranges::replace_if(text, [](char c) { return c <= ' ' || c > '~'; }, '?');
    return text;
}

std::string text_of(std::string_view name) {
    constexpr std::size_t near = 2;
    const auto nearest = std::ranges::min_element(options, {}, [name](auto o) { return distance(name, o); });
    std::string text = "skerry: the environment sets " + readable(name) + ", which is no option; ";
    if (distance(name, *nearest) <= near) {
        return text.append("is ").append(*nearest).append(" meant?\n");
    }
    text += "there are ";
    for (const std::string_view o : options) {
        text.append(o == options.front() ? "" : o == options.back() ? " and " : ", ").append(o);
    }
    return text + "\n";
}

bool name_them() noexcept {
    try {
        if (std::ranges::all_of(of_launcher, [](const char* name) { return port::environment(name).has_value(); })) {
            return true;
        }
        for (const std::string& name : port::environment_names("SKERRY_")) {
            if (!known(name)) {
                port::write_stderr(text_of(name));
            }
        }
    } catch (const std::exception&) { // no memory: then nobody is told
    }
    return true;
}

} // namespace

void name_unknown_variables() noexcept { [[maybe_unused]] static const bool named = name_them(); }

} // namespace skerry::inline SKERRY_ABI::detail
