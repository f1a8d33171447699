// SPDX-License-Identifier: Apache-2.0
#include "base/port/plain_memory.hpp"

// glibc's other names for the same code. The last argument is the size of the object that is written.
// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier): others chose these names
extern "C" {
void* __memcpy_chk(void*, const void*, std::size_t, std::size_t);
void* __memmove_chk(void*, const void*, std::size_t, std::size_t);
void* __memset_chk(void*, int, std::size_t, std::size_t);
}
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier)

namespace {

// No limit, in a form that compilers cannot see through: Clang's code generator turns __memcpy_chk without a limit into
// memcpy, also under -fno-builtin, and a memcpy that ends in it then calls itself for ever.
std::size_t no_limit() noexcept {
    std::size_t size = ~std::size_t{0};
    asm("" : "+r"(size));
    return size;
}

} // namespace

extern "C" {

void* skerry_plain_memcpy(void* __restrict to, const void* __restrict from, std::size_t size) noexcept {
    return __memcpy_chk(to, from, size, no_limit());
}

void* skerry_plain_memmove(void* to, const void* from, std::size_t size) noexcept {
    return __memmove_chk(to, from, size, no_limit());
}

void* skerry_plain_memset(void* to, int value, std::size_t size) noexcept {
    return __memset_chk(to, value, size, no_limit());
}

} // extern "C"
