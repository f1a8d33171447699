// SPDX-License-Identifier: Apache-2.0
#include "base/port/shared_memory.hpp"

#include <cerrno>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace skerry::inline SKERRY_ABI::port {

int make_shared_memory(const char* label, std::size_t bytes) noexcept {
    const int descriptor = ::memfd_create(label, 0);
    if (descriptor >= 0 && ::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
        const int why = errno;
        ::close(descriptor);
        errno = why;
        return -1;
    }
    return descriptor;
}

std::size_t shared_memory_size(int descriptor) noexcept {
    struct stat about{};
    return ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0
               ? static_cast<std::size_t>(about.st_size)
               : 0;
}

void* map_shared(int descriptor, std::size_t bytes) noexcept {
    void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return begin == MAP_FAILED ? nullptr : begin;
}

void unmap_shared(void* begin, std::size_t bytes) noexcept { ::munmap(begin, bytes); }

void close_shared_memory(int descriptor) noexcept { ::close(descriptor); }

} // namespace skerry::inline SKERRY_ABI::port
