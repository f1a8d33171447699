// SPDX-License-Identifier: Apache-2.0

#include "coherence/arena.hpp"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "base/port/large_pages.hpp"
#include "base/port/memory.hpp"
#include "base/port/poison.hpp"
#include "base/port/process.hpp"
#include "base/port/reserve.hpp"
#include "base/text.hpp"
#include "coherence/exposure.hpp"
#include "coherence/region_table.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

// Of the one arena. The chosen places are guarded.
constinit mutex<machine> instance_mutex;
constinit machine::atomic<arena*> instance_found{nullptr};
std::vector<arena_place>& chosen_places() {
    static auto* const chosen = new std::vector<arena_place>;
    return *chosen;
}

[[noreturn]] void fail_to_reserve(const arena_place& place, int error) {
    fixed_text<300> text;
    text << "skerry: cannot reserve " << place.bytes / gib << " GiB of addresses for regions at " << hex{place.address};
    const std::uint64_t limit = port::address_space_limit();
    if (error == EEXIST) {
        text << ": something else in this process has them";
    } else if (limit != UINT64_MAX) {
        text << ": this process may have only " << limit / 1024
             << " KiB of address space; raise that limit (ulimit -v)";
    } else {
        text << ": the system refuses it";
    }
    throw std::system_error(error, std::generic_category(), text.c_str());
}

// Of processes that were launched together fabric/shm says it.
void warn_if_small(const arena_place& got, const arena_place& usual) noexcept {
    if (got.bytes < usual.bytes && port::address_space_limit() != UINT64_MAX) {
        fixed_text<200> text;
        text << "skerry: the arena for regions has " << got.bytes / gib << " GiB in place of " << usual.bytes / gib
             << "; look at 'ulimit -v'\n";
        port::write_stderr(text.view());
    }
}

port::reservation reserve(std::span<const arena_place> wanted) {
    int first_error = 0;
    for (const arena_place& p : wanted) {
        if (port::reserve_at(p.address, p.bytes)) {
            warn_if_small(p, wanted.front());
            return port::reservation(p);
        }
        first_error = first_error == 0 ? errno : first_error;
    }
    fail_to_reserve(wanted.front(), first_error);
}

std::size_t table_bytes(std::size_t pages) noexcept {
    return port::round_up(pages * (sizeof(machine::atomic<page*>) + 1), port::page_size());
}

} // namespace

arena::arena(std::span<const arena_place> wanted, std::unique_ptr<page_source> source)
    : arena(reserve(wanted), std::move(source)) {}

arena::arena(port::reservation reserved, std::unique_ptr<page_source> source)
    : reserved_(std::move(reserved)),
      source_(std::move(source)),
      own_{.first = 0, .count = pages()} {
    const std::size_t count = pages();
    void* const memory = port::map_memory(table_bytes(count));
    try {
        if (memory == nullptr || !port::allow_access(memory, table_bytes(count))) {
            throw std::bad_alloc();
        }
        if (!source_) {
            source_ = std::make_unique<local_pages>(page_range{.first = 0, .count = count});
        }
    } catch (...) {
        if (memory != nullptr) {
            port::unmap_memory(memory, table_bytes(count));
        }
        throw;
    }
    // Fresh pages are zero, and so is an atomic null pointer: the entries are made without being touched.
    static_assert(sizeof(machine::atomic<page*>) == sizeof(page*));
    table_ = static_cast<machine::atomic<page*>*>(memory);
    accessible_ = reinterpret_cast<std::uint8_t*>(table_ + count);
}

arena::~arena() {
    while (spare_ != nullptr) {
        delete std::exchange(spare_, spare_->next);
    }
    port::unmap_memory(table_, table_bytes(pages()));
}

arena& arena::instance() {
    if (arena* const found = existing()) [[likely]] {
        return *found;
    }
    const std::lock_guard guard(instance_mutex);
    arena* found = instance_found.load(memory_order::relaxed); // relaxed: written under this lock
    if (found == nullptr) {
        const std::vector<arena_place>& chosen = chosen_places();
        found = new arena(chosen.empty() ? port::arena_places() : std::span<const arena_place>(chosen));
        instance_found.store(found, memory_order::release); // I1 -> I2: publishes the arena
    }
    return *found;
}

arena* arena::existing() noexcept { return instance_found.load(memory_order::acquire); } // I2 <- I1

