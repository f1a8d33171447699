// SPDX-License-Identifier: Apache-2.0
#pragma once

// Groups of the serial elision that were called off: nothing begins inside of them.

#include <skerry/cancelled.hpp>
#include <skerry/detail/base/abi.hpp>

#include <utility>

namespace skerry::inline SKERRY_ABI::serial {

using skerry::cancelled;
using skerry::group_status;

namespace detail {

// A group, as those know it that are inside.
struct stop_source {
    explicit stop_source(const stop_source* around) noexcept : outer(around) {}

    [[nodiscard]] bool stopping() const noexcept {
        const stop_source* s = this;
        while (s != nullptr && !s->asked) s = s->outer;
        return s != nullptr;
    }

    const stop_source* const outer;
    bool asked = false;
};

// Of the task that runs; null outside the tasks of a group.
inline constinit thread_local const stop_source* innermost_stop = nullptr;

inline bool stopping() noexcept { return innermost_stop != nullptr && innermost_stop->stopping(); }

inline void throw_if_stopping() {
    if (stopping()) throw cancelled();
}

// Makes `inner` the group around what runs while this lives.
class scope_of_stop {
  public:
    explicit scope_of_stop(const stop_source* inner) noexcept : outer_{std::exchange(innermost_stop, inner)} {}
    scope_of_stop(const scope_of_stop&) = delete;
    scope_of_stop& operator=(const scope_of_stop&) = delete;
    ~scope_of_stop() { innermost_stop = outer_; }

  private:
    const stop_source* outer_;
};

} // namespace detail

} // namespace skerry::inline SKERRY_ABI::serial
