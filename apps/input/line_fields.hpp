// SPDX-License-Identifier: Apache-2.0
#pragma once

// One line of an edge list, field by field.

#include <cstddef>
#include <string_view>

namespace apps::input {

/// Thread safety: constant but for its own position.
class line_fields {
  public:
    /// `separator` is a comma or a semicolon, which may stand between fields beside the blanks that always may; or a
    /// blank.
    line_fields(std::string_view line, char separator) noexcept;

    /// The next field; attributes are one, and so is what stands in double quotes, which are left out. Empty, but where
    /// it should stand, at the end of the line, at a comment, and between two separators.
    std::string_view next() noexcept;

    /// The next field that is not empty; empty if none is left.
    std::string_view more() noexcept;

    /// Whether nothing is left but blanks and a comment.
    bool at_end() noexcept;

  private:
    void skip_blanks() noexcept;

    std::string_view rest_;
    char separator_;
    bool first_ = true;
};

/// The separator of a line: a comma or a semicolon if that follows its first field, else a blank.
char separator_of(std::string_view line) noexcept;

/// What networkx writes behind an edge, as Python shows a dictionary: {}, {'weight': 3, 'colours': ['red', 'blue']}.
struct attributes {
    std::string_view all;    ///< with both brackets; without the last if the line ends before
    std::string_view weight; ///< what stands for 'weight'
    bool closed = false;
};

/// Those that begin where the line begins, with a bracket.
attributes read_attributes(std::string_view line) noexcept;

} // namespace apps::input
