// SPDX-License-Identifier: Apache-2.0
#pragma once

// What programs.cpp runs in the first process, by name.

#include <span>
#include <string_view>

#include <skerry/runtime.hpp>

namespace skerry_test {

using program_body = void (*)(skerry::runtime&);
struct named_program {
    std::string_view name;
    program_body body;
};

// Null: none has this name.
constexpr program_body body_of(std::span<const named_program> programs, std::string_view name) {
    for (const named_program& p : programs) {
        if (p.name == name) {
            return p.body;
        }
    }
    return nullptr;
}

program_body crossing_program(
    std::string_view name); // crossing.cpp: what tasks that cross get, and what moves for them
program_body stealing_program(std::string_view name); // stealing.cpp: who steals what from whom

} // namespace skerry_test
