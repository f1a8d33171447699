// SPDX-License-Identifier: Apache-2.0
#include "digits/image.hpp"

#include "input/scan.hpp"
#include "program.hpp"
#include "support/cache.hpp"

#include <algorithm>
#include <filesystem>

namespace apps::digits {

namespace {

constexpr std::size_t numbers_per_line = pixel_count + 1;

std::string_view trimmed(std::string_view word) {
    while (!word.empty() && input::is_space(word.front())) word.remove_prefix(1);
    while (!word.empty() && input::is_space(word.back())) word.remove_suffix(1);
    return word;
}

std::uint8_t number(const input::text& t, std::string_view word, const char* what, std::uint8_t most) {
    std::uint64_t value = 0;
    if (!input::read_number(word, most, value)) {
        t.fail(static_cast<std::size_t>(word.data() - t.bytes().data()),
               std::string(what) + input::why_no_number(word, 0, most));
    }
    return static_cast<std::uint8_t>(value);
}

image parse_line(const input::text& t, std::string_view line) {
    const auto numbers = 1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
    if (numbers != numbers_per_line) {
        t.fail(static_cast<std::size_t>(line.data() - t.bytes().data()),
               "64 pixels and a label are 65 numbers, here are " + std::to_string(trimmed(line).empty() ? 0 : numbers));
    }
    image result{};
    for (std::uint8_t& pixel : result.pixels) {
        const std::size_t comma = line.find(',');
        pixel = number(t, trimmed(line.substr(0, comma)), "pixel: ", darkest);
        line.remove_prefix(comma + 1);
    }
    result.label = number(t, trimmed(line), "label: ", class_count - 1);
    return result;
}

} // namespace

std::string installed_images() {
    const std::string folder = cache_folder();
    return folder.empty() ? folder : folder + "/digits.csv";
}

std::vector<image> parse_images(const input::text& t) {
    std::vector<image> images;
    for (std::size_t at = 0; at < t.bytes().size();) {
        const std::size_t end = std::min(t.bytes().find('\n', at), t.bytes().size());
        images.push_back(parse_line(t, t.bytes().substr(at, end - at)));
        at = end + 1;
    }
    return images;
}

std::vector<image> read_images(const std::string& path) {
    const std::string from = path.empty() ? installed_images() : path;
    if (path.empty() && (from.empty() || !std::filesystem::exists(from))) {
        throw input_missing((from.empty() ? "digits.csv" : from) +
                            ": not found; 'tools/setup run' fetches the images, --input names a file of your own");
    }
    return parse_images(input::text(from));
}

std::vector<image> chosen_images(const options& o, std::size_t preset, std::size_t least) {
    std::vector<image> images = read_images(o.input);
    if (images.size() < least) {
        throw input_error(o.input + ": five folds need 5 images, the file has " + std::to_string(images.size()));
    }
    const std::size_t wanted = o.train != 0 ? o.train : o.input.empty() ? preset : images.size();
    if (wanted < least || wanted > images.size()) {
        throw usage_error("--train " + std::to_string(wanted) + " is out of range: " + std::to_string(least) + " to " +
                          std::to_string(images.size()) + ", the images of the file");
    }
    images.resize(wanted);
    return images;
}

} // namespace apps::digits
