// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <exception>

namespace skerry_test {

// A coroutine that begins at the call and frees itself at its end.
struct fire_and_forget {
    struct promise_type {
        fire_and_forget get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

} // namespace skerry_test
