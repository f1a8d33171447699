// SPDX-License-Identifier: Apache-2.0
#pragma once

// Beside a fabric of simulated cores: counters that no cache knows of. Its code is not simulated.

#include "place.hpp"

namespace skerry::fabric_test {

class simulated_aside final : public aside {
  public:
    void tell_last() override;
    void hear_first() override;
    void tell_first() override;
    void hear_last() override;
    [[noreturn]] void die() override;

  private:
    unsigned to_last_ = 0;
    unsigned to_first_ = 0;
};

} // namespace skerry::fabric_test
