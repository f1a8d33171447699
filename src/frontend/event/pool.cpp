// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/pool.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include <event_machine/platform/event_machine_hw_specific.h>

#include "base/port/clock.hpp"
#include "frontend/event/event_machine.hpp"
#include "frontend/event/gates.hpp"
#include "frontend/event/kept_name.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::uint32_t default_headroom = 128;
constexpr std::size_t most_at_a_time = 32;

constexpr std::size_t aligned(std::size_t bytes) noexcept {
    return (bytes + event::alignment - 1) / event::alignment * event::alignment;
}

} // namespace

// All of a pool's: what they guard is as of one moment.
class event_pool::all_locks {
  public:
    explicit all_locks(event_pool& of) noexcept : of_(of) {
        of_.others_.lock();
        each_cache([](cache& one) { one.gate.ask(); });
        pass_fence(of_.fence_);
        each_cache([](cache& one) { one.gate.await(); });
        of_.lock_.lock();
    }
    all_locks(const all_locks&) = delete;
    all_locks& operator=(const all_locks&) = delete;
    ~all_locks() {
        of_.lock_.unlock();
        each_cache([](cache& one) { one.gate.open(); });
        of_.others_.unlock();
    }

    // Calls f(part of a cache) for each cache.
    template <class F>
    void each(unsigned subpool, F&& f) const {
        each_cache([&](cache& one) { f(one.parts[subpool]); });
    }

  private:
    template <class F>
    void each_cache(F&& f) const {
        for (int i = 0; i < of_.cores_; ++i) {
            f(of_.caches_[static_cast<std::size_t>(i)]);
        }
    }

    event_pool& of_;
};

event_pool::event_pool(const char* called, const em_pool_cfg_t& config, int cores)
    : type_(config.event_type),
      cores_(cores),
      caches_(std::make_unique<cache[]>(static_cast<std::size_t>(cores))) {
    keep_name(name, called);
    align_offset_ = config.align_offset.in_use ? config.align_offset.value : 0;
    user_area_ = config.user_area.in_use ? config.user_area.size : 0;
    const std::uint32_t headroom = !of_packets()                ? 0
                                   : config.pkt.headroom.in_use ? config.pkt.headroom.value
                                                                : default_headroom;
    headroom_begin_ = static_cast<std::uint32_t>(event::header_bytes + aligned(user_area_));
    payload_begin_ = static_cast<std::uint32_t>(headroom_begin_ + aligned(headroom + align_offset_) - align_offset_);
    shown_.all = config.stats_opt.in_use ? config.stats_opt.opt.all : 0;

    count_ = static_cast<unsigned>(config.num_subpools);
    std::array<unsigned, EM_MAX_SUBPOOLS> by_size{};
    std::iota(by_size.begin(), by_size.begin() + count_, 0U);
    for (unsigned i = 1; i < count_; ++i) { // four at most
        for (unsigned k = i; k != 0 && config.subpool[by_size[k]].size < config.subpool[by_size[k - 1]].size; --k) {
            std::swap(by_size[k], by_size[k - 1]);
        }
    }
    for (unsigned i = 0; i < count_; ++i) {
        const auto& wanted = config.subpool[by_size[i]];
        const std::size_t stride = aligned(std::size_t{payload_begin_} + wanted.size);
        if (wanted.num > static_cast<std::size_t>(-1) / 2 / stride) {
            throw std::bad_alloc();
        }
        memory_[i].reset(
            static_cast<std::byte*>(::operator new[](stride * wanted.num, std::align_val_t{event::alignment})));
        // Half of the events are for all: a core finds one without a look into the caches of others, mostly.
        subpools_[i] = {wanted.size, wanted.num,
                        std::min(wanted.cache_size, wanted.num / 2 / static_cast<std::uint32_t>(cores))};
        for (std::size_t n = wanted.num; n-- != 0;) {
            event* const e = new (memory_[i].get() + n * stride) event;
            e->pool = this;
            e->subpool = static_cast<std::uint8_t>(i);
            shelves_[i].free.push(*e);
        }
    }
}

bool event_pool::has_type(em_event_type_t type) const noexcept {
    switch (em_get_type_major(type)) {
    case EM_EVENT_TYPE_SW:
    case EM_EVENT_TYPE_TIMER:
    case EM_EVENT_TYPE_CRYPTO: return true;
    case EM_EVENT_TYPE_PACKET: return of_packets();
    default: return false;
    }
}

