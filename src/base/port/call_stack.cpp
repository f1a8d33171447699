// SPDX-License-Identifier: Apache-2.0
#include "base/port/call_stack.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>

#include <unwind.h>

#include "base/port/code.hpp"
#include "base/port/program_source.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

struct collected {
    std::span<const void*> to;
    std::size_t count = 0;
};

_Unwind_Reason_Code collect(_Unwind_Context* frame, void* to) {
    auto& found = *static_cast<collected*>(to);
    if (found.count == found.to.size()) {
        return _URC_END_OF_STACK;
    }
    int interrupted = 0; // not by a call: the address is of what was to run next
    const std::uintptr_t address = _Unwind_GetIPInfo(frame, &interrupted);
    found.to[found.count++] = reinterpret_cast<const void*>(address + (interrupted != 0 ? 1 : 0));
    return _URC_NO_REASON;
}

constinit std::mutex sources_mutex;

} // namespace

std::mutex& program_sources_mutex() noexcept { return sources_mutex; }

std::size_t call_stack(std::span<const void*> to) noexcept {
    collected found{.to = to};
    _Unwind_Backtrace(&collect, &found);
    return found.count;
}

namespace {

std::uintptr_t call_of(const void* return_address) noexcept {
    return reinterpret_cast<std::uintptr_t>(return_address) - 1; // it lies before where it returns
}

struct found_call {
    std::string text;
    std::size_t at = 0; // which of the addresses; their number: none
};

// `of_system`: whether calls of the system's libraries count.
found_call innermost_call(const program_source& source, std::span<const void* const> return_addresses, bool of_system) {
    found_call found;
    for (; found.at < return_addresses.size(); ++found.at) {
        const std::uintptr_t call = call_of(return_addresses[found.at]);
        for (const code_level& l : source.find(call)) {
            if (l.runs_task) {
                return found;
            }
            if (l.internal || (l.system && !of_system)) {
                continue;
            }
            const std::string text = l.text.empty() ? describe_code(call) : l.text;
            if (l.text.empty() && !of_system && is_system_module(text)) {
                continue;
            }
            found.text += (found.text.empty() ? "" : ", called by ") + text;
            if (!l.text.empty()) {
                return found;
            }
            break; // nothing is known of what is around it either
        }
    }
    return found;
}

// The same where some of the addresses may be left over from calls that are over, among them those of another task:
// the innermost with a line in the program's source. A sanitizer's functions, which stand in the program, have none.
found_call innermost_line(const program_source& source, std::span<const void* const> return_addresses) {
    found_call found;
    for (; found.at < return_addresses.size(); ++found.at) {
        for (const code_level& l : source.find(call_of(return_addresses[found.at]))) {
            if (!l.internal && !l.system && !l.runs_task && !l.text.empty()) {
                found.text = l.text;
                return found;
            }
        }
    }
    return found;
}

// Where the function stands that is the first of the program's above what runs a task. Symbols lead to that, and tables
// are read of few calls.
std::string begin_of_task(const program_source& source, std::span<const void* const> return_addresses) {
    const auto runs = std::ranges::find_if(
        return_addresses, [&source](const void* address) { return source.runs_a_task(call_of(address)); });
    if (runs == return_addresses.end()) {
        return {};
    }
    for (auto at = runs + 1; at != return_addresses.begin();) {
        --at;
        std::string last;
        bool any = false;
        for (const code_level& l : source.find(call_of(*at))) {
            if (!l.internal && !l.system) {
                any = true;
                last = l.declaration;
            }
        }
        if (any) {
            return last;
        }
    }
    return {};
}

} // namespace

place_in_program place_in_task(std::span<const void* const> return_addresses, bool exact) {
    const std::lock_guard lock(sources_mutex);
    const program_source source;
    found_call call = exact ? found_call() : innermost_line(source, return_addresses);
    if (call.text.empty()) {
        call = innermost_call(source, return_addresses, false);
    }
    const bool none = call.at == return_addresses.size();
    return {.call = std::move(call.text),
            .task = none ? std::string() : begin_of_task(source, return_addresses.subspan(call.at))};
}

std::string place_of_call(std::span<const void* const> return_addresses) {
    const std::lock_guard lock(sources_mutex);
    const program_source source;
    return innermost_call(source, return_addresses, true).text;
}

} // namespace skerry::inline SKERRY_ABI::port
