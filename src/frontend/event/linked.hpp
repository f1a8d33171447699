// SPDX-License-Identifier: Apache-2.0
#pragma once

// A list whose links lie in what it lists, so that entering and leaving need no memory and no search.
//
// Thread safety: none.

#include <cstddef>
#include <utility>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class T>
struct links {
    T* before = nullptr;
    T* after = nullptr;
};

template <class T, links<T> T::* Links>
class linked_list {
  public:
    linked_list() = default;
    linked_list(const linked_list&) = delete;
    linked_list& operator=(const linked_list&) = delete;

    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] T* first() const noexcept { return first_; }
    [[nodiscard]] T* after(const T& one) const noexcept { return (one.*Links).after; }
    [[nodiscard]] T* before(const T& one) const noexcept { return (one.*Links).before; }

    // Precondition: it is in no list by these links.
    void push_back(T& one) noexcept {
        one.*Links = {last_, nullptr};
        (last_ == nullptr ? first_ : (last_->*Links).after) = &one;
        last_ = &one;
        ++size_;
    }
    void push_front(T& one) noexcept {
        one.*Links = {nullptr, first_};
        (first_ == nullptr ? last_ : (first_->*Links).before) = &one;
        first_ = &one;
        ++size_;
    }
    // Precondition: it is in this list.
    void erase(T& one) noexcept {
        const links<T> at = one.*Links;
        (at.before == nullptr ? first_ : (at.before->*Links).after) = at.after;
        (at.after == nullptr ? last_ : (at.after->*Links).before) = at.before;
        one.*Links = {};
        --size_;
    }
    // `other` takes its place. Preconditions: it is in this list, and `other` in none by these links.
    void replace(T& one, T& other) noexcept {
        const links<T> at = std::exchange(one.*Links, {});
        other.*Links = at;
        (at.before == nullptr ? first_ : (at.before->*Links).after) = &other;
        (at.after == nullptr ? last_ : (at.after->*Links).before) = &other;
    }

  private:
    T* first_ = nullptr;
    T* last_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
