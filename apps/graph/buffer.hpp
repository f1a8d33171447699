// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace apps::graph {

/// An array of fixed length whose elements start uninitialised, so that the loop that fills it also touches its pages
/// first. (std::vector would write everything once before that, from one thread.)
template <class T>
class buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    buffer() = default;
    explicit buffer(std::size_t size) : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}
    buffer(std::size_t size, T value) : buffer(size) { std::fill_n(data_.get(), size, value); }

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T* data() noexcept { return data_.get(); }
    const T* data() const noexcept { return data_.get(); }
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    T* begin() noexcept { return data_.get(); }
    T* end() noexcept { return data_.get() + size_; }
    const T* begin() const noexcept { return data_.get(); }
    const T* end() const noexcept { return data_.get() + size_; }
    std::span<const T> view() const noexcept { return {data_.get(), size_}; }

  private:
    std::unique_ptr<T[]> data_;
    std::size_t size_ = 0;
};

} // namespace apps::graph
