// SPDX-License-Identifier: Apache-2.0
#include "base/port/thread.hpp"

// Uses a thread, and with it installs the fault handler.
extern "C" [[gnu::visibility("default")]] void use_a_thread() {
    skerry::port::thread t;
    t.start(256 * 1024, "plugin", [](void*) {}, nullptr);
    t.join();
}
