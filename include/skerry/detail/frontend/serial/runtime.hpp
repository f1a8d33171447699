// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/frontend/serial/invoke.hpp>

#include <utility>

namespace skerry::inline SKERRY_ABI::serial {

inline unsigned max_slots() noexcept { return 1; }

namespace this_worker {
inline unsigned slot() noexcept { return 0; }
} // namespace this_worker

// One object: there is one worker.
template <class T>
class worker_local {
  public:
    worker_local() = default;
    explicit worker_local(T initial) : value_{std::move(initial)} {}
    template <std::invocable F>
        requires std::convertible_to<std::invoke_result_t<F>, T>
    explicit worker_local(F make) : value_{make()} {}

    [[nodiscard]] T& local() noexcept { return value_; }
    [[nodiscard]] T* begin() noexcept { return &value_; }
    [[nodiscard]] T* end() noexcept { return &value_ + 1; }
    [[nodiscard]] const T* begin() const noexcept { return &value_; }
    [[nodiscard]] const T* end() const noexcept { return &value_ + 1; }
    template <class Op>
    [[nodiscard]] T combine(Op) const {
        return value_;
    }

  private:
    T value_{};
};

} // namespace skerry::inline SKERRY_ABI::serial
