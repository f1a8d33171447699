// SPDX-License-Identifier: Apache-2.0
#include "base/panic.hpp"

#include "base/port/process.hpp"

namespace skerry::inline SKERRY_ABI::detail {

void panic_with(std::string_view text, const std::source_location& where) noexcept {
    fixed_text<1400> line;
    line << "skerry: internal error: " << text << " [" << where.file_name() << ':' << where.line()
         << "]; this is a bug in Skerry, please report it\n";
    port::abort_with(line.view());
}

void fatal_with(std::string_view text) noexcept {
    fixed_text<1100> line;
    line << "skerry: " << text << '\n';
    port::abort_with(line.view());
}

} // namespace skerry::inline SKERRY_ABI::detail
