// SPDX-License-Identifier: Apache-2.0

// A submitted callable is moved or copied: an object that can do neither is no task.

#include <skerry/future.hpp>

struct fixed {
    fixed() = default;
    fixed(const fixed&) = delete;
    void operator()() {}
};

void wrong(fixed& f) { static_cast<void>(skerry::submit(f)); }
