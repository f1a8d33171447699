// SPDX-License-Identifier: Apache-2.0
#pragma once

// Photographs as portable pixmaps (PPM, the binary form P6, 8 bits a colour).

#include "input/text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace apps::input {

/// The two photographs of Debian's package python3-sklearn, which tools/setup unpacks.
inline constexpr std::array<std::string_view, 2> photographs{"china", "flower"};

/// Thread safety: constant after construction.
class picture {
  public:
    /// Throws input_error "NAME:LINE: REASON".
    explicit picture(text t);

    std::size_t width() const noexcept { return width_; }
    std::size_t height() const noexcept { return height_; }

    /// Red, green and blue.
    std::span<const std::uint8_t, 3> pixel(std::size_t row, std::size_t column) const noexcept {
        return std::span<const std::uint8_t, 3>(pixels_ + 3 * (row * width_ + column), 3);
    }

  private:
    text text_;
    std::size_t width_ = 0;
    std::size_t height_ = 0;
    const std::uint8_t* pixels_ = nullptr;
};

/// Where tools/setup puts a photograph: skerry/photographs/NAME.ppm in the user's cache. Empty if there is none.
std::string installed_photograph(std::string_view name);

/// The photograph of that name, or a file. Throws input_missing if it is a photograph that is not there, or as the
/// constructor.
picture read_picture(const std::string& name);

} // namespace apps::input
