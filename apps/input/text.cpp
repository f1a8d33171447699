// SPDX-License-Identifier: Apache-2.0
#include "input/text.hpp"

#include "program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace apps::input {
namespace {

class descriptor {
  public:
    explicit descriptor(int fd) : fd_(fd) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_;
};

[[noreturn]] void fail_with_errno(const std::string& name) {
    throw input_error(name + ": " + std::generic_category().message(errno));
}

} // namespace

text::text(std::string path) : name_(std::move(path)) {
    // O_NONBLOCK: opening a pipe that nobody writes to must not hang; it is rejected below.
    const descriptor file(::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status{};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail_with_errno(name_);
    if (!S_ISREG(status.st_mode)) throw input_error(name_ + ": not a regular file");
    if (status.st_size == 0) throw input_error(name_ + ":1: the file is empty");
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (start == MAP_FAILED) fail_with_errno(name_);
    bytes_ = {static_cast<const char*>(start), size};
    mapped_ = true;
}

text::text(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) {}

text::text(text&& other) noexcept
    : name_(std::move(other.name_)),
      bytes_(other.bytes_),
      mapped_(std::exchange(other.mapped_, false)) {}

text::~text() {
    if (mapped_) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void text::fail(std::size_t offset, const std::string& reason) const {
    // The newline that ends the last line begins no further one.
    const std::size_t last = bytes_.empty() ? 0 : bytes_.size() - 1;
    const auto before = bytes_.substr(0, std::min(offset, last));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    throw input_error(name_ + ":" + std::to_string(line) + ": " + reason);
}

std::string quoted(std::string_view token) {
    constexpr std::size_t longest = 40;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result = "'";
    for (const char c : token.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f)
            result += c;
        else
            result += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
    }
    return result + (token.size() > longest ? "...'" : "'");
}

} // namespace apps::input
