// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace apps::input {

/// A range of this process's addresses: a file's, or memory. Thread safety: constant between calls that are not const.
class mapping {
  public:
    mapping() = default;

    /// Maps `size` bytes of an open file, read only. Empty if that fails; errno says why.
    static mapping of_file(int file, std::size_t size) noexcept;

    mapping(mapping&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    mapping& operator=(mapping&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~mapping();

    /// Memory of that size, which must not be 0, with what was there before. False, and nothing is changed, if there is
    /// none. Not for a file. What is not touched costs addresses alone.
    bool resize(std::size_t size) noexcept;

    char* data() noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    std::string_view bytes() const noexcept { return {data_, size_}; }

  private:
    mapping(char* data, std::size_t size) noexcept : data_(data), size_(size) {}

    char* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace apps::input
