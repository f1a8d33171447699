// SPDX-License-Identifier: Apache-2.0
#pragma once

// What sanitizers are told of memory that an allocator of ours manages. In other builds: nothing.
//
// Thread safety: any thread, for memory that is the caller's. `begin` is a multiple of 8.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <skerry/detail/base/abi.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define SKERRY_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SKERRY_POISONS 1
#endif
#endif

#ifdef SKERRY_POISONS
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace skerry::inline SKERRY_ABI::port {

#ifdef SKERRY_POISONS
#undef SKERRY_POISONS
inline constexpr bool poisons = true;

// Copies whatever may be poisoned of it: a transfer of whole slabs takes blocks along in which nothing lies. volatile,
// or the compiler would make the loop a call of memcpy, which looks.
[[gnu::no_sanitize_address]] inline void copy_unchecked(void* to, const void* from, std::size_t size) noexcept {
    auto* const out = static_cast<volatile unsigned char*>(to);
    const auto* const in = static_cast<const volatile unsigned char*>(from);
    std::size_t i = 0;
    if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 8 == 0) {
        for (; i + 8 <= size; i += 8) {
            *reinterpret_cast<volatile std::uint64_t*>(out + i) =
                *reinterpret_cast<const volatile std::uint64_t*>(in + i);
        }
    }
    for (; i < size; ++i) {
        out[i] = in[i];
    }
}

// An access to the memory is an error that the sanitizer reports, until unpoison.
inline void poison(void* begin, std::size_t size) noexcept { ASAN_POISON_MEMORY_REGION(begin, size); }
inline void unpoison(void* begin, std::size_t size) noexcept { ASAN_UNPOISON_MEMORY_REGION(begin, size); }

// Whether the address is a local variable that the sanitizer has moved off the stack of the calling thread.
inline bool on_fake_stack(const void* address) noexcept {
    void* const fake = __asan_get_current_fake_stack();
    return fake != nullptr &&
           __asan_addr_is_in_fake_stack(fake, const_cast<void*>(address), nullptr, nullptr) != nullptr;
}

// Around a switch to another stack (fiber.hpp). `fake`: what the sanitizer keeps of this one; null: nothing, it is left
// for good. On the other stack then, with what it keeps of that one; it says where the stack lies that was left.
inline void begin_stack_switch(void** fake, const void* low, std::size_t size) noexcept {
    __sanitizer_start_switch_fiber(fake, low, size);
}
inline void end_stack_switch(void* fake, const void*& left_low, std::size_t& left_size) noexcept {
    __sanitizer_finish_switch_fiber(fake, &left_low, &left_size);
}
#else
inline constexpr bool poisons = false;

inline void copy_unchecked(void* to, const void* from, std::size_t size) noexcept { std::memcpy(to, from, size); }

inline void poison(void*, std::size_t) noexcept {}
inline void unpoison(void*, std::size_t) noexcept {}
inline bool on_fake_stack(const void*) noexcept { return false; }
inline void begin_stack_switch(void**, const void*, std::size_t) noexcept {}
inline void end_stack_switch(void*, const void*&, std::size_t&) noexcept {}
#endif

} // namespace skerry::inline SKERRY_ABI::port