void event_pool::move(list& from, list& to, std::size_t n) noexcept {
    for (; n != 0 && from.first != nullptr; --n) {
        to.push(*from.pop());
    }
}

std::size_t event_pool::batch(unsigned subpool) const noexcept {
    return std::min<std::size_t>((subpools_[subpool].cached + 1) / 2, most_at_a_time);
}

event_pool::cache* event_pool::mine(unsigned subpool) const noexcept {
    const int core = this_event_thread.core;
    return core >= 0 && subpools_[subpool].cached != 0 ? &caches_[static_cast<std::size_t>(core)] : nullptr;
}

// --- taking ---------------------------------------------------------------------------------------------------------

event* event_pool::take(std::uint32_t size, em_event_type_t type, bool counts) noexcept {
    unsigned smallest = 0;
    while (subpools_[smallest].size < size) {
        ++smallest;
    }
    event* e = nullptr;
    for (unsigned i = smallest; e == nullptr && i < count_; ++i) {
        cache* const own = mine(i);
        e = own != nullptr ? take_cached(*own, i) : take_shared(i);
    }
    if (e == nullptr) {
        e = take_anywhere(smallest, counts);
    }
    if (e != nullptr) {
        e->next = nullptr;
        e->size = size;
        e->type = type;
        e->begin = payload_begin_;
        e->has_number = false;
    }
    return e;
}

event* event_pool::take_cached(cache& of, unsigned subpool) noexcept {
    const inside_gate inside(of.gate);
    cache::part& own = of.parts[subpool];
    if (own.free.first == nullptr) [[unlikely]] {
        fetch(own, subpool);
    } else {
        ++own.taken;
    }
    return own.free.pop();
}

void event_pool::fetch(cache::part& own, unsigned subpool) noexcept {
    const std::lock_guard lock(lock_);
    shelf& shared = shelves_[subpool];
    if (shared.free.first != nullptr) {
        ++shared.asked;
        move(shared.free, own.free, shared.scarce.load(memory_order::relaxed) ? 1 : batch(subpool));
    }
}

event* event_pool::take_shared(unsigned subpool) noexcept {
    const std::lock_guard lock(lock_);
    shelf& shared = shelves_[subpool];
    shared.asked += shared.free.first != nullptr ? 1 : 0;
    return shared.free.pop();
}

// What others cache is for all again, so that the next one who finds nothing need not come here.
event* event_pool::take_anywhere(unsigned smallest, bool counts) noexcept {
    {
        const std::lock_guard lock(lock_);
        bool cached = false;
        for (unsigned i = smallest; i < count_; ++i) {
            shelf& shared = shelves_[i];
            if (shared.free.first != nullptr) {
                ++shared.asked;
                return shared.free.pop();
            }
            cached = cached || !shared.scarce.load(memory_order::relaxed);
        }
        if (!cached) {
            count_missed(smallest, counts);
            return nullptr;
        }
    }
    const all_locks locks(*this);
    for (unsigned i = smallest; i < count_; ++i) {
        shelf& shared = shelves_[i];
        locks.each(i, [&](cache::part& part) { move(part.free, shared.free, part.free.count); });
        if (shared.free.first != nullptr) {
            ++shared.asked;
            return shared.free.pop();
        }
    }
    for (unsigned i = smallest; i < count_; ++i) {
        shelves_[i].scarce.store(true, memory_order::relaxed);
    }
    count_missed(smallest, counts);
    return nullptr;
}

void event_pool::count_missed(unsigned subpool, bool counts) noexcept {
    shelves_[subpool].asked += counts ? 1 : 0;
    shelves_[subpool].missed += counts ? 1 : 0;
}

// --- waiting --------------------------------------------------------------------------------------------------------

event_pool::waited event_pool::take_within(std::uint32_t size, em_event_type_t type, std::uint64_t deadline,
                                           event*& e) noexcept {
    for (;;) {
        const std::uint32_t seen = turn_.load(memory_order::acquire); // A2, before the look: <- P5, A4
        if (ended_.load(memory_order::acquire)) {
            return waited::ended;
        }
        const std::uint64_t now = port::now_ns();
        const bool last = now >= deadline;
        e = take(size, type, last);
        if (e != nullptr && ended_.load(memory_order::acquire)) {
            give(*std::exchange(e, nullptr));
            return waited::ended;
        }
        if (e != nullptr) {
            return waited::yes;
        }
        if (last) {
            return waited::too_long;
        }
        std::uint32_t then = seen;
        if ((seen & asleep) != 0 || turn_.compare_exchange_strong(then, seen | asleep, memory_order::relaxed,
                                                                  memory_order::relaxed)) { // A3
            machine::futex_wait_for(turn_, seen | asleep, deadline - now);
        }
    }
}

