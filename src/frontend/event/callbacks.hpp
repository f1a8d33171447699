// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>

#include <event_machine/platform/event_machine_config.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Says what a callback or hook has thrown, which is being handled.
void tell_callback_thrown() noexcept;

// Calls one. What it throws goes to the handler of errors.
template <class F>
void call_callback(F&& f) noexcept {
    try {
        f();
    } catch (...) {
        tell_callback_thrown();
    }
}

// Functions of the program, called in the order in which they were added. Thread safety: any thread.
template <class Function>
class callbacks {
  public:
    // False: there is no room.
    [[nodiscard]] bool add(Function f) noexcept {
        const std::lock_guard lock(lock_);
        const std::size_t n = count_.load(memory_order::relaxed); // relaxed: written under the lock
        if (n == all_.size()) {
            return false;
        }
        all_[n] = f;
        count_.store(n + 1, memory_order::relaxed);
        return true;
    }
    // The first one of it; false: there is none.
    [[nodiscard]] bool remove(Function f) noexcept {
        const std::lock_guard lock(lock_);
        const std::size_t n = count_.load(memory_order::relaxed);
        const auto end = all_.begin() + static_cast<std::ptrdiff_t>(n);
        const auto at = std::find(all_.begin(), end, f);
        if (at == end) {
            return false;
        }
        std::copy(at + 1, end, at);
        count_.store(n - 1, memory_order::relaxed);
        return true;
    }
    void clear() noexcept {
        const std::lock_guard lock(lock_);
        count_.store(0, memory_order::relaxed);
    }

    // One look. relaxed: whoever sees one finds it under the lock; whoever adds one orders that with events itself
    [[nodiscard]] bool any() const noexcept { return count_.load(memory_order::relaxed) != 0; }
    // Calls call(f) for each, outside of the lock: it may do what the program likes.
    template <class Call>
    void each(Call&& call) const {
        if (any()) {
            each_of_some(call);
        }
    }

  private:
    // Apart, so that a look has no locked operation.
    template <class Call>
    [[gnu::noinline, gnu::cold]] void each_of_some(Call& call) const {
        std::array<Function, EM_CALLBACKS_MAX> now;
        std::size_t n = 0;
        {
            const std::lock_guard lock(lock_);
            now = all_;
            n = count_.load(memory_order::relaxed);
        }
        for (std::size_t i = 0; i < n; ++i) {
            call(now[i]);
        }
    }

    mutable mutex<machine> lock_;
    std::array<Function, EM_CALLBACKS_MAX> all_{}; // guarded by it
    machine::atomic<std::size_t> count_{0};        // written under it
};

} // namespace skerry::inline SKERRY_ABI::detail
