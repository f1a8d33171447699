// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where one thread leaves something for another one: a place for one pointer at a time. What is linked behind it goes
// along, so that a box is never too small.
//
// Thread safety: put() by one thread, take() by another; has_any() by any. Who stops both may call both.
//
// Invariant: only the sender writes a box that is empty, and only the receiver one that is not.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M, class T>
class letter_box {
  public:
    // False: the last one was not taken yet. Precondition: not null.
    [[nodiscard]] bool put(T* what) noexcept {
        if (what_.load(memory_order::acquire) != nullptr) { // B1 <- B4
            return false;
        }
        what_.store(what, memory_order::release); // B2 -> B3
        return true;
    }
    // Null: it is empty.
    [[nodiscard]] T* take() noexcept {
        T* const what = what_.load(memory_order::acquire); // B3 <- B2
        if (what != nullptr) {
            what_.store(nullptr, memory_order::release); // B4 -> B1
        }
        return what;
    }
    // relaxed: a hint.
    [[nodiscard]] bool has_any() const noexcept { return what_.load(memory_order::relaxed) != nullptr; }

  private:
    typename M::template atomic<T*> what_{nullptr};
};

} // namespace skerry::inline SKERRY_ABI::detail
