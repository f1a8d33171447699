// SPDX-License-Identifier: Apache-2.0
#include "base/port/thread_area.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <asm/prctl.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/port/stack_guard.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

constexpr std::size_t furthest = std::size_t{1} << 20; // static blocks lie this near to the thread pointer
constexpr unsigned long fsgsbase = 2;                  // in AT_HWCAP2: the kernel lets programs use the instruction

struct survey {
    char* pointer;
    std::size_t below = 0;
    char* program = nullptr; // the program's own block, and what a new thread finds in it
    std::size_t program_size = 0;
    const void* image = nullptr;
    std::size_t image_size = 0;
};

int visit(dl_phdr_info* info, std::size_t size, void* argument) {
    auto& found = *static_cast<survey*>(argument);
    if (size < offsetof(dl_phdr_info, dlpi_tls_data) + sizeof info->dlpi_tls_data || info->dlpi_tls_data == nullptr) {
        return 0;
    }
    auto* const block = static_cast<char*>(info->dlpi_tls_data);
    if (block >= found.pointer || static_cast<std::size_t>(found.pointer - block) > furthest) {
        return 0; // a block that was made later: reached through the table
    }
    found.below = std::max(found.below, static_cast<std::size_t>(found.pointer - block));
    if (info->dlpi_name[0] != '\0') {
        return 0;
    }
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& header = info->dlpi_phdr[i];
        if (header.p_type == PT_TLS) {
            found.program = block;
            found.program_size = header.p_memsz;
            found.image = reinterpret_cast<const void*>(info->dlpi_addr + header.p_vaddr);
            found.image_size = header.p_filesz;
        }
    }
    return 0;
}

survey look() {
    survey found{.pointer = static_cast<char*>(thread_pointer())};
    ::dl_iterate_phdr(visit, &found);
    return found;
}

// The C library tells debuggers how large its record of a thread is.
std::size_t record_size() {
    const void* const told = ::dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread");
    std::uint32_t size = 0;
    if (told != nullptr) {
        std::memcpy(&size, told, sizeof size);
    }
    return size >= 0x400 && size <= 0x4000 ? size : 0x700;
}

} // namespace

const bool fast_thread_pointer = (::getauxval(AT_HWCAP2) & fsgsbase) != 0;

void set_thread_pointer_slowly(void* pointer) noexcept { ::syscall(SYS_arch_prctl, ARCH_SET_FS, pointer); }

thread_area_size measure_thread_area() { return {.below = look().below, .above = record_size()}; }

void copy_thread_area(void* pointer) {
    const survey from = look();
    auto* const to = static_cast<char*>(pointer);
    std::memcpy(to - from.below, from.pointer - from.below, from.below + record_size());
    if (from.program != nullptr) {
        char* const own = to - (from.pointer - from.program);
        std::memset(own, 0, from.program_size);
        std::memcpy(own, from.image, from.image_size);
    }
    // The first word is the pointer itself; compilers take addresses of variables from it.
    std::memcpy(to, static_cast<const void*>(&pointer), sizeof pointer);
}

void* in_thread_area(void* pointer, const void* variable) noexcept {
    return static_cast<char*>(pointer) + (static_cast<const char*>(variable) - static_cast<char*>(thread_pointer()));
}

void share_stack_guard(void* pointer) noexcept {
    const stack_guard*& own = declared_stack_guard();
    *static_cast<const stack_guard**>(in_thread_area(pointer, static_cast<const void*>(&own))) = own;
}

} // namespace skerry::inline SKERRY_ABI::port
