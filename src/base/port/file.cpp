// SPDX-License-Identifier: Apache-2.0
#include "base/port/file.hpp"

#include <cerrno>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/port/clock.hpp"
#include "base/port/thread.hpp"

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

file_lock::file_lock(std::FILE* file, std::uint64_t most_ns) : descriptor_(::fileno(file)) {
    std::uint64_t since = now_ns();
    off_t size = 0;
    while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
        struct stat info{};
        if (::fstat(descriptor_, &info) == 0 && std::exchange(size, info.st_size) != info.st_size) {
            since = now_ns();
        } else if (now_ns() - since > most_ns) {
            throw std::runtime_error("others hold its lock and have written nothing for " +
                                     std::to_string(most_ns / 1'000'000) + " ms: is one of them stopped?");
        }
        sleep_ns(1'000'000);
    }
}

file_lock::~file_lock() { ::flock(descriptor_, LOCK_UN); }

bool directory_exists(const std::string& path) noexcept {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

} // namespace skerry::inline SKERRY_ABI::port
