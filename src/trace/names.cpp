// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/trace/body_name.hpp>
#include <skerry/detail/trace/names.hpp>

#include <algorithm>
#include <array>
#include <new>
#include <unordered_map>

#include "base/port/code.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constinit std::mutex names_mutex; // guards what names() returns

// Never destroyed: the trace of the default runtime is written when static objects may be gone already.
std::unordered_map<std::uint64_t, std::string>& names() {
    static auto& table = *new std::unordered_map<std::uint64_t, std::string>;
    return table;
}

// How many characters a list of parameters has with which the words end.
std::size_t parameters_of(std::string_view words) noexcept {
    std::size_t open = 0;
    for (std::size_t n = 0; n < words.size() && (n == 0 ? words.back() == ')' : true); ++n) {
        const char c = words[words.size() - 1 - n];
        open += c == ')' ? 1 : 0;
        open -= c == '(' ? 1 : 0;
        if (open == 0) {
            return n + 1;
        }
    }
    return 0;
}

// Where the words that stand between the brackets of a template end: behind the first `<` of `words`, at its own `>`,
// or at the first comma between. npos: they do not.
std::size_t end_of_argument(std::string_view words, std::size_t begin) noexcept {
    std::size_t depth = 0;
    for (std::size_t i = begin; i < words.size(); ++i) {
        const char c = words[i];
        if (c == '<' || c == '(' || c == '{' || c == '[') {
            ++depth;
        } else if (depth == 0 && (c == '>' || c == ',')) {
            return i;
        } else if (c == '>' || c == ')' || c == '}' || c == ']') {
            --depth;
        }
    }
    return std::string_view::npos;
}

// What a named_task was made of whose name is empty; other words as they are.
std::string_view without_empty_name(std::string_view words) noexcept {
    const std::size_t open = words.find('<');
    const std::size_t comma =
        words.substr(0, open).ends_with("::named_task") ? end_of_argument(words, open + 1) : std::string_view::npos;
    const std::size_t begin = words.find_first_not_of(" ,", comma);
    const std::size_t end = begin < words.size() ? end_of_argument(words, begin) : begin;
    return end == std::string_view::npos ? words : words.substr(begin, end - begin);
}

// What a function of ours runs that runs tasks, by its symbol: "main::{lambda()#1}" of
// "skerry::v1::detail::branch<main::{lambda()#1}>::run_stolen"; other symbols as they are.
std::string body_of(const std::string& symbol) {
    struct runner {
        std::string_view name;
        bool has_result; // as its first argument, before the body
    };
    constexpr std::array<runner, 4> runners{{{"detail::branch<", false},
                                             {"detail::scope_task<", false},
                                             {"detail::joint_task<", false},
                                             {"detail::future_task<", true}}};
    const std::string_view words = symbol;
    if (!words.starts_with("skerry::")) {
        return symbol;
    }
    for (const runner& r : runners) {
        const std::size_t at = words.find(r.name);
        if (at == std::string_view::npos || at > words.find('<')) {
            continue;
        }
        std::size_t begin = at + r.name.size();
        if (r.has_result) {
            const std::size_t comma = end_of_argument(words, begin);
            begin = comma == std::string_view::npos ? comma : comma + 2;
        }
        const std::size_t end = begin < words.size() ? end_of_argument(words, begin) : std::string_view::npos;
        if (end != std::string_view::npos) {
            std::string_view body = words.substr(begin, end - begin);
            while (body.ends_with(' ') || body.ends_with('&')) {
                body.remove_suffix(1);
            }
            return std::string(without_empty_name(body));
        }
    }
    return symbol;
}

} // namespace

void name_code(std::uint64_t code, std::string_view name) {
    const std::lock_guard lock(names_mutex);
    names().try_emplace(code, name);
}

void tell_name(std::uintptr_t code, const char* name) noexcept {
    const std::lock_guard lock(names_mutex);
    try {
        names().insert_or_assign(code, name); // the code of a module that is gone may have been here
    } catch (const std::bad_alloc&) {         // the task goes by its symbol
    }
}

std::string name_of_code(std::uint64_t code) {
    {
        const std::lock_guard lock(names_mutex);
        if (const auto found = names().find(code); found != names().end()) {
            return found->second;
        }
    }
    std::string found = port::describe_code(code);
    found.resize(std::min(found.find(" [clone "), found.size())); // a coroutine's ".actor", ".cold" and the like
    return body_of(found.substr(0, found.size() - parameters_of(found)));
}

std::string name_of_type(std::string_view words) {
    constexpr std::string_view begin = "F = ";
    const std::size_t bracket = words.find('[');
    const std::size_t at = bracket == std::string_view::npos ? bracket : words.find(begin, bracket);
    if (at == std::string_view::npos) {
        return std::string(words);
    }
    const std::string_view rest = words.substr(at + begin.size());
    return std::string(rest.substr(0, std::min({rest.find("; K = "), rest.find(", K = "), rest.rfind(']')})));
}

std::mutex& code_names_mutex() noexcept { return names_mutex; }

} // namespace skerry::inline SKERRY_ABI::detail
