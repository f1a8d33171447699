// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is fuzzed: each target takes any bytes. It must come back, and must have kept the promises it checks; a broken
// one aborts. Used by libFuzzer, and by a plain program that replays a corpus.

#include <array>
#include <string_view>

namespace fuzz {

struct target {
    std::string_view name;
    void (*run)(std::string_view bytes);
};

/// Any bytes as a graph file of whatever form it says it has.
void graph_file(std::string_view bytes);

/// Four texts, cut at bytes of value 1, as WordNet's data files.
void wordnet_files(std::string_view bytes);

/// Any bytes as the images of handwritten digits.
void images_file(std::string_view bytes);

/// A captured frame behind two bytes: its link, how much of it was not captured, and the pass.
void packet_frame(std::string_view bytes);

inline constexpr std::array targets{target{"graph", graph_file}, target{"wordnet", wordnet_files},
                                    target{"images", images_file}, target{"packet", packet_frame}};

} // namespace fuzz