bool arena::choose(std::vector<arena_place> wanted) {
    const std::lock_guard guard(instance_mutex);
    if (existing() != nullptr) {
        return false;
    }
    chosen_places() = std::move(wanted);
    return true;
}

void arena::adopt(port::reservation reserved, unsigned rank, unsigned ranks) {
    const std::size_t share = ranks != 0 ? reserved.place().bytes / page_bytes / ranks : 0;
    if (rank >= ranks || share == 0) {
        fixed_text<200> text;
        text << "skerry: an arena of " << reserved.place().bytes << " bytes has no part for process " << rank << " of "
             << ranks;
        throw std::invalid_argument(text.c_str());
    }
    const page_range own{.first = rank * share, .count = share};
    auto source = std::make_unique<local_pages>(own);
    const std::lock_guard guard(instance_mutex);
    auto mine = existing() == nullptr ? std::make_unique<arena>(std::move(reserved), std::move(source)) : nullptr;
    if (mine == nullptr || !region_table::instance().set_process(rank)) {
        throw std::logic_error("skerry: this process joins others too late: it has made regions already");
    }
    mine->own_ = own;
    instance_found.store(mine.release(), memory_order::release); // I1 -> I2: publishes the arena
}

std::optional<page_range> arena::take_warm() noexcept {
    const std::lock_guard guard(mutex_);
    if (warm_count_ == 0) {
        return std::nullopt;
    }
    return page_range{.first = warm_[--warm_count_], .count = 1};
}

void arena::cool() noexcept {
    while (const auto range = take_warm()) {
        port::release(begin_of(range->first), page_bytes);
        source_->give(*range);
    }
}

// To the source, or to the warm ones.
void arena::put_back(page_range range) noexcept {
    if (range.count == 1) {
        const std::lock_guard guard(mutex_);
        if (warm_count_ < most_warm) {
            warm_[warm_count_++] = range.first;
            return;
        }
    }
    port::release(begin_of(range.first), range.count * page_bytes);
    source_->give(range);
}

bool arena::begins_large_page(std::size_t number) const noexcept {
    return (place().address / page_bytes + number) % pages_in_large == 0;
}

// The first half of a large page, if one is to be had; the other half is warm then.
std::optional<page_range> arena::take_half() {
    static_assert(pages_in_large == 2);
    const std::optional<page_range> both = source_->take(pages_in_large);
    if (!both) {
        return std::nullopt;
    }
    const page_range half{.first = both->first, .count = 1};
    const page_range other{.first = both->first + 1, .count = 1};
    if (begins_large_page(half.first) && make_accessible(*both, port::access::read_write)) {
        put_back(other);
    } else { // the next one has better luck
        source_->give(other);
    }
    return half;
}

std::optional<page_range> arena::take_range(std::size_t count, bool of_many) {
    if (count == 1) {
        if (const auto warm = take_warm()) {
            return warm;
        }
        if (of_many) {
            if (const auto half = take_half()) {
                return half;
            }
        }
    }
    if (const auto range = source_->take(count)) {
        return range;
    }
    cool(); // the warm ones may complete a row
    return source_->take(count);
}

page* arena::take_descriptor() {
    {
        const std::lock_guard guard(mutex_);
        if (spare_ != nullptr) {
            return std::exchange(spare_, spare_->next);
        }
    }
    return new page;
}

bool arena::make_accessible(page_range range, port::access allowed) noexcept {
    std::uint8_t* const last = accessible_ + range.first + range.count;
    for (std::uint8_t* at = accessible_ + range.first;;) {
        at = std::find(at, last, std::uint8_t{0});
        if (at == last) {
            return true;
        }
        std::uint8_t* const end = std::find(at, last, std::uint8_t{1});
        std::byte* const begin = begin_of(static_cast<std::size_t>(at - accessible_));
        const auto bytes = static_cast<std::size_t>(end - at) * page_bytes;
        if (!port::commit(begin, bytes) ||
            (allowed != port::access::read_write && !port::protect(begin, bytes, allowed))) {
            return false;
        }
        port::poison(begin, bytes);
        if (bytes >= pages_in_large * page_bytes) {
            port::ask_for_large_pages(begin, bytes);
        }
        at = std::fill_n(at, end - at, std::uint8_t{1});
    }
}

