// SPDX-License-Identifier: Apache-2.0
#pragma once

// A text to be parsed: a file mapped into memory, or bytes that a test or a fuzzer made up.

#include "input/mapping.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace apps::input {

/// What gzip has packed is unpacked, and a byte order mark of UTF-8 is left out. Thread safety: constant after
/// construction.
class text {
  public:
    /// Maps a regular file, read only. A file that another process shortens meanwhile ends the process (SIGBUS): that
    /// cannot be told apart from a failing disk. Throws input_error, naming the file and what the system said, or what
    /// it is instead of a text: UTF-16, an archive, packed by something else, damaged.
    explicit text(std::string path);

    /// Copies nothing: `bytes` outlive the text. May throw as the other, but for what the system says.
    text(std::string name, std::string_view bytes);

    text(text&&) noexcept = default;
    text& operator=(text&&) = delete;
    ~text() = default;

    const std::string& name() const noexcept { return name_; }
    std::string_view bytes() const noexcept { return bytes_; }

    /// Throws input_error "NAME:LINE: REASON", with the line that holds the byte at `offset`. An offset at or beyond
    /// the end means the last line.
    [[noreturn]] void fail(std::size_t offset, const std::string& reason) const;

  private:
    void unpack();

    std::string name_;
    mapping memory_; ///< what is read, if it is a file or was packed
    std::string_view bytes_;
};

/// A token for an error text: in quotes, cut to a readable length, unprintable bytes as \xHH.
std::string quoted(std::string_view token);

} // namespace apps::input
