// SPDX-License-Identifier: Apache-2.0
#pragma once

// WordNet's relations as a graph: a vertex for each synset (a set of words with one meaning), an edge for each pointer
// from one synset to another. Read from the four data files of WordNet 3 (their form: wndb(5WN)).

#include "graph/csr.hpp"
#include "input/scan.hpp"
#include "input/text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace apps::input {

/// Where Debian's package wordnet-base puts the data files.
inline constexpr std::string_view wordnet_folder = "/usr/share/wordnet";

/// Thread safety: constant after construction.
class wordnet {
  public:
    static constexpr std::array<std::string_view, 4> file_names{"data.noun", "data.verb", "data.adj", "data.adv"};

    /// Whether one of those files is in the folder.
    static bool is_in(const std::string& folder);

    /// Maps and parses FOLDER/data.{noun,verb,adj,adv}, in parallel. Throws input_missing if the first is not there,
    /// input_error if a file cannot be read or is malformed.
    explicit wordnet(const std::string& folder, std::size_t block_bytes = default_block_bytes);

    /// The same from texts, in the order of file_names.
    explicit wordnet(std::vector<text> files, std::size_t block_bytes = default_block_bytes);

    std::size_t synsets() const noexcept { return first_word_.size() - 1; }
    std::size_t pointers() const noexcept { return pointers_.size(); }

    /// One edge for each pointer.
    graph::edge_list edges() const;

    /// The words of a synset: '_' stands for a space; the marker of an adjective's position is dropped. At least one.
    std::span<const std::string_view> words(graph::vertex synset) const;

    /// The synsets that hold a word, ascending; upper and lower case are the same, and so are '_' and ' '. O(words).
    std::vector<graph::vertex> find(std::string_view word) const;

    /// What the second of two joined synsets is to the first: "hypernym". Empty if no pointer joins them.
    std::string_view relation(graph::vertex from, graph::vertex to) const;

  private:
    struct pointer {
        graph::vertex to;
        std::array<char, 2> symbol; ///< the second is 0 in a symbol of one character
    };
    struct raw_pointer;
    struct parsed_block;

    static flaw parse_block(const text& t, std::size_t file, block b, parsed_block& into);
    void append(const parsed_block& b);
    flaw resolve(const text& t, const std::vector<raw_pointer>& raw, block range);

    std::vector<text> files_;
    std::array<std::size_t, 5> first_synset_{}; ///< of each file; the last element is the total
    std::vector<std::uint32_t> offset_;         ///< of each synset in its file, ascending within a file
    std::vector<std::size_t> first_word_;       ///< of each synset, in word_; one more than synsets
    std::vector<std::size_t> first_pointer_;    ///< of each synset, in pointers_; one more than synsets
    std::vector<std::string_view> word_;        ///< refer to files_
    std::vector<pointer> pointers_;
};

/// A word of WordNet for a person: '_' becomes a space.
std::string readable(std::string_view word);

} // namespace apps::input
