// SPDX-License-Identifier: Apache-2.0

#include "failing_allocator.hpp"

#include <cstdlib>
#include <new>

namespace skerry::test {

std::atomic<long> fail_after{never};
std::atomic<bool> without_memory{false};
std::atomic<long> live{0};
std::atomic<long> made{0};

namespace {

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    long left = fail_after;
    while (left != never && !fail_after.compare_exchange_weak(left, left - 1)) {
    }
    if (left == 0 || without_memory) {
        return nullptr;
    }
    void* const p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    live += p != nullptr ? 1 : 0;
    made += size > 256 && size <= 1024 && size % 64 == 0 && alignment == 64 ? 1 : 0;
    return p;
}

void release(void* p) noexcept {
    live -= p != nullptr ? 1 : 0;
    std::free(p);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
    if (void* const p = allocate(size == 0 ? 1 : size, alignment)) {
        return p;
    }
    throw std::bad_alloc();
}

} // namespace
} // namespace skerry::test

using namespace skerry::test;

void* operator new(std::size_t size) { return allocate_or_throw(size, 16); }
void* operator new(std::size_t size, std::align_val_t a) {
    return allocate_or_throw(size, static_cast<std::size_t>(a));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 16); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 16); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 16); }
void operator delete(void* p) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { release(p); }
