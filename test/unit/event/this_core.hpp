// SPDX-License-Identifier: Apache-2.0
#pragma once

// An event machine whose one core is the thread of the test: what happens between two calls of dispatch() is known.

#include <cstdint>
#include <functional>
#include <source_location>

#include <gmock/gmock.h>

#include "bare_machine.hpp"

namespace skerry::test {

class this_core {
  public:
    // `change`: what else the configuration has.
    explicit this_core(std::uint32_t events = 64, const std::function<void(em_conf_t&)>& change = {})
        : machine_(1, events, change) {}

    // Returns when done() says so.
    template <class Done>
    static void dispatch_until(Done&& done, const std::source_location& here = std::source_location::current()) {
        slow_wait wait(here);
        while (!done()) {
            static_cast<void>(em_dispatch(1));
            wait.look();
        }
    }
    // Returns when that many events have been received. Precondition: they are there, or will come.
    static void dispatch(unsigned events, const std::source_location& here = std::source_location::current()) {
        slow_wait wait(here);
        for (std::uint64_t received = 0; received < events;) {
            received += em_dispatch(1);
            wait.look();
        }
    }

  private:
    bare_machine machine_;
    core_scope core_;
};

} // namespace skerry::test
