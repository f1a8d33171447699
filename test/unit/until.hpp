// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>

// Waits for another thread of the test. A hang ends with the test's time limit.
inline void until(const std::atomic<bool>& flag) {
    while (!flag) {
        std::this_thread::yield();
    }
}
