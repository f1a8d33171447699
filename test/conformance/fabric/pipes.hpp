// SPDX-License-Identifier: Apache-2.0
#pragma once

// Beside a fabric of threads or processes: pipes.

#include <string>

#include "place.hpp"

namespace skerry::fabric_test {

class pipes final : public aside {
  public:
    pipes();
    // What text() of another process said, from which this one has inherited them, or text_for_strangers().
    explicit pipes(const std::string& descriptors);
    pipes(const pipes&) = delete;
    pipes& operator=(const pipes&) = delete;
    ~pipes() override;

    [[nodiscard]] std::string text() const;
    // For processes that inherit nothing, as long as this one lives.
    [[nodiscard]] std::string text_for_strangers() const;

    void tell_last() override;
    void hear_first() override;
    void tell_first() override;
    void hear_last() override;
    [[noreturn]] void die() override;

  private:
    int to_last_[2];
    int to_first_[2];
};

} // namespace skerry::fabric_test
