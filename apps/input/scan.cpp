// SPDX-License-Identifier: Apache-2.0
#include "input/scan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace apps::input {
namespace {

template <class IsCut>
std::vector<block> cut(std::string_view bytes, std::size_t begin, std::size_t block_bytes, IsCut is_cut) {
    std::vector<block> blocks;
    while (begin < bytes.size()) {
        std::size_t end = std::min(bytes.size(), begin + std::max<std::size_t>(1, block_bytes));
        while (end != bytes.size() && !is_cut(bytes[end - 1])) ++end;
        blocks.push_back({begin, end});
        begin = end;
    }
    return blocks;
}

template <class T>
std::from_chars_result read_all(std::string_view word, T& value) noexcept {
    std::from_chars_result r = std::from_chars(word.data(), word.data() + word.size(), value);
    if (r.ec == std::errc() && r.ptr != word.data() + word.size()) r.ec = std::errc::invalid_argument;
    return r;
}

} // namespace

std::vector<block> blocks_of_lines(std::string_view bytes, std::size_t begin, std::size_t block_bytes) {
    return cut(bytes, begin, block_bytes, [](char c) { return c == '\n'; });
}

std::vector<block> blocks_of_words(std::string_view bytes, std::size_t begin, std::size_t block_bytes) {
    return cut(bytes, begin, block_bytes, is_space);
}

std::string_view cursor::rest_of_line() const noexcept {
    const std::string_view rest = bytes_.substr(at_, end_ - at_);
    return rest.substr(0, rest.find('\n'));
}

void cursor::next_line() noexcept { at_ = std::min(end_, at_ + rest_of_line().size() + 1); }

bool read_number(std::string_view word, std::uint64_t most, std::uint64_t& value) noexcept {
    return read_all(word, value).ec == std::errc() && value <= most;
}

bool read_real(std::string_view word, double& value) noexcept {
    if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
    const std::from_chars_result r = read_all(word, value);
    if (r.ec == std::errc::result_out_of_range) {
        value = std::numeric_limits<double>::infinity();
        return r.ptr == word.data() + word.size();
    }
    return r.ec == std::errc();
}

std::string take_weight(std::string_view word, bool wanted, std::int32_t& value) {
    if (read_all(word, value).ec == std::errc()) return {};
    double x = 0;
    const bool number = read_real(word, x);
    if (!wanted && !word.empty()) return number ? std::string() : quoted(word) + " is not a number";
    constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    if (!number || x != std::trunc(x)) return why_no_number(word, least, most);
    if (x < least || x > most)
        return quoted(word) + " is out of range: " + std::to_string(least) + " to " + std::to_string(most);
    value = static_cast<std::int32_t>(x);
    return {};
}

std::string why_no_number(std::string_view word, std::int64_t least, std::uint64_t most) {
    if (word.empty()) return "a number is missing";
    const bool minus = word.front() == '-';
    const std::string_view digits = word.substr(minus ? 1 : 0);
    const bool number = !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    if (!number) return quoted(word) + " is not a whole number";
    if (minus && least >= 0) return quoted(word) + " is negative";
    return quoted(word) + " is out of range: " + std::to_string(least) + " to " + std::to_string(most);
}

} // namespace apps::input
