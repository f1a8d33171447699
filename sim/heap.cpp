// SPDX-License-Identifier: Apache-2.0
#include "sim/heap.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "base/panic.hpp"
#include "base/port/fixed_memory.hpp"
#include "base/port/memory.hpp"
#include "sim/engine.hpp"

// The C library's own heap, under the names that it keeps for those who replace the others.
// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier): others chose these names
extern "C" {
void* __libc_malloc(std::size_t);
void __libc_free(void*);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier)

namespace skerry_sim::detail {

namespace {

namespace port = skerry::port;

constexpr std::uintptr_t base = 0x3100'0000'0000;
constexpr std::size_t span = std::size_t{64} << 10;
constexpr std::size_t largest_small = span / 2;

// Sizes 16, 32, ... 128, then four steps per doubling.
constexpr unsigned class_of(std::size_t size) noexcept {
    if (size <= 128) {
        return size == 0 ? 0 : static_cast<unsigned>((size - 1) / 16);
    }
    const auto power = static_cast<unsigned>(std::bit_width(size - 1)) - 1; // 2^power < size <= 2^(power + 1)
    const auto step = static_cast<unsigned>((size - 1) >> (power - 2)) - 4;
    return 8 + (power - 7) * 4 + step;
}
constexpr std::size_t size_of(unsigned size_class) noexcept {
    if (size_class < 8) {
        return (std::size_t{size_class} + 1) * 16;
    }
    const unsigned power = (size_class - 8) / 4 + 7;
    return (std::size_t{(size_class - 8) % 4} + 5) << (power - 2);
}
constexpr unsigned classes = class_of(largest_small) + 1;
static_assert(size_of(class_of(129)) == 160 && size_of(class_of(160)) == 160 && size_of(class_of(161)) == 192);
static_assert(size_of(classes - 1) == largest_small && class_of(128) == 7 && class_of(256) == 11);

enum class kind : std::uint8_t { free, large, continued, small }; // `small` + class

struct block {
    block* next;
};

struct arena {
    std::size_t bytes = 0;
    std::size_t used = 0; // spans that were ever handed out
    std::size_t live = 0; // blocks
    std::uint8_t* kinds = nullptr;
    block* blocks[classes] = {};
};

constinit arena heap;

bool in_arena(const void* p) noexcept { return reinterpret_cast<std::uintptr_t>(p) - base < heap.bytes; }
void* address_of(std::size_t s) noexcept { return reinterpret_cast<void*>(base + s * span); }
std::size_t span_of(const void* p) noexcept { return (reinterpret_cast<std::uintptr_t>(p) - base) / span; }

// First fit among the free spans, then fresh ones.
void* take_spans(std::size_t count, std::uint8_t first_kind) noexcept {
    std::size_t run = 0;
    for (std::size_t s = 0; s < heap.used; ++s) {
        run = heap.kinds[s] == static_cast<std::uint8_t>(kind::free) ? run + 1 : 0;
        if (run == count) {
            std::memset(heap.kinds + s + 1 - count, static_cast<int>(kind::continued), count);
            heap.kinds[s + 1 - count] = first_kind;
            return address_of(s + 1 - count);
        }
    }
    const std::size_t first = heap.used - run;
    if (first + count > heap.bytes / span || !port::allow_access(address_of(heap.used), (count - run) * span)) {
        return nullptr;
    }
    heap.used = first + count;
    std::memset(heap.kinds + first, static_cast<int>(kind::continued), count);
    heap.kinds[first] = first_kind;
    return address_of(first);
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    if (alignment > span || size > heap.bytes) {
        return nullptr;
    }
    void* got = nullptr;
    if (alignment > 16) {
        size = std::bit_ceil(std::max(size, alignment)); // blocks of such a class are aligned to their size
    }
    if (size > largest_small) {
        got = take_spans((size + span - 1) / span, static_cast<std::uint8_t>(kind::large));
    } else {
        const unsigned c = class_of(size);
        if (heap.blocks[c] == nullptr) {
            auto* const fresh =
                static_cast<char*>(take_spans(1, static_cast<std::uint8_t>(static_cast<unsigned>(kind::small) + c)));
            if (fresh == nullptr) {
                return nullptr;
            }
            for (std::size_t at = span / size_of(c); at-- != 0;) {
                heap.blocks[c] = new (fresh + at * size_of(c)) block{heap.blocks[c]};
            }
        }
        got = std::exchange(heap.blocks[c], heap.blocks[c]->next);
    }
    heap.live += got != nullptr ? 1 : 0;
    return got;
}

// Bytes that the block has room for.
std::size_t room(const void* p) noexcept {
    std::size_t s = span_of(p);
    const std::uint8_t k = heap.kinds[s];
    if (k >= static_cast<std::uint8_t>(kind::small)) {
        return size_of(k - static_cast<unsigned>(kind::small));
    }
    std::size_t end = s + 1;
    while (end < heap.used && heap.kinds[end] == static_cast<std::uint8_t>(kind::continued)) {
        ++end;
    }
    return (end - s) * span;
}

void release(void* p) noexcept {
    const std::size_t size = room(p);
    if (current != nullptr) {
        core& c = static_cast<core&>(*current);
        c.spend(heap_cycles);
        c.owner->forget(reinterpret_cast<std::uintptr_t>(p), size);
    }
    const host_section host;
    const std::size_t s = span_of(p);
    const std::uint8_t k = heap.kinds[s];
    if (k >= static_cast<std::uint8_t>(kind::small)) {
        const unsigned c = k - static_cast<unsigned>(kind::small);
        heap.blocks[c] = new (p) block{heap.blocks[c]};
    } else if (k == static_cast<std::uint8_t>(kind::large)) {
        std::memset(heap.kinds + s, static_cast<int>(kind::free), size / span);
    } else {
        skerry::detail::panic("sim: free() of ", p, ", which is no block of the simulated heap");
    }
    --heap.live;
}

void* simulated(std::size_t size, std::size_t alignment) noexcept {
    static_cast<core&>(*current).spend(heap_cycles);
    const host_section host; // no other core comes in between
    void* const got = allocate(size, alignment);
    if (got == nullptr) {
        errno = ENOMEM;
    }
    return got;
}

} // namespace

std::uintptr_t heap_begin() noexcept { return base; }
std::uintptr_t heap_end() noexcept { return base + heap.bytes; }

void prepare_heap(std::size_t bytes) {
    bytes = port::round_up(std::max(bytes, span), span);
    auto* const begin = reinterpret_cast<void*>(base);
    if (heap.live != 0) {
        return; // somebody still uses it; it goes on where it was
    }
    bool good = true;
    if (heap.bytes == bytes) {
        good = port::renew_memory(begin, heap.bytes);
    } else {
        if (heap.bytes != 0) {
            port::unmap_memory(begin, heap.bytes);
            __libc_free(heap.kinds);
        }
        heap = {};
        good = port::map_memory_at(begin, bytes);
    }
    if (!good) {
        throw std::runtime_error("skerry: sim: the address space for the simulated heap, " + std::to_string(bytes) +
                                 " bytes, is not free");
    }
    std::uint8_t* const kinds = heap.kinds;
    heap = {};
    heap.bytes = bytes;
    heap.kinds = kinds != nullptr ? kinds : static_cast<std::uint8_t*>(__libc_calloc(bytes / span, 1));
    if (heap.kinds == nullptr) {
        throw std::bad_alloc();
    }
    std::memset(heap.kinds, 0, bytes / span);
}

} // namespace skerry_sim::detail

