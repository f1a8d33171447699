// SPDX-License-Identifier: Apache-2.0
#pragma once

// A made-up program for the explorer: a list of instructions for each of two to four threads. The outcome is what each
// thread has seen, in its order, and what the variables hold in the end.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "explorer.hpp"
#include "machine.hpp"

namespace skerry::model {

// Perform(instruction, its variable) says what was seen there, a character, or 0 for nothing. An instruction has the
// number of its variable.
template <class Instruction, std::size_t Variables, char (*Perform)(const Instruction&, machine::atomic<int>&)>
class program_world {
  public:
    using program = std::vector<std::vector<Instruction>>;

    static result explore_all(const program& p, const options& o) {
        under_test = &p;
        using world = program_world;
        switch (p.size()) {
        case 2: return explore<world, &world::thread<0>, &world::thread<1>>(o);
        case 3: return explore<world, &world::thread<0>, &world::thread<1>, &world::thread<2>>(o);
        default: return explore<world, &world::thread<0>, &world::thread<1>, &world::thread<2>, &world::thread<3>>(o);
        }
    }

    void finally() {
        std::string text;
        for (std::size_t t = 0; t < under_test->size(); ++t) {
            text += std::string(seen_[t].text, seen_[t].length) + "|";
        }
        for (auto& cell : cells_) {
            text += " " + std::to_string(cell.load(memory_order::relaxed));
        }
        outcome(text);
    }

  private:
    struct record {
        char text[16] = {};
        unsigned length = 0;
    };

    template <std::size_t T>
    void thread() {
        record& out = seen_[T];
        for (const Instruction& in : (*under_test)[T]) {
            if (const char what = Perform(in, cells_[in.variable]); what != 0) {
                out.text[out.length++] = what;
            }
        }
    }

    static inline const program* under_test = nullptr;

    std::array<machine::atomic<int>, Variables> cells_;
    std::array<record, max_threads> seen_;
};

// What a load or a read-modify-write saw.
inline char digit(int value) { return static_cast<char>('0' + value); }

} // namespace skerry::model
