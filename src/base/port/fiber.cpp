// SPDX-License-Identifier: Apache-2.0
#include "base/port/fiber.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include <boost/context/detail/fcontext.hpp>
#include <cxxabi.h>

#include "base/port/memory.hpp"
#include "base/port/poison.hpp"

#if defined(__SANITIZE_THREAD__)
#define SKERRY_WATCHES_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKERRY_WATCHES_FIBERS 1
#endif
#endif

#ifdef SKERRY_WATCHES_FIBERS
#include <sanitizer/tsan_interface.h>
#endif

namespace skerry::inline SKERRY_ABI::port {

namespace {

namespace context = boost::context::detail;

constexpr std::size_t guard_bytes = 64 * 1024;

// What the C++ library has for each thread: the exceptions that are handled, and how many are on their way (Itanium C++
// ABI, 2.2.2).
struct eh_globals {
    void* caught;
    unsigned uncaught;
};
eh_globals& of_thread() noexcept { return *reinterpret_cast<eh_globals*>(abi::__cxa_get_globals()); }

#ifdef SKERRY_WATCHES_FIBERS
#undef SKERRY_WATCHES_FIBERS
void* watched_here() noexcept { return __tsan_get_current_fiber(); }
void* begin_watched() noexcept { return __tsan_create_fiber(0); }
void end_watched(void* one) noexcept { __tsan_destroy_fiber(one); }
void switch_watched(void* to) noexcept { __tsan_switch_to_fiber(to, 0); }
#else
void* watched_here() noexcept { return nullptr; }
void* begin_watched() noexcept { return nullptr; }
void end_watched(void*) noexcept {}
void switch_watched(void*) noexcept {}
#endif

} // namespace

struct fiber::entry {
    // Who comes to a stack, from where.
    struct visit {
        fiber& from;
        fiber& to;
    };

    // Before anything else on a stack that somebody has come to. Not watched itself, as switch_to() is not: what
    // AddressSanitizer keeps beside a stack changes meanwhile.
    [[gnu::no_sanitize_address]] static fiber& arrive(context::transfer_t t) noexcept {
        const visit v = *static_cast<visit*>(t.data);
        v.from.context_ = t.fctx;
        end_stack_switch(v.to.fake_, v.from.low_, v.from.size_);
        return v.to;
    }
    [[gnu::no_sanitize_address]] static void run(context::transfer_t t) noexcept {
        fiber& self = arrive(t);
        self.function_(self.argument_);
        std::abort(); // it has not ended by end_at()
    }
};

fiber::fiber(std::size_t bytes, const char* name, const char* remedy) {
    const std::size_t page = page_size();
    const std::size_t guard = round_up(guard_bytes, page);
    const std::size_t stack = round_up(bytes, page);
    mapped_ = guard + stack;
    mapping_ = static_cast<char*>(map_memory(mapped_));
    if (mapping_ == nullptr) {
        throw std::bad_alloc();
    }
    if (!allow_access(mapping_ + guard, stack)) {
        unmap_memory(mapping_, mapped_);
        throw std::bad_alloc();
    }
    own_guard_ = {mapping_, mapping_ + guard, stack, name, remedy};
    guard_ = &own_guard_;
    low_ = own_guard_.end;
    size_ = stack;
}

fiber::~fiber() {
    if (mapping_ != nullptr) {
        if (watched_ != nullptr) {
            end_watched(watched_);
        }
        unpoison(mapping_ + (mapped_ - size_), size_);
        unmap_memory(mapping_, mapped_);
    }
}

void fiber::begin(void (*f)(void*) noexcept, void* argument) noexcept {
    if (watched_ != nullptr) {
        end_watched(watched_);
    }
    watched_ = begin_watched();
    char* const low = mapping_ + (mapped_ - size_);
    unpoison(low, size_); // what ran there before has not returned
    function_ = f;
    argument_ = argument;
    exceptions_ = {};
    fake_ = nullptr;
    context_ = context::make_fcontext(low + size_, size_, &entry::run);
}

[[gnu::no_sanitize_address]] void fiber::switch_to(fiber& there, bool for_good) noexcept {
    eh_globals& now = of_thread();
    exceptions_.caught = now.caught;
    exceptions_.uncaught = now.uncaught;
    now.caught = there.exceptions_.caught;
    now.uncaught = there.exceptions_.uncaught;
    if (mapping_ == nullptr) {
        guard_ = declared_stack_guard();
        watched_ = watched_here();
    }
    set_stack_guard(there.guard_);
    entry::visit v{*this, there};
    begin_stack_switch(for_good ? nullptr : &fake_, there.low_, there.size_);
    switch_watched(there.watched_);
    static_cast<void>(entry::arrive(context::jump_fcontext(there.context_, &v)));
}

void fiber::end_at(fiber& there) noexcept {
    switch_to(there, true);
    std::abort(); // nobody comes back
}

} // namespace skerry::inline SKERRY_ABI::port
