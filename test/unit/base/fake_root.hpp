// SPDX-License-Identifier: Apache-2.0
#pragma once

// A made-up file tree, removed at the end.

#include <string>

namespace skerry_test {

class fake_root {
  public:
    fake_root();
    fake_root(const fake_root&) = delete;
    fake_root& operator=(const fake_root&) = delete;
    ~fake_root();

    // Writes a file and makes its folders. `path` begins with a slash.
    fake_root& file(const std::string& path, const std::string& content);

    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

} // namespace skerry_test
