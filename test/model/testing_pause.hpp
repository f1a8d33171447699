// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

namespace skerry::model {

// While it lives, memory comes from the host: for the explorer's own work on a fiber of the code under test.
class testing_pause {
  public:
    explicit testing_pause(engine& e) : engine_(e), before_(e.testing_) { e.testing_ = false; }
    testing_pause(const testing_pause&) = delete;
    testing_pause& operator=(const testing_pause&) = delete;
    ~testing_pause() { engine_.testing_ = before_; }

  private:
    engine& engine_;
    bool before_;
};

} // namespace skerry::model
