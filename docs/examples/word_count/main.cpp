// SPDX-License-Identifier: Apache-2.0

// Counts the words of a file: word_count [FILE]. Each worker counts into a map of its own; the maps are merged at the
// end.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include <skerry/skerry.hpp>

using counts = std::map<std::string, long>;

bool in_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

counts merged(counts a, const counts& b) {
    for (const auto& [word, times] : b) a[word] += times;
    return a;
}

counts words_of(std::string_view text) {
    constexpr std::size_t piece = 4096;
    skerry::worker_local<counts> found;
    skerry::parallel_for(std::size_t{0}, (text.size() + piece - 1) / piece, [&](std::size_t p) {
        counts& mine = found.local();
        const std::size_t last = std::min(text.size(), (p + 1) * piece);
        for (std::size_t i = p * piece; i < last; ++i) {
            if (!in_word(text[i]) || (i != 0 && in_word(text[i - 1]))) continue; // only words that begin in this piece
            std::size_t end = i;
            while (end < text.size() && in_word(text[end])) ++end;
            ++mine[std::string(text.substr(i, end - i))];
        }
    });
    return found.combine(merged);
}

int main(int argc, char** argv) {
    std::string text;
    if (argc > 1) {
        std::ifstream file(argv[1]);
        if (!file) return std::fprintf(stderr, "cannot read %s\n", argv[1]), 1;
        text.assign(std::istreambuf_iterator<char>(file), {});
    } else {
        for (int i = 0; i < 100'000; ++i) text += "one fish, two fish, red fish, blue fish; ";
    }
    const counts all = words_of(text);
    const auto most = std::ranges::max_element(all, {}, [](const auto& entry) { return entry.second; });
    if (most != all.end())
        std::printf("%zu words; '%s' stands there %ld times\n", all.size(), most->first.c_str(), most->second);
    return argc > 1 || (most->first == "fish" && most->second == 400'000) ? 0 : 1;
}
