// SPDX-License-Identifier: Apache-2.0
#include "input/picture.hpp"

#include "input/scan.hpp"
#include "program.hpp"
#include "support/cache.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace apps::input {

namespace {

constexpr std::uint64_t longest_side = std::uint64_t{1} << 20;
constexpr std::int64_t brightest = 255;

/// The words before the pixels: white space and comments from # to the end of the line stand between.
class picture_header {
  public:
    explicit picture_header(const text& t) : text_(t) {}

    std::string_view word() {
        const std::string_view all = text_.bytes();
        while (at_ < all.size() && (is_space(all[at_]) || all[at_] == '#')) {
            at_ = all[at_] == '#' ? std::min(all.find('\n', at_), all.size()) : at_ + 1;
        }
        begin_ = at_;
        while (at_ < all.size() && !is_space(all[at_])) ++at_;
        return all.substr(begin_, at_ - begin_);
    }
    std::size_t number(const char* what, std::int64_t least, std::uint64_t most) {
        const std::string_view found = word();
        std::uint64_t value = 0;
        if (!read_number(found, most, value) || value < static_cast<std::uint64_t>(least)) {
            text_.fail(begin_, what + why_no_number(found, least, most));
        }
        return static_cast<std::size_t>(value);
    }
    std::size_t begin() const { return begin_; }
    std::size_t end() const { return at_; }

  private:
    const text& text_;
    std::size_t begin_ = 0;
    std::size_t at_ = 0;
};

} // namespace

picture::picture(text t) : text_(std::move(t)) {
    picture_header h(text_);
    if (const std::string_view magic = h.word(); magic != "P6") {
        text_.fail(0, "a PPM begins with P6, this with " + quoted(magic));
    }
    width_ = h.number("width: ", 1, longest_side);
    height_ = h.number("height: ", 1, longest_side);
    h.number("brightest value: ", brightest, brightest);
    const std::size_t first = std::min(h.end() + 1, text_.bytes().size()); // one byte of white space
    const std::size_t bytes = 3 * width_ * height_;
    if (text_.bytes().size() - first != bytes) {
        text_.fail(h.begin(), std::to_string(width_) + " x " + std::to_string(height_) + " pixels are " +
                                  std::to_string(bytes) + " bytes, here are " +
                                  std::to_string(text_.bytes().size() - first));
    }
    pixels_ = reinterpret_cast<const std::uint8_t*>(text_.bytes().data() + first);
}

std::string installed_photograph(std::string_view name) {
    const std::string folder = cache_folder();
    return folder.empty() ? folder : folder + "/photographs/" + std::string(name) + ".ppm";
}

picture read_picture(const std::string& name) {
    if (std::ranges::find(photographs, name) == photographs.end() || std::filesystem::exists(name)) {
        return picture(text(name));
    }
    const std::string path = installed_photograph(name);
    if (path.empty() || !std::filesystem::exists(path)) {
        throw input_missing((path.empty() ? name + ".ppm" : path) +
                            ": not found; 'tools/setup run' fetches the photographs, --input names a PPM of your own");
    }
    return picture(text(path));
}

} // namespace apps::input