page& arena::take(std::size_t count, region_id owner, bool of_many) {
    if (count > pages()) {
        throw std::bad_alloc();
    }
    page* const p = take_descriptor();
    std::optional<page_range> range;
    try {
        range = take_range(count, of_many);
    } catch (...) {
        range = std::nullopt;
    }
    if (range && !make_accessible(*range, port::access::read_write)) {
        source_->give(*range);
        range = std::nullopt;
    }
    if (!range) {
        const std::lock_guard guard(mutex_);
        p->next = std::exchange(spare_, p);
        throw std::bad_alloc();
    }
    if (exposure* const guard = exposure::active()) {
        guard->handed_out(begin_of(range->first), range->count * page_bytes);
    }
    make_blank(*p, *range);
    install(*p, owner);
    return *p;
}

void arena::make_blank(page& p, page_range range) noexcept {
    p.begin = begin_of(range.first);
    p.pages = range.count;
    p.bytes = 0;
    p.next = p.before = p.next_with_room = p.before_with_room = nullptr;
    p.unused.fill(page_slabs);
    p.unused_count = page_slabs;
}

void arena::install(page& p, region_id owner) noexcept {
    p.owner.store(owner, memory_order::relaxed); // relaxed: A1 publishes it
    const std::size_t first = number_of(p);
    for (std::size_t i = 0; i < p.pages; ++i) {
        table_[first + i].store(&p, memory_order::release); // A1 -> A2: publishes the page
    }
    in_use_.fetch_add(p.pages, memory_order::relaxed); // relaxed: a count
}

// All slabs unused, without records.
void arena::clear(page& p) noexcept {
    p.slabs.front().records.reset(); // of a page that is one object: its slabs count as unused
    p.unused.for_each_missing([&p](std::size_t i) {
        p.slabs[i].use = slab_use::unused;
        p.slabs[i].records.reset();
    });
}

void arena::take_out(page& p) noexcept {
    p.owner.store(region_id::none, memory_order::relaxed); // relaxed: late readers may see either
    clear(p);
    const std::size_t first = number_of(p);
    for (std::size_t i = 0; i < p.pages; ++i) {
        table_[first + i].store(nullptr, memory_order::relaxed); // relaxed: late readers may see either
    }
    in_use_.fetch_sub(p.pages, memory_order::relaxed); // relaxed: a count
}

void arena::give(page& p) noexcept {
    const page_range range{.first = number_of(p), .count = p.pages};
    take_out(p);
    port::poison(begin_of(range.first), range.count * page_bytes);
    if (exposure* const guard = exposure::active()) {
        guard->given_back(begin_of(range.first), range.count * page_bytes);
    }
    {
        const std::lock_guard guard(mutex_);
        p.next = std::exchange(spare_, &p);
    }
    put_back(range);
}

// As wide as large pages, if nothing of that is of this process's share: whoever has those pages looks at accessible_
// without the lock.
page_range arena::widened(page_range range) const noexcept {
    const std::size_t first = begins_large_page(range.first) ? range.first : range.first - 1;
    std::size_t end = range.first + range.count;
    end += begins_large_page(end) ? 0U : 1U;
    const bool foreign = end <= own_.first || first >= own_.first + own_.count;
    return foreign && first < end && end <= pages() ? page_range{.first = first, .count = end - first} : range;
}

bool arena::open(page_range range, bool of_many) noexcept {
    const std::lock_guard guard(mutex_);
    if (exposure::active() != nullptr) {
        return make_accessible(range, port::access::none);
    }
    return (of_many && make_accessible(widened(range), port::access::read_write)) ||
           make_accessible(range, port::access::read_write);
}

page& arena::describe(page_range range) {
    page& p = *take_descriptor();
    make_blank(p, range);
    return p;
}

void arena::discard(page& p) noexcept {
    clear(p);
    const std::lock_guard guard(mutex_);
    p.next = std::exchange(spare_, &p);
}

void arena::forget(page& p) noexcept {
    take_out(p);
    if (exposure* const guard = exposure::active()) {
        guard->forgotten(p.begin, p.pages * page_bytes);
    }
    const std::lock_guard guard(mutex_);
    p.next = std::exchange(spare_, &p);
}

bool arena::may_hand_out(page_range range) noexcept {
    {
        const std::lock_guard guard(mutex_);
        for (std::size_t i = 0; i < warm_count_; ++i) {
            if (warm_[i] >= range.first && warm_[i] - range.first < range.count) {
                return true;
            }
        }
    }
    return source_->has(range);
}

} // namespace skerry::inline SKERRY_ABI::detail
