// SPDX-License-Identifier: Apache-2.0
#pragma once

// What makes a classifier right, without the code that trained it.

#include "digits/image.hpp"
#include "program.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace apps::digits {

inline constexpr std::size_t folds = 5;
inline constexpr std::size_t all_images = 1797;

/// One of the five trials: image i is put to the classifier of fold i mod 5, which has learned from all the others.
struct trial {
    std::vector<double> weights;       ///< class_count for each example, in the order of the images
    std::vector<std::uint8_t> decided; ///< the class found for each image of the fold, in their order
};

/// How many images were classed as labelled.
std::size_t count_right(std::span<const image> images, std::span<const trial> trials);

/// Each trial's weights solve (K + ridge I) W = Y: the residual's norm is at most 1e-10 of Y's (Frobenius). Each
/// decision is the class that these weights favour. Of the 1,797 images 98 % are classed as labelled; of another
/// number, half.
verdict classifier(std::span<const image> images, std::span<const trial> trials);

} // namespace apps::digits
