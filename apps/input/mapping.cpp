// SPDX-License-Identifier: Apache-2.0
#include "input/mapping.hpp"

#include <sys/mman.h>

namespace apps::input {

mapping mapping::of_file(int file, std::size_t size) noexcept {
    void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    return start == MAP_FAILED ? mapping() : mapping(static_cast<char*>(start), size);
}

mapping::~mapping() {
    if (data_ != nullptr) ::munmap(data_, size_);
}

bool mapping::resize(std::size_t size) noexcept {
    void* const start = data_ == nullptr
                            ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                            : ::mremap(data_, size_, size, MREMAP_MAYMOVE);
    if (start == MAP_FAILED) return false;
    data_ = static_cast<char*>(start);
    size_ = size;
    return true;
}

} // namespace apps::input
