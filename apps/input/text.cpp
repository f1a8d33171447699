// SPDX-License-Identifier: Apache-2.0
#include "input/text.hpp"

#include "input/gzip.hpp"
#include "program.hpp"

#include <fcntl.h>
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

constexpr std::string_view utf_8_mark = "\xef\xbb\xbf";

struct signature {
    std::string_view bytes;
    std::string_view name;
};

constexpr std::array other_packers{
    signature{"BZh", "bzip2"},
    signature{"\xfd"
              "7zXZ",
              "xz"},
    signature{"\x28\xb5\x2f\xfd", "zstd"},
    signature{"\x04\x22\x4d\x18", "lz4"},
    signature{"\x1f\x9d", "compress"},
    signature{"PK\x03\x04", "zip"},
    signature{"7z\xbc\xaf\x27\x1c", "7-Zip"},
};

/// UTF-16 or UTF-32, if the text begins with its mark, or with two characters that UTF-8 has in one byte each. Else
/// empty.
std::string_view wide_form(std::string_view t) {
    using namespace std::string_view_literals;
    if (t.starts_with("\xff\xfe\0\0"sv) || t.starts_with("\0\0\xfe\xff"sv)) return "UTF-32";
    if (t.starts_with("\xff\xfe") || t.starts_with("\xfe\xff")) return "UTF-16";
    // Two units of that width, each with one byte that is not 0, at that place.
    const auto plain_units = [&](std::size_t width, std::size_t place) {
        for (std::size_t i = 0; i != 2 * width; ++i) {
            const bool plain = i < t.size() && t[i] >= '\t' && t[i] <= '~';
            if (i >= t.size() || (i % width == place ? !plain : t[i] != 0)) return false;
        }
        return true;
    };
    if (plain_units(4, 0) || plain_units(4, 3)) return "UTF-32";
    if (plain_units(2, 0) || plain_units(2, 1)) return "UTF-16";
    return {};
}

/// Whether a header of tar begins here (tar(5)).
bool is_tar(std::string_view bytes) {
    constexpr std::size_t place = 257;
    constexpr std::string_view mark = "ustar";
    return bytes.size() > place && bytes.substr(place).starts_with(mark);
}

} // namespace

text::text(std::string path) : name_(std::move(path)) {
    // O_NONBLOCK: opening a pipe that nobody writes to must not hang; it is rejected below.
    const descriptor file(::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status{};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail_with_errno(name_);
    if (S_ISDIR(status.st_mode)) throw input_error(name_ + ": a directory; give a file");
    if (!S_ISREG(status.st_mode)) throw input_error(name_ + ": not a regular file");
    if (status.st_size != 0) {
        memory_ = mapping::of_file(file.get(), static_cast<std::size_t>(status.st_size));
        if (memory_.size() == 0) fail_with_errno(name_);
        bytes_ = memory_.bytes();
        unpack();
    }
    if (bytes_.empty()) throw input_error(name_ + ":1: the file is empty");
}

text::text(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) { unpack(); }

void text::unpack() {
    if (is_gzip(bytes_)) {
        memory_ = unpack_gzip(name_, bytes_, memory_for_text());
        bytes_ = memory_.bytes();
    }
    for (const signature& s : other_packers) {
        if (!bytes_.starts_with(s.bytes)) continue;
        throw input_error(name_ + ": packed by " + std::string(s.name) +
                          "; unpack it first: only what gzip packs is read as it is");
    }
    if (is_tar(bytes_)) throw input_error(name_ + ": a tar archive; unpack it, and give one file of it");
    if (const std::string_view form = wide_form(bytes_); !form.empty()) {
        throw input_error(name_ + ": the text is " + std::string(form) + "; convert it to UTF-8 first, as iconv does");
    }
    if (bytes_.starts_with(utf_8_mark)) bytes_.remove_prefix(utf_8_mark.size());
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
