// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>

namespace skerry_test {

// So many threads come together; none goes on before.
class meeting {
  public:
    explicit meeting(int n) : missing_(n) {}
    // Returns when all n have come.
    void come() {
        std::unique_lock lock(mutex_);
        if (--missing_ == 0) {
            all_here_.notify_all();
        }
        all_here_.wait(lock, [this] { return missing_ <= 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable all_here_;
    int missing_;
};

} // namespace skerry_test
