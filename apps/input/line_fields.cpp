// SPDX-License-Identifier: Apache-2.0
#include "input/line_fields.hpp"

#include "input/lines.hpp"
#include "input/scan.hpp"

namespace apps::input {
namespace {

/// A carriage return is none within a line: a file whose lines end with it alone would be one line of many edges.
bool is_blank(char c) noexcept { return is_space(c) && c != '\r'; }

std::string_view without_blanks(std::string_view text) noexcept {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// How long what stands in double quotes is where the text begins with it, both quotes with it; else 0.
std::size_t quoted_size(std::string_view text) noexcept {
    const std::size_t end = text.starts_with('"') ? text.find('"', 1) : std::string_view::npos;
    return end == std::string_view::npos ? 0 : end + 1;
}

} // namespace

line_fields::line_fields(std::string_view line, char separator) noexcept : rest_(line), separator_(separator) {
    while (!rest_.empty() && is_space(rest_.back())) rest_.remove_suffix(1);
}

void line_fields::skip_blanks() noexcept {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
}

std::string_view line_fields::next() noexcept {
    skip_blanks();
    if (!first_ && separator_ != ' ' && rest_.starts_with(separator_)) {
        rest_.remove_prefix(1);
        skip_blanks();
    }
    first_ = false;
    const std::size_t quotes = quoted_size(rest_);
    std::size_t size = quotes;
    if (rest_.starts_with('{')) {
        size = read_attributes(rest_).all.size();
    } else {
        const auto ends = [this](std::size_t at) {
            const char c = rest_[at];
            if (c >= '0' && c <= '9') return false; // as most are
            return is_blank(c) || c == separator_ || begins_comment(rest_.substr(at));
        };
        while (size != rest_.size() && !ends(size)) ++size;
    }
    const std::string_view field = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return quotes != 0 && quotes == size ? field.substr(1, size - 2) : field;
}

std::string_view line_fields::more() noexcept {
    while (!at_end()) {
        if (const std::string_view field = next(); !field.empty()) return field;
    }
    return {};
}

bool line_fields::at_end() noexcept {
    skip_blanks();
    return rest_.empty() || begins_comment(rest_);
}

char separator_of(std::string_view line) noexcept {
    const auto separates = [](char c) { return c == ',' || c == ';'; };
    line = without_blanks(line);
    line.remove_prefix(quoted_size(line));
    while (!line.empty() && !is_space(line.front()) && !separates(line.front())) line.remove_prefix(1);
    line = without_blanks(line);
    return !line.empty() && separates(line.front()) ? line.front() : ' ';
}

attributes read_attributes(std::string_view line) noexcept {
    attributes result;
    result.all = line;
    std::size_t depth = 0;
    std::size_t key = 0; // where one begins
    std::size_t colon = 0;
    char quote = 0;
    for (std::size_t i = 0; i != line.size(); ++i) {
        const char c = line[i];
        if (quote != 0) {
            if (c == '\\' && i + 1 != line.size())
                ++i;
            else if (c == quote)
                quote = 0;
            continue;
        }
        if (c == '\'' || c == '"') quote = c;
        if (c == '{' || c == '[' || c == '(') ++depth;
        if (c == ':' && depth == 1 && colon <= key) colon = i;
        const bool closes = c == '}' || c == ']' || c == ')';
        if (depth == 1 && (closes || c == ',')) {
            const std::string_view name = without_blanks(line.substr(key + 1, colon > key ? colon - key - 1 : 0));
            if (name == "'weight'" || name == "\"weight\"")
                result.weight = without_blanks(line.substr(colon + 1, i - colon - 1));
            key = i;
        }
        if (!closes || --depth != 0) continue;
        result.all = line.substr(0, i + 1);
        result.closed = true;
        break;
    }
    return result;
}

} // namespace apps::input
