// SPDX-License-Identifier: Apache-2.0

// Adds up the sizes of all files below a folder: tree_walk [FOLDER]. Each folder is a task that begins those of the
// folders in it; one finish waits for all.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <skerry/skerry.hpp>

namespace fs = std::filesystem;

struct totals {
    std::atomic<std::uintmax_t> bytes = 0, files = 0, unreadable = 0;
};

void walk(skerry::scope& all, const fs::path& folder, totals& sum) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_symlink(ignored)) continue;
        if (entry->is_directory(ignored)) {
            all.async([&all, &sum, below = entry->path()] { walk(all, below, sum); }); // waits for nothing here
        } else if (entry->is_regular_file(ignored)) {
            sum.bytes += entry->file_size(ignored);
            ++sum.files;
        }
    }
    if (error) ++sum.unreadable;
}

int main(int argc, char** argv) {
    const fs::path top = argc > 1 ? argv[1] : "/usr/include";
    totals sum;
    skerry::finish([&](skerry::scope& all) { walk(all, top, sum); }); // returns when the whole tree was visited
    std::printf("%s: %ju files, %ju bytes, %ju folders cannot be read\n", top.c_str(), sum.files.load(),
                sum.bytes.load(), sum.unreadable.load());
    return argc > 1 || sum.files > 0 ? 0 : 1;
}
