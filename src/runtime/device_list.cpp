// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_list.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/port/environment.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::string_view emulated = "emulated";
constexpr std::string_view opencl = "opencl";
constexpr std::size_t least_memory = std::size_t{4} << 10;
constexpr std::size_t most_memory = std::size_t{1} << 40;
constexpr std::uint64_t most_latency = 10'000'000'000;

// The text up to the separator, which it takes off with it.
std::string_view cut(std::string_view& rest, char separator) noexcept {
    const std::size_t at = rest.find(separator);
    const std::string_view head = rest.substr(0, at);
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
    return head;
}

bool is_digits(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

[[noreturn]] void reject(const std::string& setting, const std::string& value) {
    throw std::invalid_argument(
        setting + "=" + value +
        ": not understood; auto, none, all, or a list with commas of opencl, opencl0, emulated, "
        "emulated:speed=0.25:memory=64M:latency=50us is accepted");
}

// What stands behind "emulated:".
fabric::emulated::settings parse_emulated(const std::string& setting, const std::string& value, std::string_view rest) {
    fabric::emulated::settings s;
    while (!rest.empty()) {
        std::string_view number = cut(rest, ':');
        const std::string key(cut(number, '='));
        const std::string of = std::string(setting).append(": ").append(key);
        if (key == "speed") {
            s.speed = port::parse_number(of, number, 0, 1);
        } else if (key == "memory") {
            s.memory = port::parse_bytes(of, number, least_memory, most_memory);
        } else if (key == "latency") {
            s.latency_ns = port::parse_time(of, number, most_latency);
        } else {
            reject(setting, value);
        }
    }
    return s;
}

} // namespace

bool device_list::has(std::string_view kind, std::string_view name) const noexcept {
    return std::ranges::any_of(names, [&](const std::string& n) { return n == kind || n == name; });
}

device_list parse_devices(const std::string& setting, const std::string& value) {
    device_list list;
    if (value == "auto" || value == "none" || value == "all") {
        list.which = value == "auto"   ? device_list::rule::automatic
                     : value == "none" ? device_list::rule::none
                                       : device_list::rule::all;
        return list;
    }
    if (value.empty() || value.back() == ',') {
        reject(setting, value);
    }
    for (std::string_view rest = value; !rest.empty();) {
        std::string_view parameters = cut(rest, ',');
        const bool has_parameters = parameters.find(':') != std::string_view::npos;
        const std::string_view name = cut(parameters, ':');
        if (name == emulated) {
            list.emulated.push_back(parse_emulated(setting, value, parameters));
        } else if (!has_parameters && ((name.starts_with(opencl) && is_digits(name.substr(opencl.size()))) ||
                                       (name.starts_with(emulated) && is_digits(name.substr(emulated.size()))))) {
            list.names.emplace_back(name);
        } else {
            reject(setting, value);
        }
    }
    return list;
}

} // namespace skerry::inline SKERRY_ABI::detail
