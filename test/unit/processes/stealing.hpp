// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <skerry/runtime.hpp>

namespace skerry_test {

using program_body = void (*)(skerry::runtime&);

// The programs of stealing.cpp: who steals what from whom. Null: none has this name.
program_body stealing_program(std::string_view name);

} // namespace skerry_test
