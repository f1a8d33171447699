// SPDX-License-Identifier: Apache-2.0
#pragma once

// The two ways in which the process ends when nobody can be told by a return value or an exception.
//
//   panic("deque: top ", top, " is above bottom ", bottom);   our bug: says where, with the state given, and aborts
//   fatal("fork() inside a task is not possible");            the user's environment: says what, and aborts
//
// Arguments: strings, integers, bool, hex{n}, pointers. The text is cut at 1000 characters.
// Both abort (and do not exit), so that no destructor runs on broken state and no caller mistakes it for the program's
// own exit code.
// Thread safety: any thread; async-signal-safe.

#include <source_location>
#include <string_view>

#include <skerry/detail/base/abi.hpp>

#include "base/text.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// The first piece of a panic's text, which picks up the caller's file and line on the way.
struct located_text {
    // Implicit: this is how the location of the call is captured. NOLINTNEXTLINE(google-explicit-constructor)
    located_text(const char* t, std::source_location w = std::source_location::current()) noexcept
        : text(t),
          where(w) {}
    const char* text;
    std::source_location where;
};

[[noreturn]] void panic_with(std::string_view text, const std::source_location& where) noexcept;
[[noreturn]] void fatal_with(std::string_view text) noexcept;

template <class... Pieces>
[[noreturn]] void panic(located_text first, const Pieces&... rest) noexcept {
    fixed_text<1000> text;
    text << first.text;
    static_cast<void>((text << ... << rest));
    panic_with(text.view(), first.where);
}

template <class... Pieces>
[[noreturn]] void fatal(const char* first, const Pieces&... rest) noexcept {
    fixed_text<1000> text;
    text << first;
    static_cast<void>((text << ... << rest));
    fatal_with(text.view());
}

} // namespace skerry::inline SKERRY_ABI::detail
