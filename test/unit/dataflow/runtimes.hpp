// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <skerry/dataflow.hpp>
#include <skerry/runtime.hpp>

namespace dataflow_test {

// Each test runs on one worker, where tasks run inside spawn(), on two, and on more than there are cores.
class Dataflow : public testing::TestWithParam<unsigned> {
  protected:
    static skerry::options with(unsigned workers) {
        skerry::options o;
        o.task_manager = skerry::options::from_environment().task_manager;
        o.workers = workers;
        return o;
    }
    skerry::runtime runtime{with(GetParam())};
    [[nodiscard]] bool alone() const { return GetParam() == 1; }
};

// A point that a task waits at until the test lets it go on.
class barrier {
  public:
    void open() noexcept { open_.store(true); }
    void pass() const {
        while (!open_.load()) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }

  private:
    std::atomic<bool> open_{false};
};

} // namespace dataflow_test
