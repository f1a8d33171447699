// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <numeric>

namespace apps {

namespace {

std::string_view short_name(std::string_view name) {
    const auto dash = name.rfind('-');
    return dash == std::string_view::npos ? name : name.substr(dash + 1);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

} // namespace

const program* find_program(std::string_view name) {
    const auto all = programs();
    const auto found = std::find_if(all.begin(), all.end(), [name](const program& p) {
        return p.info.name == name || short_name(p.info.name) == name;
    });
    return found == all.end() ? nullptr : &*found;
}

std::string_view nearest_program(std::string_view name) {
    std::string_view best;
    std::size_t fewest = static_cast<std::size_t>(-1);
    for (const program& p : programs()) {
        for (const std::string_view candidate : {p.info.name, short_name(p.info.name)}) {
            const std::size_t edits = edit_distance(name, candidate);
            if (edits < fewest) {
                fewest = edits;
                best = p.info.name;
            }
        }
    }
    return best;
}

} // namespace apps
