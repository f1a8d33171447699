// SPDX-License-Identifier: Apache-2.0

#include <coroutine>
#include <exception>

#include <skerry/finish.hpp>
#include <skerry/future.hpp>

namespace {

// [coroutine]
struct job { // a coroutine that begins at once and is destroyed at its end
    struct promise_type {
        job get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

job add(int& sum) {
    skerry::future<int> a = skerry::submit([] { return 40; });
    skerry::future<int> b = skerry::submit([] { return 2; });
    const int first = co_await a; // no thread waits: when the task ends, the rest becomes a task
    sum = first + co_await b;
}

int added() {
    int sum = 0;
    skerry::finish([&](skerry::scope&) { add(sum); }); // covers the coroutine, wherever it goes on
    return sum;
}
// [/coroutine]

} // namespace

int main() { return added() == 42 ? 0 : 1; }
