// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the parsers share: a text is cut into blocks, and every block is parsed by one task. Each task keeps the first
// error of its own block; the error reported is that of the first block that has one, as if one task had read all.

#include "input/text.hpp"

#include <skerry/forkjoin.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace apps::input {

/// A block is long enough to outweigh a steal and short enough that a few megabytes keep a machine busy.
inline constexpr std::size_t default_block_bytes = std::size_t{1} << 17;

constexpr bool is_space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Half-open range of bytes of a text.
struct block {
    std::size_t begin;
    std::size_t end;
};

/// From `begin` to the end of the text, cut after line ends.
std::vector<block> blocks_of_lines(std::string_view bytes, std::size_t begin, std::size_t block_bytes);

/// From `begin` to the end of the text, cut between words (anything between white space).
std::vector<block> blocks_of_words(std::string_view bytes, std::size_t begin, std::size_t block_bytes);

/// Reads words from a range of a text.
class cursor {
  public:
    cursor(std::string_view bytes, block b) : bytes_(bytes), at_(b.begin), end_(b.end) {}

    /// The next word of the range; empty when there is none.
    std::string_view word() noexcept {
        while (at_ != end_ && is_space(bytes_[at_])) ++at_;
        return until_space();
    }

    /// The next word of this line; empty when there is none. Stays on the line.
    std::string_view word_of_line() noexcept {
        while (at_ != end_ && bytes_[at_] != '\n' && is_space(bytes_[at_])) ++at_;
        return until_space();
    }

    /// What is left of this line, without its end.
    std::string_view rest_of_line() const noexcept;

    /// Goes behind the end of this line.
    void next_line() noexcept;

    bool at_end() const noexcept { return at_ == end_; }
    std::size_t at() const noexcept { return at_; }

    /// Where a word that this cursor returned begins.
    std::size_t offset_of(std::string_view word) const noexcept {
        return static_cast<std::size_t>(word.data() - bytes_.data());
    }

  private:
    std::string_view until_space() noexcept {
        const std::size_t first = at_;
        while (at_ != end_ && !is_space(bytes_[at_])) ++at_;
        return bytes_.substr(first, at_ - first);
    }

    std::string_view bytes_;
    std::size_t at_;
    std::size_t end_;
};

/// The first thing wrong in a block.
struct flaw {
    std::size_t offset = 0;
    std::string reason; ///< empty: nothing is wrong

    explicit operator bool() const noexcept { return !reason.empty(); }
};

/// Why a word is no number from `least` to `most`: not a number, negative, too large. For error texts.
std::string why_no_number(std::string_view word, std::int64_t least, std::uint64_t most);

/// Reads a whole word as a number from 0 to `most`.
bool read_number(std::string_view word, std::uint64_t most, std::uint64_t& value) noexcept;

/// Reads a whole word as a number of any kind, infinite and NaN too.
bool read_real(std::string_view word, double& value) noexcept;

/// Reads a weight: a whole number of 32 bits, however it is written. Returns what is wrong with it, or nothing. One
/// that nobody wants is left alone if it is a number of any kind.
std::string take_weight(std::string_view word, bool wanted, std::int32_t& value);

/// Calls parse(block index) -> flaw for every block, in parallel; throws for the first flaw.
template <class Parse>
void parse_blocks(const text& t, const std::vector<block>& blocks, Parse parse) {
    std::vector<flaw> flaws(blocks.size());
    skerry::parallel_for(
        std::size_t{0}, blocks.size(), [&](std::size_t b) { flaws[b] = parse(b); }, skerry::grain::fixed(1));
    for (const flaw& f : flaws) {
        if (f) t.fail(f.offset, f.reason);
    }
}

/// How many items (words, lines) each block has, as the index of its first one; the last element is the total.
template <class Count>
std::vector<std::size_t> first_items(const std::vector<block>& blocks, Count count) {
    std::vector<std::size_t> first(blocks.size() + 1);
    skerry::parallel_for(
        std::size_t{0}, blocks.size(), [&](std::size_t b) { first[b + 1] = count(blocks[b]); },
        skerry::grain::fixed(1));
    for (std::size_t b = 0; b != blocks.size(); ++b) first[b + 1] += first[b];
    return first;
}

} // namespace apps::input
