// SPDX-License-Identifier: Apache-2.0
#include "base/port/environment.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <sys/auxv.h>
#include <unistd.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

[[noreturn]] void reject(std::string_view setting, std::string_view value, const std::string& accepted) {
    throw std::invalid_argument(std::string(setting) + "=" + std::string(value) + ": not understood; " + accepted +
                                " is accepted");
}

// The compiler's and the C library's own functions follow the locale; options must not.
char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (lower(a[i]) != lower(b[i])) {
            return false;
        }
    }
    return true;
}

template <class Number>
std::optional<Number> read_front(std::string_view& text) noexcept {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

std::optional<unsigned> unit_shift(std::string_view unit) noexcept {
    struct entry {
        std::string_view letter;
        unsigned shift;
    };
    for (const auto& [letter, shift] : std::array<entry, 5>{{{"", 0}, {"k", 10}, {"m", 20}, {"g", 30}, {"t", 40}}}) {
        const std::string name(letter);
        if (equal(unit, name) || equal(unit, name + "b") || (shift != 0 && equal(unit, name + "ib"))) {
            return shift;
        }
    }
    return std::nullopt;
}

std::string bytes_text(std::size_t bytes) {
    constexpr std::string_view letters = "KMGT";
    std::string unit;
    for (std::size_t i = 0; i < letters.size() && bytes != 0 && bytes % 1024 == 0; ++i) {
        bytes /= 1024;
        unit = letters[i];
    }
    return std::to_string(bytes) + unit;
}

} // namespace

std::optional<std::string> environment(const char* name) {
    const char* const value = ::secure_getenv(name);
    if (value == nullptr || *value == '\0') {
        return std::nullopt;
    }
    return std::string(value);
}

std::vector<std::string> environment_names(std::string_view prefix) {
    std::vector<std::string> names;
    if (::getauxval(AT_SECURE) != 0) { // as secure_getenv() has it
        return names;
    }
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        const std::string_view variable = *at;
        const std::string_view name = variable.substr(0, variable.find('='));
        if (name.starts_with(prefix) && variable.size() > name.size() + 1) {
            names.emplace_back(name);
        }
    }
    return names;
}

std::uint64_t parse_whole(std::string_view setting, std::string_view value, std::uint64_t least, std::uint64_t most) {
    std::string_view rest = value;
    const auto number = read_front<std::uint64_t>(rest);
    if (!number || !rest.empty() || *number < least || *number > most) {
        reject(setting, value, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return *number;
}

std::size_t parse_bytes(std::string_view setting, std::string_view value, std::size_t least, std::size_t most) {
    std::string_view rest = value;
    const auto number = read_front<std::size_t>(rest);
    const auto shift = unit_shift(rest);
    if (!number || !shift || *number > (most >> *shift) || (*number << *shift) < least) {
        reject(setting, value,
               "a number of bytes from " + bytes_text(least) + " to " + bytes_text(most) + " (units K, M, G)");
    }
    return *number << *shift;
}

double parse_seconds(std::string_view setting, std::string_view value, double most) {
    std::string_view rest = value;
    const auto number = read_front<double>(rest);
    if (!number || !rest.empty() || !std::isfinite(*number) || std::signbit(*number) || *number > most) {
        reject(setting, value, "a number of seconds from 0 to " + std::to_string(static_cast<long long>(most)));
    }
    return *number;
}

double parse_number(std::string_view setting, std::string_view value, double above, double most) {
    std::string_view rest = value;
    const auto number = read_front<double>(rest);
    if (!number || !rest.empty() || !(*number > above) || *number > most) {
        reject(setting, value,
               "a number above " + std::to_string(static_cast<long long>(above)) + ", at most " +
                   std::to_string(static_cast<long long>(most)));
    }
    return *number;
}

std::uint64_t parse_time(std::string_view setting, std::string_view value, std::uint64_t most) {
    std::string_view rest = value;
    const auto number = read_front<std::uint64_t>(rest);
    const std::uint64_t unit = equal(rest, "us")   ? 1'000
                               : equal(rest, "ms") ? 1'000'000
                               : equal(rest, "s")  ? 1'000'000'000
                                                   : 0;
    if (!number || unit == 0 || *number > most / unit) {
        reject(setting, value,
               "a whole number with a unit (us, ms, s), up to " + std::to_string(most / 1'000'000'000) + "s");
    }
    return *number * unit;
}

bool parse_switch(std::string_view setting, std::string_view value) {
    for (const std::string_view word : {"1", "true", "yes", "on"}) {
        if (equal(value, word)) {
            return true;
        }
    }
    for (const std::string_view word : {"0", "false", "no", "off"}) {
        if (equal(value, word)) {
            return false;
        }
    }
    reject(setting, value, "1, true, yes, on, 0, false, no or off");
}

std::size_t parse_choice(std::string_view setting, std::string_view value, std::span<const std::string_view> words) {
    std::string accepted;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (equal(value, words[i])) {
            return i;
        }
        accepted += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + std::string(words[i]);
    }
    reject(setting, value, accepted);
}

} // namespace skerry::inline SKERRY_ABI::port