void event_pool::wake() noexcept {
    std::uint32_t before = turn_.load(memory_order::relaxed);
    while (!turn_.compare_exchange_weak(before, (before | asleep) + 1, memory_order::release, // -> A2
                                        memory_order::relaxed)) {
    }
    if ((before & asleep) != 0) {
        machine::futex_wake(turn_, 1 << 30); // all: the event may be too small for some
    }
}

void event_pool::end_waits() noexcept {
    ended_.store(true, memory_order::release);
    wake(); // A4
}

// --- giving ---------------------------------------------------------------------------------------------------------

void event_pool::give(event& e) noexcept {
    e.forget();
    if (cache* const own = mine(e.subpool)) {
        give_cached(*own, e);
    } else {
        give_shared(e);
    }
    if (waiting_.load(memory_order::relaxed) != 0) [[unlikely]] { // P5; the lock or the gate before orders it
        wake();
    }
}

void event_pool::give_cached(cache& to, event& e) noexcept {
    const unsigned subpool = e.subpool;
    const inside_gate inside(to.gate);
    cache::part& own = to.parts[subpool];
    own.free.push(e);
    ++own.given;
    if (own.free.count > subpools_[subpool].cached || shelves_[subpool].scarce.load(memory_order::relaxed))
        [[unlikely]] {
        bring_back(own, subpool);
    }
}

void event_pool::bring_back(cache::part& own, unsigned subpool) noexcept {
    const std::lock_guard lock(lock_);
    shelf& shared = shelves_[subpool];
    move(own.free, shared.free, shared.scarce.load(memory_order::relaxed) ? own.free.count : batch(subpool));
    ++shared.given;
    end_scarcity(subpool);
}

// Under the lock: if enough are free for caches to be used again.
void event_pool::end_scarcity(unsigned subpool) noexcept {
    shelf& shared = shelves_[subpool];
    if (shared.scarce.load(memory_order::relaxed) && shared.free.count > subpools_[subpool].events / 4) {
        shared.scarce.store(false, memory_order::relaxed);
    }
}

void event_pool::give_shared(event& e) noexcept {
    const std::lock_guard lock(lock_);
    shelf& shared = shelves_[e.subpool];
    shared.free.push(e);
    ++shared.given;
    end_scarcity(e.subpool);
}

void event_pool::give_back_cache(int core) noexcept {
    cache& own = caches_[static_cast<std::size_t>(core)];
    const inside_gate inside(own.gate);
    const std::lock_guard shared_lock(lock_);
    for (unsigned i = 0; i < count_; ++i) {
        list& free = own.parts[i].free;
        shelves_[i].given += free.count != 0 ? 1 : 0;
        move(free, shelves_[i].free, free.count);
    }
}

// --- counting -------------------------------------------------------------------------------------------------------

std::size_t event_pool::in_use() noexcept {
    const all_locks locks(*this);
    std::size_t used = 0;
    for (unsigned i = 0; i < count_; ++i) {
        std::size_t free = shelves_[i].free.count;
        locks.each(i, [&](const cache::part& part) { free += part.free.count; });
        used += subpools_[i].events - free;
    }
    return used;
}

event_pool::counters event_pool::read() noexcept {
    counters all{};
    const all_locks locks(*this);
    for (unsigned i = 0; i < count_; ++i) {
        const shelf& shared = shelves_[i];
        em_pool_subpool_stats_selected_t& to = all[i];
        to.available = shared.free.count;
        to.alloc_ops = shared.asked;
        to.alloc_fails = shared.missed;
        to.free_ops = shared.given;
        to.total_ops = shared.asked + shared.given;
        locks.each(i, [&](const cache::part& part) {
            to.cache_available += part.free.count;
            to.cache_alloc_ops += part.taken;
            to.cache_free_ops += part.given;
        });
    }
    return all;
}

void event_pool::reset(unsigned subpool) noexcept {
    const all_locks locks(*this);
    shelf& shared = shelves_[subpool];
    shared.asked = shared.missed = shared.given = 0;
    locks.each(subpool, [](cache::part& part) { part.taken = part.given = 0; });
}

} // namespace skerry::inline SKERRY_ABI::detail