// The process's heap functions.
extern "C" {

using namespace skerry_sim::detail;

void* malloc(std::size_t size) { return current == nullptr ? __libc_malloc(size) : simulated(size, 16); }

void free(void* p) {
    if (in_arena(p)) {
        release(p);
    } else {
        __libc_free(p);
    }
}

void* calloc(std::size_t count, std::size_t size) {
    if (current == nullptr) {
        return __libc_calloc(count, size);
    }
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return nullptr;
    }
    void* const got = simulated(bytes, 16);
    if (got != nullptr) {
        const host_section host; // not through the hooks: fresh memory comes zeroed
        std::memset(got, 0, bytes);
    }
    return got;
}

void* realloc(void* p, std::size_t size) {
    if (p == nullptr) {
        return malloc(size);
    }
    if (!in_arena(p) && current == nullptr) {
        return __libc_realloc(p, size);
    }
    if (!in_arena(p)) {
        skerry::detail::panic("sim: realloc() of a block from outside the simulation");
    }
    if (size == 0) {
        free(p);
        return nullptr;
    }
    const std::size_t had = room(p);
    if (size <= had && size > had / 2) {
        return p;
    }
    void* const got = malloc(size);
    if (got != nullptr) {
        std::memcpy(got, p, std::min(size, had));
        free(p);
    }
    return got;
}

void* memalign(std::size_t alignment, std::size_t size) {
    return current == nullptr ? __libc_memalign(alignment, size) : simulated(size, alignment);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** into, std::size_t alignment, std::size_t size) {
    if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) {
        return EINVAL;
    }
    const int before = errno;
    void* const got = memalign(alignment, size);
    errno = before;
    if (got == nullptr) {
        return ENOMEM;
    }
    *into = got;
    return 0;
}

} // extern "C"
