// SPDX-License-Identifier: Apache-2.0

#include "coherence/transfer.hpp"

#include <new>
#include <stdexcept>

#include "base/port/poison.hpp"
#include "base/text.hpp"
#include "coherence/arena.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// A guess: where so many bytes arrive in a row, more will arrive beside them.
constexpr std::size_t worth_a_large_page = 16 * slab_bytes;

} // namespace

void open_for(std::span<const fabric::extent> contents) {
    arena& a = arena::instance();
    for (const fabric::extent& e : contents) {
        const std::uint64_t at = reinterpret_cast<std::uintptr_t>(e.here) - a.place().address;
        if (at >= a.place().bytes || e.bytes > a.place().bytes - at) {
            fixed_text<200> t;
            t << "skerry: the object at " << static_cast<const void*>(e.here)
              << " crosses to another process, but lies in no region";
            throw std::invalid_argument(t.c_str());
        }
    }
    for (const fabric::extent& e : contents) {
        if (e.bytes == 0) {
            continue;
        }
        const std::size_t at = reinterpret_cast<std::uintptr_t>(e.here) - static_cast<std::size_t>(a.place().address);
        const std::size_t first = at / page_bytes;
        if (!a.open({.first = first, .count = (at + e.bytes - 1) / page_bytes - first + 1},
                    e.bytes >= worth_a_large_page)) {
            throw std::bad_alloc();
        }
        port::unpoison(e.here, e.bytes);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
