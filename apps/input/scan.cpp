// SPDX-License-Identifier: Apache-2.0
#include "input/scan.hpp"

#include <algorithm>
#include <charconv>

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

void cursor::next_line() noexcept {
    const std::size_t newline = bytes_.substr(0, end_).find('\n', at_);
    at_ = newline == std::string_view::npos ? end_ : newline + 1;
}

bool read_number(std::string_view word, std::uint64_t most, std::uint64_t& value) noexcept {
    return read_all(word, value).ec == std::errc() && value <= most;
}

bool read_weight(std::string_view word, std::int32_t& value) noexcept {
    return read_all(word, value).ec == std::errc();
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
