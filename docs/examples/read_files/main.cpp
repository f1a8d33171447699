// SPDX-License-Identifier: Apache-2.0

// Reads many files at a time and adds up their bytes: read_files [FILE...]. Reading blocks in the system, so it stands
// in blocking(); adding up is work for the workers.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <skerry/skerry.hpp>

std::string contents(const std::filesystem::path& path) {
    return skerry::blocking([&] { // other threads work meanwhile
        std::ifstream file(path, std::ios::binary);
        std::string bytes{std::istreambuf_iterator<char>(file), {}};
        if (!file.is_open() || file.bad()) throw std::runtime_error("cannot read " + path.string());
        return bytes;
    });
}

std::uint64_t sum_of(const std::string& bytes) {
    return skerry::parallel_transform_reduce(bytes, std::uint64_t{0}, std::plus<>(),
                                             [](char c) { return std::uint64_t{static_cast<unsigned char>(c)}; });
}

int main(int argc, char** argv) {
    std::vector<std::filesystem::path> paths(argv + 1, argv + argc);
    if (paths.empty())
        for (const auto& entry : std::filesystem::directory_iterator("/usr/include"))
            if (entry.is_regular_file()) paths.push_back(entry.path());
    std::vector<std::uint64_t> sums(paths.size());
    try {
        skerry::parallel_for(
            std::size_t{0}, paths.size(), [&](std::size_t i) { sums[i] = sum_of(contents(paths[i])); },
            skerry::grain::fixed(1));   // each file is a task
    } catch (const std::exception& e) { // of the first file that fails, in the order of the list
        std::fprintf(stderr, "read_files: %s\n", e.what());
        return 1;
    }
    std::printf("%zu files, sum %ju\n", paths.size(), std::uintmax_t{skerry::parallel_reduce(sums)});
}
