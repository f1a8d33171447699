// SPDX-License-Identifier: Apache-2.0
// Gives every file of a corpus, and every prefix of it, to its target: `replay CORPUS`, with CORPUS/TARGET/FILE.
#include "targets.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

std::size_t replay(const fuzz::target& target, const std::filesystem::path& folder) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        for (std::size_t length = 0; length <= bytes.size(); ++length)
            target.run(std::string_view(bytes).substr(0, length));
        ++files;
    }
    std::printf("%s: %zu files\n", std::string(target.name).c_str(), files);
    return files;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
        return 2;
    }
    bool all = true;
    for (const fuzz::target& target : fuzz::targets)
        all = replay(target, std::filesystem::path(argv[1]) / target.name) > 0 && all;
    return all ? 0 : 1;
}
