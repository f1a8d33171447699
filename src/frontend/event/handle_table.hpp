// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Objects by number, from 1, which is what handles are. Thread safety: of() for any thread, the rest under a lock.
template <class T>
class handle_table {
  public:
    // Numbers below `chosen_from` go only to those who ask for them. Errors: std::bad_alloc.
    explicit handle_table(std::size_t most, std::size_t chosen_from = 1)
        : most_(most),
          chosen_from_(chosen_from),
          places_(std::make_unique<machine::atomic<T*>[]>(most)) {}
    handle_table(const handle_table&) = delete;
    handle_table& operator=(const handle_table&) = delete;
    ~handle_table() {
        each([](T& one) { delete &one; });
    }

    [[nodiscard]] T* of(std::size_t number) const noexcept {
        return number != 0 && number <= most_ ? places_[number - 1].load(memory_order::acquire) : nullptr;
    }
    // The lowest free number; 0: none is.
    [[nodiscard]] std::size_t free_number() const noexcept {
        std::size_t number = first_free_;
        while (number <= most_ && of(number) != nullptr) {
            ++number;
        }
        return number <= most_ ? number : 0;
    }
    void put(std::size_t number, std::unique_ptr<T> one) noexcept {
        places_[number - 1].store(one.release(), memory_order::release);
        first_free_ = number == first_free_ ? number + 1 : first_free_;
        ++count_;
    }
    [[nodiscard]] std::unique_ptr<T> take(std::size_t number) noexcept {
        first_free_ = number >= chosen_from_ ? std::min(first_free_, number) : first_free_;
        --count_;
        return std::unique_ptr<T>(places_[number - 1].exchange(nullptr, memory_order::acq_rel));
    }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    // The one with the lowest number beyond that one; null: there is none.
    [[nodiscard]] T* after(std::size_t number) const noexcept {
        while (++number <= most_) {
            if (T* const one = of(number)) {
                return one;
            }
        }
        return nullptr;
    }
    template <class F>
    void each(F&& f) const {
        for (std::size_t number = 1; number <= most_; ++number) {
            if (T* const one = of(number)) {
                f(*one);
            }
        }
    }

  private:
    const std::size_t most_;
    const std::size_t chosen_from_;
    const std::unique_ptr<machine::atomic<T*>[]> places_;
    std::size_t first_free_ = chosen_from_;
    std::size_t count_ = 0;
};

template <class Handle>
std::size_t number_of(Handle handle) noexcept {
    return reinterpret_cast<std::uintptr_t>(handle);
}
template <class Handle>
Handle handle_of(std::size_t number) noexcept {
    return reinterpret_cast<Handle>(number);
}

} // namespace skerry::inline SKERRY_ABI::detail
