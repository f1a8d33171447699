// SPDX-License-Identifier: Apache-2.0
#include "base/port/file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

class descriptor {
  public:
    explicit descriptor(const char* path) noexcept : value_(::open(path, O_RDONLY | O_CLOEXEC)) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() {
        if (value_ >= 0) {
            ::close(value_);
        }
    }
    int value() const noexcept { return value_; }

  private:
    int value_;
};

} // namespace

std::optional<std::string> read_small_file(const std::string& path) {
    constexpr std::size_t most = 1024 * 1024;
    const descriptor file(path.c_str());
    std::string content;
    char block[4096];
    while (file.value() >= 0 && content.size() <= most) {
        const ssize_t n = ::read(file.value(), block, sizeof block);
        if (n > 0) {
            content.append(block, static_cast<std::size_t>(n));
        } else if (n == 0) {
            return content;
        } else if (errno != EINTR) {
            break;
        }
    }
    return std::nullopt;
}

file_lock::file_lock(std::FILE* file) noexcept : descriptor_(::fileno(file)) {
    while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
}

file_lock::~file_lock() { ::flock(descriptor_, LOCK_UN); }

bool directory_exists(const std::string& path) noexcept {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

} // namespace skerry::inline SKERRY_ABI::port
