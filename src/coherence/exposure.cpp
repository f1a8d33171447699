// SPDX-License-Identifier: Apache-2.0

#include "coherence/exposure.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/panic.hpp"
#include "base/port/memory.hpp"
#include "base/port/process.hpp"
#include "base/port/reserve.hpp"
#include "coherence/arena.hpp"
#include "coherence/extents.hpp"
#include "coherence/region_tree.hpp"
#include "fabric/copy_gate.hpp"

namespace skerry::inline SKERRY_ABI::detail {

constinit machine::atomic<exposure*> exposure::the_one{nullptr};

namespace {

// The holder of what this process has handed out.
constexpr char handing_out = 0;

std::vector<page_range> pages_within(region_id top) {
    std::vector<page_range> all;
    for (const region_id id : subtree(top)) {
        const std::vector<page_range> of = pages_of(id);
        all.insert(all.end(), of.begin(), of.end());
    }
    return all;
}

std::uintptr_t address_of(page_range r) noexcept {
    return static_cast<std::uintptr_t>(arena::existing()->place().address) + r.first * page_bytes;
}

void* pointer(std::uintptr_t address) noexcept { return reinterpret_cast<void*>(address); }

port::access rights(exposure::right r) noexcept {
    return r == exposure::right::write  ? port::access::read_write
           : r == exposure::right::read ? port::access::read
                                        : port::access::none;
}

} // namespace

exposure::exposure() { holds_.push_back({&handing_out, {}}); }

void exposure::begin() {
    static constexpr fabric::copy_gate gate{&gate_open, &gate_close};
    static auto* const one = new exposure; // for the life of the process, as the arena is
    fabric::set_copy_gate(gate);
    the_one.store(one, memory_order::release); // E1 -> E2: publishes it
}

exposure::part exposure::whole_pages(std::uintptr_t first, std::size_t bytes, bool written) noexcept {
    const std::uintptr_t mask = port::page_size() - 1;
    return {first & ~mask, (first + bytes + mask) & ~mask, written};
}

// --- rights ---------------------------------------------------------------------------------------------------------

// With the lock held, here and below.
exposure::right exposure::right_of(std::uintptr_t address) const noexcept {
    right best = right::none;
    for (const hold& h : holds_) {
        for (const part& p : h.what.parts) {
            if (p.first <= address && address < p.last) {
                best = std::max(best, p.written ? right::write : right::read);
            }
        }
    }
    return best;
}

// Has the system allow what the holds say of these pages. Errors: std::bad_alloc, also if the system refuses.
void exposure::settle(const part& p) {
    if (over_) {
        return;
    }
    std::vector<std::uintptr_t> cuts{p.first, p.last};
    for (const hold& h : holds_) {
        for (const part& other : h.what.parts) {
            if (other.first < p.last && p.first < other.last) {
                cuts.push_back(std::max(p.first, other.first));
                cuts.push_back(std::min(p.last, other.last));
            }
        }
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (std::size_t i = 0; i + 1 < cuts.size();) {
        const right here = right_of(cuts[i]);
        std::size_t end = i + 1;
        while (end + 1 < cuts.size() && right_of(cuts[end]) == here) {
            ++end;
        }
        if (!port::protect(pointer(cuts[i]), cuts[end] - cuts[i], rights(here))) {
            throw std::bad_alloc();
        }
        i = end;
    }
}

// Pages of different rights are different mappings to the system, of which a process may have so many; and the lists
// need memory. A program that is right must not end for want of a check.
void exposure::give_up() noexcept {
    if (std::exchange(over_, true)) {
        return;
    }
    the_one.store(nullptr, memory_order::release);
    const auto& place = arena::existing()->place();
    if (!port::protect(pointer(static_cast<std::uintptr_t>(place.address)), place.bytes, port::access::read_write)) {
        panic("coherence: the arena cannot be opened as a whole, which leaves fewer mappings");
    }
    port::write_stderr("skerry: accesses are not checked any more: no memory, or vm.max_map_count is reached\n");
}

void exposure::give_up_now() noexcept {
    const std::lock_guard guard(mutex_);
    give_up();
}

// --- holds ----------------------------------------------------------------------------------------------------------

namespace {

// Errors: std::bad_alloc; nothing has changed.
template <class Part>
void cut_out(std::vector<Part>& parts, const Part& gone) {
    std::vector<Part> left;
    for (const Part& p : parts) {
        if (p.last <= gone.first || gone.last <= p.first) {
            left.push_back(p);
            continue;
        }
        if (p.first < gone.first) {
            left.push_back({p.first, gone.first, p.written});
        }
        if (gone.last < p.last) {
            left.push_back({gone.last, p.last, p.written});
        }
    }
    parts = std::move(left);
}

} // namespace

exposure::wish exposure::wish_of(std::span<const access> accesses, std::span<const std::span<const std::byte>> others) {
    wish w;
    for (const access& a : accesses) {
        if (a.kind == access_kind::region) {
            for (const page_range r : pages_within(region_id{a.first})) {
                w.parts.push_back(whole_pages(address_of(r), r.count * page_bytes, writes(a.mode)));
            }
            if (writes(a.mode)) {
                w.regions.push_back(region_id{a.first});
            }
        } else {
            for_each_run(a, [&](std::uintptr_t first, std::size_t bytes) {
                w.parts.push_back(whole_pages(first, bytes, writes(a.mode)));
            });
        }
    }
    for (const std::span<const std::byte> s : others) {
        w.parts.push_back(whole_pages(reinterpret_cast<std::uintptr_t>(s.data()), s.size(), false));
    }
    return w;
}

void exposure::add(const void* holder, wish what) {
    const std::lock_guard guard(mutex_);
    const std::vector<part> parts = what.parts;
    holds_.push_back({holder, std::move(what)});
    for (const part& p : parts) {
        settle(p);
    }
}

void exposure::open(const void* holder, const wish& what) noexcept {
    try {
        add(holder, what);
    } catch (const std::bad_alloc&) {
        give_up_now();
    }
}

void exposure::close(const void* holder) noexcept {
    try {
        std::vector<region_id> regions;
        {
            const std::lock_guard guard(mutex_);
            const auto at = std::ranges::find(holds_, holder, &hold::holder);
            if (at == holds_.end()) {
                return;
            }
            regions = at->what.regions;
        }
        std::vector<part> made; // nobody else makes or destroys there before the task is told to have ended
        std::vector<std::size_t> ends;
        for (const region_id id : regions) {
            append_pages(id, made);
            ends.push_back(made.size());
        }
        const std::lock_guard guard(mutex_);
        const auto at = std::ranges::find(holds_, holder, &hold::holder);
        const std::vector<part> held = std::move(at->what.parts);
        holds_.erase(at);
        for (const part& p : made) {
            cut_out(handed_out(), p);
        }
        for (std::size_t i = 0, first = 0; i < regions.size(); first = ends[i++]) { // a task around this one goes on
            name_in_holds(regions[i], std::span(made).subspan(first, ends[i] - first));
        }
        made.insert(made.end(), held.begin(), held.end());
        for (const part& p : made) {
            settle(p);
        }
    } catch (const std::bad_alloc&) {
        give_up_now();
    }
}

void exposure::append_pages(region_id id, std::vector<part>& to) {
    for (const page_range r : pages_within(id)) {
        to.push_back(whole_pages(address_of(r), r.count * page_bytes, true));
    }
}

// Errors: std::bad_alloc.
void exposure::name_in_holds(region_id id, std::span<const part> pages) {
    for (hold& h : holds_) {
        if (std::ranges::any_of(h.what.regions, [id](region_id held) { return lies_within(id, held); })) {
            h.what.parts.insert(h.what.parts.end(), pages.begin(), pages.end());
            std::ranges::sort(h.what.parts);
            const auto doubled = std::ranges::unique(h.what.parts);
            h.what.parts.erase(doubled.begin(), doubled.end());
        }
    }
}

void exposure::came_back(region_id id) noexcept {
    try {
        std::vector<part> pages;
        append_pages(id, pages);
        const std::lock_guard guard(mutex_);
        name_in_holds(id, pages);
        for (const part& p : pages) {
            settle(p);
        }
    } catch (const std::bad_alloc&) {
        give_up_now();
    }
}

void exposure::handed_out(std::byte* first, std::size_t bytes) noexcept {
    const part fresh = whole_pages(reinterpret_cast<std::uintptr_t>(first), bytes, true);
    const std::lock_guard guard(mutex_);
    try {
        handed_out().push_back(fresh);
        settle(fresh);
    } catch (const std::bad_alloc&) {
        give_up();
    }
}

void exposure::given_back(const std::byte* first, std::size_t bytes) noexcept {
    const part gone = whole_pages(reinterpret_cast<std::uintptr_t>(first), bytes, true);
    const std::lock_guard guard(mutex_);
    try {
        for (hold& h : holds_) {
            cut_out(h.what.parts, gone);
        }
    } catch (const std::bad_alloc&) {
        give_up();
    }
}

void exposure::forgotten(const std::byte* first, std::size_t bytes) noexcept {
    const part gone = whole_pages(reinterpret_cast<std::uintptr_t>(first), bytes, true);
    const std::lock_guard guard(mutex_);
    try {
        cut_out(handed_out(), gone);
        settle(gone);
    } catch (const std::bad_alloc&) {
        give_up();
    }
}

exposure::right exposure::of(const void* address) noexcept {
    const std::lock_guard guard(mutex_);
    return right_of(reinterpret_cast<std::uintptr_t>(address));
}

// --- copies ---------------------------------------------------------------------------------------------------------

void exposure::gate_open(const void* key, const void* first, std::size_t bytes) noexcept {
    exposure* const self = active();
    const auto at = reinterpret_cast<std::uintptr_t>(first);
    if (self == nullptr || bytes == 0 || !arena::existing()->holds(at, bytes)) {
        return;
    }
    try {
        self->add(key, {.parts = {whole_pages(at, bytes, true)}, .regions = {}});
    } catch (const std::bad_alloc&) {
        self->give_up_now();
    }
}

void exposure::gate_close(const void* key) noexcept {
    if (exposure* const self = active()) {
        self->close(key);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
