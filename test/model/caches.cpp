// SPDX-License-Identifier: Apache-2.0

// Private caches that software keeps, as GPU-WB of sim/README.md, a word at a time.
//  1. A plain or relaxed store stays in the core's cache as a dirty word, which nobody else sees. It reaches memory
//  when
//     it is published, or at any time before that if the machine evicts it.
//  2. A plain or relaxed load is served by the own dirty word; else by memory, or by any value that memory had since
//  the
//     core's last discard and since it last read the word: the cache may hold a copy of that time, since a line is
//     fetched for the sake of its neighbours, too. Of a plain<T> such a copy is a failure.
//  3. Acquire, release and read-modify-write go to memory. The core's own copy of the word goes there first. Other
//     words stay where they are; a fence moves nothing.
//  4. Nothing need ever be evicted and nothing fetched anew, so a program must not need it to come to its end.
//
// Leaving out. What a core writes into its own cache is no scheduling point. A discard is done at once: one that comes
// early leaves more old copies. An eviction is a step only where somebody stands before an access to the word, its own
// core included: until then it can be put off, and nobody sees a difference.

#include <algorithm>

#include "engine.hpp"
#include "held.hpp"

namespace skerry::model {

namespace {

bool overlap(std::uintptr_t a, unsigned a_size, std::uintptr_t b, unsigned b_size) {
    return a < b + b_size && b < a + a_size;
}

bool by_cache(const request& r) {
    return r.what == action::plain_load || r.what == action::plain_store ||
           ((r.what == action::load || r.what == action::store) && !r.ordered());
}

// What publish and discard are about.
bool covers(const request& r, std::uintptr_t address) {
    const std::uint64_t bytes = r.operand >> 8;
    return bytes == 0 || address - r.expected < bytes;
}

void insert(core_state& core, std::size_t at, const cached_word& word) {
    std::move_backward(core.words.begin() + static_cast<std::ptrdiff_t>(at), core.words.begin() + core.count,
                       core.words.begin() + core.count + 1);
    core.words[at] = word;
    ++core.count;
}

template <class Condition>
void erase_if(core_state& core, Condition&& condition) {
    const auto end = core.words.begin() + core.count;
    const auto kept = std::remove_if(core.words.begin(), end, condition);
    std::fill(kept, end, cached_word{});
    core.count = static_cast<std::uint32_t>(kept - core.words.begin());
}

std::size_t end_of(const core_state& core, std::uintptr_t address) {
    std::size_t at = 0;
    while (at < core.count && core.words[at].address <= address) {
        ++at;
    }
    return at;
}

} // namespace

// --- what lies in a cache -------------------------------------------------------------------------------------------

const cached_word* engine::dirty_word(unsigned t, std::uintptr_t address, unsigned size) const {
    const core_state& core = cores_[t];
    for (std::size_t i = 0; i < core.count; ++i) {
        const cached_word& w = core.words[i];
        if (!overlap(w.address, w.size, address, size)) {
            continue;
        }
        if (w.address != address || w.size != size) {
            const_cast<engine*>(this)->give_up(t, "mixed sizes", name_of(address) + " is cached in another size");
        }
        return w.dirty != 0 ? &w : nullptr;
    }
    return nullptr;
}

// By number; null: there are not so many.
const cached_word* engine::dirty_word_at(unsigned t, std::size_t index) const {
    const core_state& core = cores_[t];
    for (std::size_t i = 0; i < core.count; ++i) {
        if (core.words[i].dirty != 0 && index-- == 0) {
            return &core.words[i];
        }
    }
    return nullptr;
}

std::size_t engine::old_copies(unsigned t, std::uintptr_t address) const {
    const core_state& core = cores_[t];
    return static_cast<std::size_t>(
        std::count_if(core.words.begin(), core.words.begin() + core.count,
                      [address](const cached_word& w) { return w.address == address && w.dirty == 0; }));
}

// Memory is about to change: what others may have fetched before stays with them.
void engine::age_copies(unsigned t, std::uintptr_t address, std::uint64_t value, unsigned size) {
    const std::uint64_t old = held(address, size);
    for (unsigned u = 0; u < threads_; ++u) {
        core_state& core = cores_[u];
        if (u == t || old == value || dirty_word(u, address, size) != nullptr ||
            (options_.reduce && (conflicts_[granule_of(address)].cached >> u & 1) == 0)) {
            continue;
        }
        const std::size_t at = end_of(core, address);
        if (at != 0 && core.words[at - 1].address == address && core.words[at - 1].value == old) {
            continue;
        }
        if (core.count == cache_capacity) {
            give_up(u, "limit", "its cache is full");
            return;
        }
        cached_word copy;
        copy.address = address;
        copy.value = old;
        copy.size = static_cast<std::uint8_t>(size);
        insert(core, at, copy);
    }
}

void engine::forget(std::uintptr_t begin, std::size_t size, int only) {
    for (unsigned t = 0; t < threads_; ++t) {
        if (only < 0 || t == static_cast<unsigned>(only)) {
            erase_if(cores_[t], [&](const cached_word& w) { return w.address - begin < size; });
        }
    }
}

// --- operations -----------------------------------------------------------------------------------------------------

std::uint64_t engine::load_cached(unsigned t, const request& r, unsigned alternative) {
    if (const cached_word* const own = dirty_word(t, r.address, r.size)) {
        return own->value;
    }
    core_state& core = cores_[t];
    const std::size_t copies = old_copies(t, r.address);
    if (copies == 0) {
        return held(r.address, r.size);
    }
    const std::size_t first = end_of(core, r.address) - copies;
    const std::uint64_t seen = alternative < copies ? core.words[first + alternative].value : held(r.address, r.size);
    if (r.what == action::plain_load) {
        give_up(t, "stale",
                request_text(r) + " may find " + value_text(seen, r.size) + " where " +
                    value_text(held(r.address, r.size), r.size) + " has been written");
    }
    std::size_t older = 0;
    erase_if(core, [&](const cached_word& w) {
        older += w.address == r.address ? 1 : 0;
        return w.address == r.address && older <= alternative;
    });
    return seen;
}

void engine::store_cached(unsigned t, const request& r) {
    core_state& core = cores_[t];
    static_cast<void>(dirty_word(t, r.address, r.size));
    erase_if(core, [&r](const cached_word& w) { return w.address == r.address; });
    if (core.count == cache_capacity) {
        give_up(t, "limit", "its cache is full");
        return;
    }
    cached_word word;
    word.address = r.address;
    word.value = r.operand;
    word.size = r.size;
    word.dirty = 1;
    word.plain = r.what == action::plain_store ? 1 : 0;
    insert(core, end_of(core, r.address), word);
}

void engine::go_past_cache(unsigned t, const request& r) {
    const cached_word* const own = dirty_word(t, r.address, r.size);
    const std::uint64_t value = own != nullptr ? own->value : 0;
    erase_if(cores_[t], [&r](const cached_word& w) { return w.address == r.address; });
    if (own != nullptr) {
        write_memory(t, r.address, value, r.size);
    }
}

void engine::publish(unsigned t, const request& r) {
    for (std::size_t i = 0; dirty_word_at(t, i) != nullptr;) {
        if (covers(r, dirty_word_at(t, i)->address)) {
            write_back(t, i);
        } else {
            ++i;
        }
    }
}

void engine::discard(unsigned t, const request& r) {
    erase_if(cores_[t], [&r](const cached_word& w) { return w.dirty == 0 && covers(r, w.address); });
}

void engine::write_back(unsigned t, std::size_t index) {
    const cached_word word = *dirty_word_at(t, index);
    erase_if(cores_[t], [&word](const cached_word& w) { return w.address == word.address; });
    const std::size_t offset = word.address - reinterpret_cast<std::uintptr_t>(arena_.data());
    if (offset >= heaps * heap_size) {
        const auto owner = static_cast<unsigned>((offset - heaps * heap_size) / stack_size);
        if (owner != t && owner != host &&
            (of(owner).context == nullptr || word.address < reinterpret_cast<std::uintptr_t>(of(owner).context))) {
            give_up(t, "dead stack",
                    name_of(word.address) + " is written back into a frame that T" + std::to_string(owner) +
                        " has left");
            return;
        }
    }
    write_memory(t, word.address, word.value, word.size);
}

// --- what is a scheduling point -------------------------------------------------------------------------------------

bool engine::visible_beside_caches(unsigned t, const request& r) const {
    const bool own = r.size != 0 && dirty_word(t, r.address, r.size) != nullptr;
    switch (r.what) {
    case action::load:
    case action::plain_load: return own && !by_cache(r) ? others_touch(t, r.address) : others_write(t, r.address);
    case action::store:
    case action::plain_store: return by_cache(r) && !own ? handler_touches(t, r.address) : others_touch(t, r.address);
    case action::publish:
        return std::any_of(cores_[t].words.begin(), cores_[t].words.begin() + cores_[t].count,
                           [&](const cached_word& w) {
                               return w.dirty != 0 && covers(r, w.address) && other_threads_touch(t, w.address);
                           });
    // With a handler between, what is thrown away early is missed.
    case action::discard: return options_.interrupts && own_accessors(t) == 1U << t;
    default: return r.size != 0 && others_touch(t, r.address);
    }
}

bool engine::may_evict(unsigned t, std::size_t index) const {
    const cached_word& word = *dirty_word_at(t, index);
    if (!options_.reduce || threads_ended()) {
        return true;
    }
    for (unsigned u = 0; u < threads_; ++u) {
        const request& r = of(u).pending;
        const bool stands_before = of(u).state == thread_state::ready && r.size != 0 && r.what != action::futex_wake &&
                                   overlap(r.address, r.size, word.address, word.size);
        if (u == t) {
            if (stands_before && by_cache(r)) {
                return true;
            }
        } else if (stands_before || dirty_word(u, word.address, word.size) != nullptr) {
            return true;
        }
    }
    return false;
}

bool engine::served_by_cache(const request& r) const { return caches() && by_cache(r); }

std::size_t engine::dirty_words(unsigned t) const {
    return static_cast<std::size_t>(std::count_if(cores_[t].words.begin(), cores_[t].words.begin() + cores_[t].count,
                                                  [](const cached_word& w) { return w.dirty != 0; }));
}

} // namespace skerry::model
