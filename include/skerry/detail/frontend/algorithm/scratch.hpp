// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

namespace skerry::inline SKERRY_ABI::detail {

// Raw memory for n objects of type T, or none if there is none to be had: a caller has a slower way that needs none.
// For n == 0 there is none. It comes from operator new, so that a program's own memory accounting sees it.
template <class T>
class scratch {
  public:
    explicit scratch(std::uint64_t n, void (*prepare)(void*, std::size_t) noexcept = nullptr) noexcept {
        if (n != 0 && n <= std::numeric_limits<std::size_t>::max() / 2 / sizeof(T))
            data_ = static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{alignment}, std::nothrow));
        if (data_ != nullptr && prepare != nullptr) prepare(data_, n * sizeof(T));
    }
    ~scratch() { ::operator delete(static_cast<void*>(data_), std::align_val_t{alignment}); }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    explicit operator bool() const noexcept { return data_ != nullptr; }
    [[nodiscard]] T* data() const noexcept { return data_; }

  private:
    static constexpr std::size_t alignment = alignof(T) > 64 ? alignof(T) : 64;

    T* data_ = nullptr;
};

} // namespace skerry::inline SKERRY_ABI::detail
