// SPDX-License-Identifier: Apache-2.0
#include "base/port/code.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include <dlfcn.h>
#include <link.h>

#include "base/port/symbols.hpp"
#include "base/text.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

// The main program, which the loader names first.
dl_phdr_info main_program() noexcept {
    dl_phdr_info found{};
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            *static_cast<dl_phdr_info*>(to) = *info;
            return 1;
        },
        &found);
    return found;
}

const dl_phdr_info& program() noexcept {
    static const dl_phdr_info found = main_program();
    return found;
}

// Whether it lies in a segment that is loaded with all of these permissions.
bool is_loaded(std::uint64_t offset, ElfW(Word) flags) noexcept {
    const std::span segments(program().dlpi_phdr, program().dlpi_phnum);
    return std::ranges::any_of(segments, [offset, flags](const auto& segment) {
        return segment.p_type == PT_LOAD && (segment.p_flags & flags) == flags && offset >= segment.p_vaddr &&
               offset - segment.p_vaddr < segment.p_memsz;
    });
}

std::span<const std::byte> bytes_of(const ElfW(Phdr) & segment) noexcept {
    return {reinterpret_cast<const std::byte*>(program().dlpi_addr + segment.p_vaddr), segment.p_memsz};
}

std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t hash) noexcept {
    for (const std::byte b : bytes) {
        hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100'0000'01b3; // FNV-1a
    }
    return hash;
}

// The build id among the notes of a segment; empty: it has none.
std::span<const std::byte> build_id_in(std::span<const std::byte> notes, std::size_t alignment) noexcept {
    const auto rounded = [alignment](std::size_t n) { return (n + alignment - 1) & ~(alignment - 1); };
    ElfW(Nhdr) head;
    while (notes.size() >= sizeof head) {
        std::memcpy(&head, notes.data(), sizeof head);
        const std::size_t name = sizeof head;
        const std::size_t text = rounded(name + head.n_namesz);
        if (text + head.n_descsz > notes.size()) {
            return {};
        }
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(&notes[name], "GNU", 4) == 0) {
            return notes.subspan(text, head.n_descsz);
        }
        notes = notes.subspan(std::min(text + rounded(head.n_descsz), notes.size()));
    }
    return {};
}

} // namespace

std::uint64_t program_identity() noexcept {
    constexpr std::uint64_t start = 0xcbf2'9ce4'8422'2325;
    const std::span segments(program().dlpi_phdr, program().dlpi_phnum);
    for (const auto& segment : segments) {
        if (segment.p_type == PT_NOTE) {
            if (const auto id = build_id_in(bytes_of(segment), segment.p_align == 8 ? 8 : 4); !id.empty()) {
                return hash_of(id, start);
            }
        }
    }
    std::uint64_t hash = start;
    for (const auto& segment : segments) {
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
            hash = hash_of(bytes_of(segment), hash);
        }
    }
    return hash;
}

std::optional<std::uint64_t> code_offset(std::uintptr_t address) noexcept {
    const std::uint64_t offset = address - program().dlpi_addr;
    return is_loaded(offset, PF_X) ? std::optional(offset) : std::nullopt;
}

std::optional<std::uintptr_t> code_address(std::uint64_t offset) noexcept {
    return is_loaded(offset, PF_X) ? std::optional<std::uintptr_t>(program().dlpi_addr + offset) : std::nullopt;
}

std::string describe_code(std::uintptr_t address) {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(address), &info) == 0 || info.dli_fname == nullptr) {
        detail::fixed_text<24> text;
        text << detail::hex{address};
        return std::string(text.view());
    }
    if (info.dli_sname != nullptr && reinterpret_cast<std::uintptr_t>(info.dli_saddr) == address) {
        return readable(info.dli_sname);
    }
    const std::string_view path = info.dli_fname;
    const std::optional<std::uint64_t> in_program = code_offset(address); // whose name is as it was called
    const std::string symbol =
        in_program ? function_at("/proc/self/exe", *in_program)
                   : function_at(info.dli_fname, address - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
    if (!symbol.empty()) {
        return readable(symbol.c_str());
    }
    detail::fixed_text<24> offset;
    offset << detail::hex{address - reinterpret_cast<std::uintptr_t>(info.dli_fbase)};
    return std::string(path.substr(path.rfind('/') + 1)).append("+").append(offset.view());
}

std::uint64_t program_offset(const void* address) noexcept {
    // At offset 0 is at most the program's header: no address of interest.
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(address) - program().dlpi_addr;
    return is_loaded(offset, 0) ? offset : 0;
}

const void* program_address(std::uint64_t offset) noexcept {
    return reinterpret_cast<const void*>(program().dlpi_addr + offset);
}

} // namespace skerry::inline SKERRY_ABI::port
