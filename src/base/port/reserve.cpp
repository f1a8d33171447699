// SPDX-License-Identifier: Apache-2.0
#include "base/port/reserve.hpp"

#include <cerrno>

#include <sys/mman.h>
#include <sys/resource.h>

#include "base/port/memory.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

// Free on x86-64 and arm64 with 47 and 48 bits, also under the address sanitizer: programs and their heap lie at
// 0x5555..., libraries and stacks at 0x7f... or 0xffff..., the sanitizer's shadow below 0x1100_0000_0000 and its heap
// at 0x6000.... The last two serve machines with fewer bits and processes under `ulimit -v`.
constexpr std::array usual_places{
    arena_place{0x2000'0000'0000, 1024 * gib}, arena_place{0x3000'0000'0000, 1024 * gib},
    arena_place{0x4000'0000'0000, 1024 * gib}, arena_place{0x2000'0000'0000, 16 * gib},
    arena_place{0x20'0000'0000, 16 * gib},     arena_place{0x20'0000'0000, 1 * gib},
};
constexpr std::array places_under_thread_sanitizer{
    arena_place{0x10'0000'0000, 256 * gib},
    arena_place{0x10'0000'0000, 16 * gib},
};
static_assert(usual_places.size() <= most_arena_places);

void* pointer(std::uint64_t address) noexcept { return reinterpret_cast<void*>(address); }

} // namespace

std::span<const arena_place> arena_places() noexcept {
    if constexpr (addresses_may_be_tried) {
        return usual_places;
    } else {
        return places_under_thread_sanitizer;
    }
}

bool reserve_at(std::uint64_t address, std::uint64_t bytes) noexcept {
    void* const begin = ::mmap(pointer(address), bytes, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (begin == MAP_FAILED) {
        return false;
    }
    if (begin != pointer(address)) { // a kernel that does not know the flag takes the address for a wish
        ::munmap(begin, bytes);
        errno = EEXIST;
        return false;
    }
    ::madvise(begin, bytes, MADV_DONTDUMP);
    return true;
}

void release_reserved(std::uint64_t address, std::uint64_t bytes) noexcept { ::munmap(pointer(address), bytes); }

bool commit(void* begin, std::size_t bytes) noexcept {
    if (!allow_access(begin, bytes)) {
        return false;
    }
    const int saved = errno; // a page that is missing from a core dump is no failure
    ::madvise(begin, bytes, MADV_DODUMP);
    errno = saved;
    return true;
}

bool protect(void* begin, std::size_t bytes, access allowed) noexcept {
    const int rights = allowed == access::none   ? PROT_NONE
                       : allowed == access::read ? PROT_READ
                                                 : PROT_READ | PROT_WRITE;
    return ::mprotect(begin, bytes, rights) == 0;
}

void release(void* begin, std::size_t bytes) noexcept { ::madvise(begin, bytes, MADV_DONTNEED); }

std::uint64_t address_space_limit() noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return UINT64_MAX;
    }
    return limit.rlim_cur;
}

} // namespace skerry::inline SKERRY_ABI::port
