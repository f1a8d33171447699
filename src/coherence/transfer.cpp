// SPDX-License-Identifier: Apache-2.0

#include "coherence/transfer.hpp"

#include <algorithm>
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

std::vector<fabric::extent> transfer_list(std::span<const region_id> regions, std::span<const extent> objects) {
    std::vector<extent> all(objects.begin(), objects.end());
    for (const region_id id : regions) {
        const std::vector<extent> of = extents_of(id, true);
        all.insert(all.end(), of.begin(), of.end());
    }
    std::erase_if(all, [](const extent& e) { return e.bytes == 0; });
    std::sort(all.begin(), all.end(), [](const extent& a, const extent& b) { return a.first < b.first; });
    std::vector<fabric::extent> list;
    std::byte* end = nullptr;
    for (const extent& e : all) {
        if (!list.empty() && e.first <= end) {
            end = std::max(end, e.first + e.bytes);
            list.back().bytes = static_cast<std::size_t>(end - static_cast<std::byte*>(list.back().here));
        } else {
            end = e.first + e.bytes;
            list.push_back({.here = e.first, .there = reinterpret_cast<std::uintptr_t>(e.first), .bytes = e.bytes});
        }
    }
    for (const fabric::extent& e : list) {
        port::unpoison(e.here, e.bytes);
    }
    return list;
}

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
