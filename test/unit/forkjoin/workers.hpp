// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <skerry/runtime.hpp>

// A fixture for tests that run in a runtime of 1, 2, 3, 8 and 64 workers:
//   TEST_P(Finish, Something) { in([&] { ... }); }     ON_ALL_WORKERS(Finish);
class OnWorkers : public testing::TestWithParam<unsigned> {
  public:
    static skerry::options with(unsigned workers) {
        skerry::options o;
        o.workers = workers;
        return o;
    }

  protected:
    template <class F>
    decltype(auto) in(F&& f) {
        return rt_.run(f);
    }
    [[nodiscard]] skerry::runtime& rt() { return rt_; }

  private:
    skerry::runtime rt_{with(GetParam())};
};

#define ON_ALL_WORKERS(fixture)                                                                                        \
    INSTANTIATE_TEST_SUITE_P(Workers, fixture, testing::Values(1U, 2U, 3U, 8U, 64U), testing::PrintToStringParamName())
