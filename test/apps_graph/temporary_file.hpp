// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace apps::testing_support {

/// A file with that content, gone when the test is over.
class temporary_file {
  public:
    explicit temporary_file(std::string_view content)
        : path_((std::filesystem::temp_directory_path() / "skerry-test-XXXXXX").string()) {
        const int fd = ::mkstemp(path_.data());
        std::FILE* const file = fd < 0 ? nullptr : ::fdopen(fd, "wb");
        if (file == nullptr) throw std::runtime_error("no temporary file");
        const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
        if (std::fclose(file) != 0 || !written) throw std::runtime_error("the temporary file cannot be written");
    }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    ~temporary_file() { std::filesystem::remove(path_); }

    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

} // namespace apps::testing_support
