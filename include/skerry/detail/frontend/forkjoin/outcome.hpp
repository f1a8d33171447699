// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a branch that a thief ran left behind: a value, a reference, nothing, or an exception.

#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/sched/stopping.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// A branch's result as the caller sees it: void becomes std::monostate.
template <class R>
using result_of = std::conditional_t<std::is_void_v<R>, std::monostate, R>;

template <class F>
using invoke_result = std::invoke_result_t<F&>;

// Calls f, which takes no argument and so is no pointer to a member, and turns void into std::monostate.
template <class F>
[[gnu::__always_inline__]] inline result_of<invoke_result<F>> call(F& f) {
    if constexpr (std::is_void_v<invoke_result<F>>) {
        f();
        return {};
    } else {
        return f();
    }
}

// What an outcome does with an exception, compiled into the library: a fork's own code is smaller and sooner compiled.
// keep_error() leaves the exception being handled in the room; the other two end its life there.
SKERRY_EXPORT void keep_error(std::byte* room) noexcept;
[[gnu::__noreturn__]] SKERRY_EXPORT void rethrow_kept(std::exception_ptr& kept);
SKERRY_EXPORT void drop_kept(std::exception_ptr& kept) noexcept;

// Written by the thief, read by the joiner after the join word says so. Unwritten otherwise: a fork that is not stolen
// pays nothing for it.
template <class R>
class outcome {
  public:
    outcome() noexcept = default; // the room stays unwritten; destruction is trivial, see join_word
    outcome(const outcome&) = delete;
    outcome& operator=(const outcome&) = delete;

    // Calls f, unless a group around was cancelled.
    template <class F>
    void run(F& f) noexcept {
        try {
            throw_if_stopping();
            if constexpr (std::is_reference_v<R>) {
                ::new (static_cast<void*>(room_)) stored(__builtin_addressof(call(f)));
            } else {
                ::new (static_cast<void*>(room_)) stored(call(f));
            }
            failed_ = false;
        } catch (...) {
            keep_error(room_);
            failed_ = true;
        }
    }

    // Hands the value out or rethrows. Once only.
    R take() {
        if (failed_) {
            rethrow_kept(error());
        }
        if constexpr (std::is_reference_v<R>) {
            return static_cast<R>(*value());
        } else {
            const destroyer guard{value()};
            return std::move(value());
        }
    }

    // Drops what is there.
    void discard() noexcept {
        if (failed_) {
            drop_kept(error());
        } else {
            value().~stored();
        }
    }

  private:
    using stored = std::conditional_t<std::is_reference_v<R>, std::remove_reference_t<R>*, R>;

    struct destroyer {
        stored& value;
        ~destroyer() { value.~stored(); }
    };

    void* room() noexcept { return room_; }
    stored& value() noexcept { return *std::launder(static_cast<stored*>(room())); }
    std::exception_ptr& error() noexcept { return *std::launder(static_cast<std::exception_ptr*>(room())); }

    alignas(stored) alignas(std::exception_ptr)
        std::byte room_[sizeof(stored) > sizeof(std::exception_ptr) ? sizeof(stored) : sizeof(std::exception_ptr)];
    bool failed_;
};

} // namespace skerry::inline SKERRY_ABI::detail
