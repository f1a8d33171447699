// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <skerry/runtime.hpp>

// A fixture for tests that run on two workers, under the steal protocol that this machine has and the locked one:
//   TEST_P(Row, Something) { in([] { ... }); }     UNDER_BOTH_PROTOCOLS(Row);
class OnTwoWorkers : public testing::TestWithParam<skerry::steal_mode> {
  protected:
    template <class F>
    void in(F&& f) {
        rt_.run(f);
    }
    std::uint64_t steals() const { return rt_.stats().steals_granted; }

  private:
    static skerry::options with(skerry::steal_mode steal) {
        skerry::options o;
        o.workers = 2;
        o.steal = steal;
        return o;
    }
    skerry::runtime rt_{with(GetParam())};
};

#define UNDER_BOTH_PROTOCOLS(fixture)                                                                                  \
    INSTANTIATE_TEST_SUITE_P(                                                                                          \
        Protocols, fixture, testing::Values(skerry::steal_mode::automatic, skerry::steal_mode::locked),                \
        [](const auto& given) {                                                                                        \
            return std::string(given.param == skerry::steal_mode::locked ? "locked" : "automatic");                    \
        })
