// SPDX-License-Identifier: Apache-2.0
#pragma once

// A machine with co-operative dispatch, and receive functions that wait to be resumed.

#include <functional>
#include <map>
#include <mutex>

#include <gtest/gtest.h>

#include "bare_machine.hpp"
#include "receiving.hpp"

namespace skerry::test {

// The options of machines while it lives: co-operative dispatch, and what `change` says beside it.
class with_cooperative {
  public:
    explicit with_cooperative(const std::function<void(skerry_em_options_t&)>& change)
        : options_([&](skerry_em_options_t& o) {
              o.cooperative = 1;
              change(o);
          }) {}

  private:
    with_options options_;
};

struct cooperative : testing::Test {
    const with_cooperative options{[](skerry_em_options_t&) {}};
};

// The events of receive functions that are suspended, by their values.
class waiting {
  public:
    // Called in a receive function: until resume(value).
    em_status_t wait(em_event_t received, int value) {
        {
            const std::lock_guard lock(lock_);
            events_[value] = received;
        }
        return skerry_em_suspend();
    }
    em_status_t resume(int value) {
        const std::lock_guard lock(lock_);
        const em_event_t event = events_.at(value);
        events_.erase(value);
        return skerry_em_resume(event);
    }
    std::size_t count() const {
        const std::lock_guard lock(lock_);
        return events_.size();
    }

  private:
    mutable std::mutex lock_;
    std::map<int, em_event_t> events_;
};

} // namespace skerry::test
