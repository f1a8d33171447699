// SPDX-License-Identifier: Apache-2.0
// Two coroutine frames per fork, from a stack of frames, each call a symmetric transfer.
#include "limits/limits.hpp"

#include <array>
#include <coroutine>
#include <cstdlib>
#include <new>

namespace bench::limits {
namespace {

alignas(16) std::array<std::byte, 1 << 16> frames;
std::byte* next_frame = frames.data();

void* take_frame(std::size_t size) {
    void* const frame = next_frame;
    next_frame += (size + 15) / 16 * 16;
    if (next_frame > frames.data() + frames.size()) {
        std::abort();
    }
    return frame;
}

void give_frame(void* frame) { next_frame = static_cast<std::byte*>(frame); }

class called {
  public:
    struct promise_type;
    using handle = std::coroutine_handle<promise_type>;

    struct back_to_caller {
        bool await_ready() const noexcept { return false; }
        std::coroutine_handle<> await_suspend(handle self) const noexcept {
            const std::coroutine_handle<> caller = self.promise().caller;
            self.destroy();
            return caller;
        }
        void await_resume() const noexcept {}
    };

    struct promise_type {
        std::coroutine_handle<> caller = std::noop_coroutine();
        std::uint64_t* into = nullptr;

        static void* operator new(std::size_t size) { return take_frame(size); }
        static void operator delete(void* frame) { give_frame(frame); }
        called get_return_object() { return called(handle::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        back_to_caller final_suspend() noexcept { return {}; }
        void return_value(std::uint64_t value) { *into = value; }
        void unhandled_exception() { std::abort(); }
    };

    void start(std::uint64_t& into) {
        self_.promise().into = &into;
        self_.resume();
    }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
        self_.promise().caller = caller;
        self_.promise().into = &value_;
        return self_;
    }
    std::uint64_t await_resume() const noexcept { return value_; }

  private:
    explicit called(handle self) : self_(self) {}

    handle self_;
    std::uint64_t value_ = 0;
};

called fib(unsigned n) {
    if (n < 2) {
        co_return n;
    }
    const std::uint64_t x = co_await fib(n - 1);
    const std::uint64_t y = co_await fib(n - 2);
    co_return x + y;
}

} // namespace

std::uint64_t fib_of_coroutines(unsigned n) {
    std::uint64_t value = 0;
    fib(n).start(value);
    return value;
}

} // namespace bench::limits
