// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "digits/image.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace apps::kernels {

/// In how many parts the images lie: that of image k is k modulo folds. The neighbour of an image is of another part.
inline constexpr std::int32_t folds = 5;

/// The distance of two images: the sum of the squares of the differences of their pixels.
std::int64_t square_distance(const digits::image& a, const digits::image& b) noexcept;

/// How many of the images have the label of their neighbour. Precondition: `found` are numbers of images.
std::size_t count_right(const std::vector<digits::image>& images, std::span<const std::int32_t> found) noexcept;

/// Whether found[k] is the first of the images of other parts that is nearest to image k, for each k; and whether 98 of
/// 100 have its label, if they are all the images that are known.
verdict neighbours(const std::vector<digits::image>& images, std::span<const std::int32_t> found);

} // namespace apps::kernels
