// SPDX-License-Identifier: Apache-2.0
#pragma once

// Handwritten digits of eight by eight pixels, as the classifier learns and reads them.

#include "input/text.hpp"
#include "program.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace apps::digits {

inline constexpr std::size_t pixel_count = 64;
inline constexpr std::uint8_t darkest = 16;
inline constexpr std::size_t class_count = 10;

/// The label of what fills a block where there are no more images: it is like nothing.
inline constexpr std::uint8_t no_label = 255;

struct image {
    std::array<std::uint8_t, pixel_count> pixels; // 0 to darkest
    std::uint8_t label;                           // 0 to 9, or no_label

    friend bool operator==(const image&, const image&) = default;
};

/// Where tools/setup puts the 1,797 images of Debian's package python3-sklearn: skerry/digits.csv in the user's cache,
/// which is $XDG_CACHE_HOME, or else $HOME/.cache. Empty if neither is set.
std::string installed_images();

/// One image to a line: 64 pixels and the label, with commas between. Throws input_error "NAME:LINE: REASON".
std::vector<image> parse_images(const input::text& t);

/// The images of a file; of installed_images() if `path` is empty: throws input_missing if that is not there.
std::vector<image> read_images(const std::string& path);

/// The images that the options choose: those of the input, the first `train` of them if that is given; without an
/// input the first `preset`. Throws as read_images(), or input_error or usage_error if they are fewer than `least`, or
/// than were asked for.
std::vector<image> chosen_images(const options& o, std::size_t preset, std::size_t least);

} // namespace apps::digits
