// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/port/reserve.hpp"

namespace skerry_test {

// The first place of an arena that is free here. Nothing reserved: there is none.
[[nodiscard]] inline skerry::port::reservation reserve_arena() {
    for (const skerry::port::arena_place& place : skerry::port::arena_places()) {
        if (skerry::port::reserve_at(place.address, place.bytes)) {
            return skerry::port::reservation(place);
        }
    }
    return {};
}

} // namespace skerry_test
