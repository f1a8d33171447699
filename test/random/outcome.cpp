// SPDX-License-Identifier: Apache-2.0

#include "outcome.hpp"

#include <sstream>

namespace random_programs {

std::string difference(const program& p, const outcome& expected, const outcome& found) {
    std::ostringstream text;
    text << expected.memory << found.memory;
    if (expected.error != found.error) {
        text << "the program ends with '" << found.error << "', not with '" << expected.error << "'\n";
    }
    for (std::size_t i = 0; i < p.statements; ++i) {
        if (expected.log[i] != found.log[i]) {
            text << "s" << i << ": " << found.log[i] << ", not " << expected.log[i]
                 << " (0: not reached; else of what it has read, or what arrived there)\n";
        }
    }
    for (std::size_t i = 0; i < expected.contents.size(); ++i) {
        if (expected.contents[i] != found.contents[i]) {
            text << "word " << i << " differs\n";
        }
    }
    return text.str();
}

} // namespace random_programs
