// SPDX-License-Identifier: Apache-2.0
#pragma once

// Formats with one edge to a line and comment lines between.

#include "graph/csr.hpp"
#include "input/scan.hpp"

#include <cstddef>
#include <vector>

namespace apps::input {

/// Whether what begins here, up to the end of the line, is a comment.
inline bool begins_comment(std::string_view word) noexcept {
    return word.starts_with('#') || word.starts_with('%') || word.starts_with("//");
}

/// Whether the line at the cursor states an entry: it is neither blank nor a comment. Leaves the cursor on that line,
/// before its first word.
inline bool states_entry(const cursor& c) noexcept {
    cursor ahead = c;
    const std::string_view word = ahead.word_of_line();
    return !word.empty() && !begins_comment(word);
}

/// A flaw if a word is left on the line.
inline flaw nothing_left(cursor& c) {
    const std::string_view extra = c.word_of_line();
    if (extra.empty()) return {};
    return {c.offset_of(extra), quoted(extra) + " is too much on this line"};
}

/// The entries of a text from `begin` on, numbered in the order of their lines. Refers to the text.
class entry_lines {
  public:
    entry_lines(const text& t, std::size_t begin, std::size_t block_bytes);

    std::size_t size() const noexcept { return first_.back(); }
    const std::vector<block>& blocks() const noexcept { return blocks_; }

    /// Room for that many weights: 1 each where the file has none (`unit`).
    graph::buffer<graph::weight> weights(bool unit) const {
        return unit ? graph::buffer<graph::weight>(size(), 1) : graph::buffer<graph::weight>(size());
    }

    /// Calls parse(index, cursor) -> flaw for each entry of block b, until one has a flaw.
    template <class Parse>
    flaw each(std::size_t b, Parse parse) const {
        cursor c(text_.bytes(), blocks_[b]);
        for (std::size_t i = first_[b]; i != first_[b + 1]; c.next_line()) {
            if (!states_entry(c)) continue;
            if (flaw f = parse(i++, c)) return f;
        }
        return {};
    }

    /// Where entry `index` begins. Only for errors: reads its block again.
    std::size_t offset_of(std::size_t index) const;

  private:
    const text& text_;
    std::vector<block> blocks_;
    std::vector<std::size_t> first_;
};

} // namespace apps::input
