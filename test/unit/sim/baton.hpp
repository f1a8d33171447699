// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/program.hpp"

namespace skerry_test {

// Passes a turn between cores through the shared cache.
struct baton {
    std::uint32_t turn = 0;
    void wait_for(std::uint32_t mine) {
        while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine) {
            skerry_sim::pause(20);
        }
    }
    void pass(std::uint32_t next) { __atomic_store_n(&turn, next, __ATOMIC_RELEASE); }
};

} // namespace skerry_test
