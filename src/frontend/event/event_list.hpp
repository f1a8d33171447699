// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/event.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Events in their order. Thread safety: none.
class event_list {
  public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] event* first() const noexcept { return first_; }

    void push(event& e) noexcept {
        e.next = nullptr;
        (first_ == nullptr ? first_ : last_->next) = &e;
        last_ = &e;
        ++size_;
    }
    void push_front(event& e) noexcept {
        e.next = first_;
        if (first_ == nullptr) {
            last_ = &e;
        }
        first_ = &e;
        ++size_;
    }
    // Precondition: it is not empty.
    [[nodiscard]] event& pop() noexcept {
        event* const e = first_;
        first_ = e->next;
        --size_;
        return *e;
    }
    // All of the other list follow, and it is empty then.
    void append(event_list& other) noexcept {
        if (!other.empty()) {
            (first_ == nullptr ? first_ : last_->next) = other.first_;
            last_ = other.last_;
            size_ += other.size_;
            other = {};
        }
    }
    [[nodiscard]] event_list take_all() noexcept { return std::exchange(*this, {}); }

  private:
    event* first_ = nullptr;
    event* last_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
