// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace apps {

/// Problem size and granularity of one preset.
struct preset {
    std::size_t n;
    std::size_t granularity;
};

using presets = std::array<preset, size_names.size()>;

/// The preset that the options choose, with their granularity if they name one, but no finer than `least`.
inline preset chosen(const presets& all, const options& o, std::size_t least = 1) {
    preset p = all[static_cast<std::size_t>(o.size)];
    if (o.granularity != 0) {
        p.granularity = std::max(o.granularity, least);
    }
    return p;
}

} // namespace apps
