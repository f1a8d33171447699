// SPDX-License-Identifier: Apache-2.0
#pragma once

// RC11 by its axioms (Lahav et al., PLDI 2017), for small programs: every choice of what each load reads and of the
// order of stores to each location is made, and those that the axioms allow are the outcomes. It shares nothing with
// the machine of views.hpp, which must find the same.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <skerry/detail/base/memory_order.hpp>

namespace skerry::model::axiomatic {

using detail::memory_order;

enum class kind : std::uint8_t { load, store, exchange, add, compare, fence };

struct instruction {
    kind what = kind::load;
    unsigned variable = 0;
    int value = 0; // compare: what stands for 0
    memory_order order = memory_order::relaxed;
};

using program = std::vector<std::vector<instruction>>;

// How much of what would need load buffering is left out: nothing; circles of program order and reads-from, as RC11
// says; or those with the order of fences in them, too, as the machine has it.
enum class excluded : std::uint8_t { nothing, load_buffering, with_fences };

// Of each thread what it read, digit by digit, then the last value of each variable: "01|1| 2 1".
std::set<std::string> outcomes(const program& p, unsigned variables, excluded what = excluded::with_fences);

} // namespace skerry::model::axiomatic
