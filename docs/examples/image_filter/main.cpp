// SPDX-License-Identifier: Apache-2.0

// Blurs a grey image by the mean of 5 x 5 pixels and writes it: image_filter [OUT.pgm]. One source, compiled for
// workers and for the serial elision; both give the same pixels.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <vector>

#include <skerry/serial.hpp>
#include <skerry/skerry.hpp>

struct image {
    std::ptrdiff_t height, width;
    std::vector<unsigned char> pixels;

    unsigned char& at(std::ptrdiff_t y, std::ptrdiff_t x) { return pixels[static_cast<std::size_t>(y * width + x)]; }
    unsigned char at(std::ptrdiff_t y, std::ptrdiff_t x) const {
        return pixels[static_cast<std::size_t>(y * width + x)];
    }
};

unsigned char mean_around(const image& in, std::ptrdiff_t y, std::ptrdiff_t x) {
    int sum = 0;
    for (std::ptrdiff_t dy = -2; dy <= 2; ++dy)
        for (std::ptrdiff_t dx = -2; dx <= 2; ++dx)
            sum += in.at(std::clamp(y + dy, std::ptrdiff_t{0}, in.height - 1),
                         std::clamp(x + dx, std::ptrdiff_t{0}, in.width - 1));
    return static_cast<unsigned char>(sum / 25);
}

// Loop is skerry::parallel_for or skerry::serial::parallel_for. The box is halved until pieces fit into the caches.
template <class Loop>
image blurred(const image& in, const Loop& loop) {
    image out{in.height, in.width, std::vector<unsigned char>(in.pixels.size())};
    loop(skerry::box<2>{{0, 0}, {in.height, in.width}},
         [&](std::ptrdiff_t y, std::ptrdiff_t x) { out.at(y, x) = mean_around(in, y, x); });
    return out;
}

int main(int argc, char** argv) {
    constexpr std::ptrdiff_t height = 480, width = 640;
    image in{height, width, std::vector<unsigned char>(height * width)};
    for (std::ptrdiff_t y = 0; y < height; ++y)
        for (std::ptrdiff_t x = 0; x < width; ++x) in.at(y, x) = static_cast<unsigned char>(x * y);
    const image out = blurred(in, skerry::parallel_for);
    if (argc > 1) {
        std::ofstream file(argv[1], std::ios::binary);
        file << "P5\n" << out.width << ' ' << out.height << "\n255\n";
        file.write(reinterpret_cast<const char*>(out.pixels.data()), static_cast<std::streamsize>(out.pixels.size()));
        if (!file.flush()) return std::fprintf(stderr, "cannot write %s\n", argv[1]), 1;
    }
    const bool same = out.pixels == blurred(in, skerry::serial::parallel_for).pixels;
    std::printf("%td x %td pixels, %s the serial elision\n", out.width, out.height, same ? "as" : "NOT as");
    return same ? 0 : 1;
}
