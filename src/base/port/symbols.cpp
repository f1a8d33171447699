// SPDX-License-Identifier: Apache-2.0
#include "base/port/symbols.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

// A file may be anything: what does not fit is not read.
class reader {
  public:
    explicit reader(const std::string& path) : file_(std::fopen(path.c_str(), "re"), &std::fclose) {}

    template <class T>
    [[nodiscard]] bool read(std::uint64_t at, T& to) {
        return read(at, &to, sizeof to);
    }
    template <class T>
    [[nodiscard]] bool read(std::uint64_t at, std::size_t bytes, std::vector<T>& to) {
        constexpr std::size_t most = std::size_t{256} << 20U;
        if (bytes > most) {
            return false;
        }
        to.resize(bytes / sizeof(T));
        return read(at, to.data(), to.size() * sizeof(T));
    }

  private:
    bool read(std::uint64_t at, void* to, std::size_t bytes) {
        return file_ != nullptr && std::fseek(file_.get(), static_cast<long>(at), SEEK_SET) == 0 &&
               std::fread(to, 1, bytes, file_.get()) == bytes;
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

} // namespace

std::string function_at(const std::string& path, std::uint64_t offset) {
    reader file(path);
    ElfW(Ehdr) head{};
    std::vector<ElfW(Shdr)> sections;
    constexpr unsigned char this_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (!file.read(0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != this_class || head.e_shentsize != sizeof(ElfW(Shdr)) ||
        !file.read(head.e_shoff, head.e_shnum * sizeof(ElfW(Shdr)), sections)) {
        return {};
    }
    for (const ElfW(Shdr) & table : sections) {
        std::vector<ElfW(Sym)> symbols;
        std::vector<char> names;
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size() ||
            !file.read(table.sh_offset, table.sh_size, symbols) ||
            !file.read(sections[table.sh_link].sh_offset, sections[table.sh_link].sh_size, names) || names.empty()) {
            continue;
        }
        names.back() = 0;
        for (const ElfW(Sym) & s : symbols) {
            if ((s.st_info & 0xfU) == STT_FUNC && s.st_value == offset && s.st_name < names.size()) {
                return &names[s.st_name];
            }
        }
    }
    return {};
}

std::string readable(const char* symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                           &std::free);
    return status == 0 && text != nullptr ? text.get() : symbol;
}

} // namespace skerry::inline SKERRY_ABI::port
