// SPDX-License-Identifier: Apache-2.0

// An end of the process is a failure with a way to it, like any other.

#include "base/panic.hpp"

#include <string>

#include "engine.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

[[noreturn]] void fail(const char* kind, std::string_view text) {
    model::engine::instance().use_host_memory(); // the world's may be at its end
    model::engine::instance().fail(kind, std::string(text));
}

} // namespace

void panic_with(std::string_view text, const std::source_location&) noexcept { fail("panic", text); }
void fatal_with(std::string_view text) noexcept { fail("fatal", text); }

} // namespace skerry::inline SKERRY_ABI::detail
