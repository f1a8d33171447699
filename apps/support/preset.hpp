// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.hpp"

#include <array>
#include <cstddef>

namespace apps {

/// Problem size and granularity of one preset.
struct preset {
    std::size_t n;
    std::size_t granularity;
};

using presets = std::array<preset, size_names.size()>;

/// The preset that the options choose, with their granularity if they name one.
inline preset chosen(const presets& all, const options& o)
{
    preset p = all[static_cast<std::size_t>(o.size)];
    if (o.granularity != 0) {
        p.granularity = o.granularity;
    }
    return p;
}

} // namespace apps
