// SPDX-License-Identifier: Apache-2.0

// A coroutine that waits for tasks without holding a thread: co_await on a future gives the thread back, and the end of
// the task goes on with the rest.
#include <atomic>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <string>

#include <skerry/skerry.hpp>

struct job { // a coroutine that begins at once and is destroyed at its end
    struct promise_type {
        job get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { std::terminate(); }
    };
};

std::string fetched(int page) { return "page " + std::to_string(page); } // stands for something that takes time
std::size_t parsed(const std::string& text) { return text.size(); }

job handle(int page, std::atomic<std::size_t>& bytes) {
    const std::string text = co_await skerry::submit([page] { return fetched(page); });
    bytes += co_await skerry::submit([&text] { return parsed(text); });
}

int main() {
    std::atomic<std::size_t> bytes = 0;
    skerry::finish([&](skerry::scope&) { // covers the coroutines, wherever they go on
        for (int page = 0; page < 1000; ++page) handle(page, bytes);
    });
    std::printf("%zu bytes of 1000 pages\n", bytes.load());
    return bytes == 7'890 ? 0 : 1; // 1000 times "page ", and 2,890 digits
}
