// SPDX-License-Identifier: Apache-2.0
#include "fake_root.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace skerry_test {

fake_root::fake_root() : path_((std::filesystem::temp_directory_path() / "skerry-root-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) {
        throw std::system_error(errno, std::generic_category(), path_);
    }
}

fake_root::~fake_root() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

fake_root& fake_root::file(const std::string& path, const std::string& content) {
    const std::filesystem::path full = path_ + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << content;
    return *this;
}

} // namespace skerry_test
