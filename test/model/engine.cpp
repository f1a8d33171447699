// SPDX-License-Identifier: Apache-2.0

#include "engine.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <boost/context/detail/fcontext.hpp>

#include "testing_pause.hpp"

namespace skerry::model {

namespace context = boost::context::detail;

engine& engine::instance() {
    static engine the_engine;
    return the_engine;
}

// --- fibers ---------------------------------------------------------------------------------------------------------

struct fiber_entry {
    static void start(context::transfer_t from) {
        engine& e = engine::instance();
        e.scheduler_ = from.fctx;
        const int self = e.running_;
        if (self == static_cast<int>(engine::host)) {
            (*e.host_body_)();
        } else {
            e.scenario_->threads[static_cast<unsigned>(self)](e.world_);
            if (e.options_.interrupts) {
                request end;
                end.what = action::thread_end;
                e.perform(end);
            }
        }
        e.of(static_cast<unsigned>(self)).state = thread_state::finished;
        for (;;) {
            e.leave();
        }
    }
};

void engine::create_fiber(unsigned t) {
    control& c = of(t);
    c = control{};
    c.context = context::make_fcontext(&c, stack_size - sizeof(control), &fiber_entry::start);
}

// Out of line, so that what a fiber may keep of its caller's registers is the same for every caller.
[[gnu::noinline]] void engine::run(unsigned t) {
    running_ = static_cast<int>(t);
    steps_ = 0;
    if (t != host && options_.on_resume != nullptr) {
        options_.on_resume(t);
    }
    // Likewise for what lies below the stack pointer and may become an uninitialised part of a frame.
    std::memset(static_cast<std::byte*>(of(t).context) - dead_stack, 0, dead_stack);
    const void* const before = of(t).context;
    testing_ = true;
    const context::transfer_t back = context::jump_fcontext(of(t).context, nullptr);
    testing_ = false;
    running_ = -1;
    of(t).context = of(t).state == thread_state::finished ? nullptr : back.fctx;
    if (events != nullptr && t != host) {
        note_dead_frames(t, before);
    }
}

void engine::note_event(event e) {
    if (events != nullptr) {
        const testing_pause pause(*this);
        events->push_back(e);
    }
}

// What others touch there is what matters of them.
void engine::note_dead_frames(unsigned t, const void* before) {
    const auto begin = reinterpret_cast<std::uintptr_t>(before);
    const auto end = reinterpret_cast<std::uintptr_t>(of(t).context == nullptr ? stack_top(t) : of(t).context);
    for (std::uintptr_t at = begin; at < end; at += granule) {
        if (others_touch(t, at)) {
            note_event(
                {.address = at, .size = granule, .of = event::kind::end, .thread = static_cast<std::uint8_t>(t)});
        }
    }
}

[[gnu::noinline]] void engine::leave() { scheduler_ = context::jump_fcontext(scheduler_, nullptr).fctx; }

void engine::run_host(const std::function<void()>& body) {
    ++changes_;
    host_body_ = &body;
    create_fiber(host);
    run(host);
    host_body_ = nullptr;
}

void engine::fail(const std::string& kind, const std::string& text) {
    if (running_ < 0) {
        throw std::logic_error("model: " + kind + ": " + text);
    }
    testing_ = false;
    if (failure_kind_.empty()) {
        failure_kind_ = kind;
        failure_text_ = running_ == static_cast<int>(host) ? text : "T" + std::to_string(running_) + ": " + text;
    }
    for (;;) {
        leave();
    }
}

void engine::fail_known(std::uintptr_t address, unsigned size, std::uint64_t known, std::uint64_t found) {
    const testing_pause pause(*this);
    fail("not as known",
         name_of(address) + " is known to be " + value_text(known, size) + " and holds " + value_text(found, size));
}

void engine::give_up(unsigned t, const std::string& kind, const std::string& text) {
    const bool testing = std::exchange(testing_, false);
    if (failure_kind_.empty()) {
        failure_kind_ = kind;
        failure_text_ = "T" + std::to_string(t) + ": " + text;
    }
    testing_ = testing;
}

void engine::forget_failure() {
    failure_kind_.clear();
    failure_text_.clear();
    restart_ = false;
}

// --- one scenario ---------------------------------------------------------------------------------------------------

void engine::start(const scenario& s, const options& o) {
    if (s.threads.empty() || s.threads.size() > max_threads) {
        throw std::logic_error("model: a scenario has 1 to 4 threads");
    }
    if (o.buffer_entries < 1 || o.buffer_entries > buffer_capacity) {
        throw std::logic_error("model: a store buffer has 1 to 24 entries");
    }
    if (o.interrupts && o.memory != memory_order_of::caches && o.memory != memory_order_of::sequential) {
        throw std::logic_error("model: interrupts need caches or sequential memory");
    }
    scenario_ = &s;
    options_ = o;
    threads_ = static_cast<unsigned>(s.threads.size());
    arena_.fill(std::byte{});
    buffers_.fill(buffer{});
    cores_.fill(core_state{});
    views_.clear(threads_, options_.newest);
    names_.clear();
    forget_failure();
    conflicts_.resize(arena_size / granule);
    for (std::size_t i = 0; i < heaps; ++i) {
        reinterpret_cast<heap_head*>(heap(i))->used = sizeof(heap_head);
    }
    run_host([&] {
        globals_ = o.globals.empty() ? nullptr : static_cast<std::byte*>(allocate(o.globals.size(), granule));
        world_ = s.build();
    });
    for (unsigned t = 0; t < threads_; ++t) {
        create_fiber(t);
    }
    settle();
}

void engine::apply(const transition& t) {
    ++changes_;
    switch (t.kind) {
    case transition_kind::step:
        of(t.thread).begun = (options_.alike >> t.thread & 1) != 0;
        execute(t.thread, t.alternative);
        break;
    case transition_kind::flush: weak() ? pass(t.thread) : flush(t.thread, t.alternative); break;
    case transition_kind::spurious:
        write_log(t.thread, "w",
                  of(t.thread).timed ? "futex_wait runs out of time" : "futex_wait returns for no reason");
        of(t.thread).state = thread_state::ready;
        note_event({.address = of(t.thread).waiting_on,
                    .of = event::kind::self_wake,
                    .what = action::futex_wait,
                    .thread = t.thread});
        of(t.thread).waiting_on = 0;
        of(t.thread).timed = false;
        break;
    }
    settle();
}

// Runs every thread to its next visible operation, and lets every store that nobody else can see reach memory.
void engine::settle() {
    bool changed = true;
    while (changed && !failed() && !restart_) {
        changed = false;
        for (unsigned t = 0; t < threads_ && !failed() && !restart_; ++t) {
            if (options_.reduce) {
                for (std::size_t i = 0; i < unseen_stores(t);) {
                    if (may_flush(t, i) && !other_threads_touch(t, unseen_store(t, i))) {
                        flush(t, i);
                        changed = true;
                        i = 0;
                    } else {
                        ++i;
                    }
                }
            }
            control& c = of(t);
            if (cores_[t].asked_by != 0 && cores_[t].handling == 0) {
                c.state = thread_state::ready;
                c.waiting_on = 0;
                c.timed = false;
                run(t);
                changed = true;
                continue;
            }
            if (c.state != thread_state::ready) {
                continue;
            }
            if (c.pending.what != action::none) {
                if (!options_.reduce || visible(t, c.pending) || !possible(t)) {
                    continue;
                }
                execute(t, 0);
            }
            if (c.state == thread_state::ready && !failed()) {
                run(t);
            }
            changed = true;
        }
    }
    if (weak() && !failed() && !restart_) {
        reduce_views();
    }
}

std::vector<transition> engine::enabled() const {
    std::vector<transition> result;
    for (unsigned t = 0; t < threads_; ++t) {
        const auto add = [&](transition_kind kind, std::size_t alternative) {
            result.push_back({static_cast<std::uint8_t>(t), kind, static_cast<std::uint16_t>(alternative)});
        };
        if (of(t).state == thread_state::ready && possible(t) && may_begin(t)) {
            for (unsigned a = 0; a < alternatives(t); ++a) {
                add(transition_kind::step, a);
            }
        }
        if (of(t).state == thread_state::waiting && (options_.spurious_wakes || of(t).timed)) {
            add(transition_kind::spurious, 0);
        }
        if (weak() && views_.asked(t)) {
            add(transition_kind::flush, 0);
        }
        for (std::size_t i = 0; i < unseen_stores(t); ++i) {
            if (may_flush(t, i)) {
                add(transition_kind::flush, i);
            }
        }
    }
    return result;
}

// Threads that are alike can be named in the order in which they begin.
bool engine::may_begin(unsigned t) const {
    if ((options_.alike >> t & 1) == 0 || of(t).begun) {
        return true;
    }
    for (unsigned u = 0; u < t; ++u) {
        if ((options_.alike >> u & 1) != 0 && !of(u).begun && of(u).state != thread_state::finished) {
            return false;
        }
    }
    return true;
}

bool engine::fails_for_no_reason(const transition& t) const {
    const request& r = of(t.thread).pending;
    if (r.what != action::compare_exchange_weak) {
        return false;
    }
    return weak() && tracked(t.thread, r)
               ? views_.fails_for_no_reason(t.thread, r, t.alternative, options_.spurious_wakes)
               : t.alternative == 1;
}

bool engine::progress(const transition& t) const {
    if (caches() && t.kind == transition_kind::flush) {
        return threads_ended();
    }
    if (t.kind == transition_kind::step && served_by_cache(of(t.thread).pending)) {
        return t.alternative == 0;
    }
    return t.kind == transition_kind::flush || (t.kind == transition_kind::spurious && of(t.thread).timed) ||
           (t.kind == transition_kind::step && !fails_for_no_reason(t));
}

bool engine::threads_ended() const {
    for (unsigned t = 0; t < threads_; ++t) {
        if (of(t).state != thread_state::finished) {
            return false;
        }
    }
    return true;
}

bool engine::finished() const {
    for (unsigned t = 0; t < threads_; ++t) {
        if (unseen_stores(t) != 0) {
            return false;
        }
    }
    return threads_ended();
}

void engine::look_at_state() {
    if (scenario_->always != nullptr) {
        run_host([this] { scenario_->always(world_); });
    }
}

void engine::finish() {
    run_host([&] {
        if (scenario_->finally != nullptr) {
            scenario_->finally(world_);
        }
        scenario_->destroy(world_);
        if (globals_ != nullptr) {
            release(globals_);
        }
        if (options_.leaks_allowed) {
            return;
        }
        for (std::size_t h = 0; h < heaps; ++h) {
            const std::size_t used = reinterpret_cast<const heap_head*>(heap(h))->used;
            for (std::size_t at = sizeof(heap_head); at < used;) {
                const auto* b = reinterpret_cast<const block*>(heap(h) + at);
                if (b->live == 1) {
                    fail("leak", "a block of " + std::to_string(b->size) + " bytes is never freed");
                }
                at += b->total;
            }
        }
    });
}

// --- components -----------------------------------------------------------------------------------------------------

std::byte* engine::component_data(std::size_t k) {
    return weak() && k > 3 * threads_ ? views_.data() : component_place(k, component_size(k));
}

std::byte* engine::component_place(std::size_t k, std::size_t size) {
    if (k <= threads_) {
        return heap(k);
    }
    if (k <= 2 * threads_) {
        return stack_top(static_cast<unsigned>(k - threads_ - 1)) - size;
    }
    if (k <= 3 * threads_) {
        return reinterpret_cast<std::byte*>(&buffers_[k - 2 * threads_ - 1]);
    }
    if (weak()) {
        return views_.replace(size);
    }
    return reinterpret_cast<std::byte*>(&cores_[k - 3 * threads_ - 1]);
}

std::size_t engine::component_size(std::size_t k) const {
    if (k <= threads_) {
        return reinterpret_cast<const heap_head*>(heap(k))->used;
    }
    if (k <= 2 * threads_) {
        const auto t = static_cast<unsigned>(k - threads_ - 1);
        const control& c = of(t);
        return c.context == nullptr ? sizeof(control)
                                    : static_cast<std::size_t>(stack_top(t) - static_cast<const std::byte*>(c.context));
    }
    if (k <= 3 * threads_) {
        return offsetof(buffer, entries) + buffers_[k - 2 * threads_ - 1].count * sizeof(entry);
    }
    if (weak()) {
        return views_.size();
    }
    return offsetof(core_state, words) + cores_[k - 3 * threads_ - 1].count * sizeof(cached_word);
}

// --- the arena's heap -----------------------------------------------------------------------------------------------

void* engine::allocate(std::size_t size, std::size_t alignment) {
    if (!testing_) {
        return nullptr;
    }
    // A heap per thread, so that an address does not depend on who allocated first.
    const std::size_t h = running_ == static_cast<int>(host) ? 0 : static_cast<std::size_t>(running_) + 1;
    auto* head = reinterpret_cast<heap_head*>(heap(h));
    std::size_t begin = head->used + sizeof(block);
    begin = (begin + alignment - 1) / alignment * alignment;
    const std::size_t end = (begin + std::max<std::size_t>(size, 1) + 15) / 16 * 16;
    if (end > heap_size) {
        fail("limit", "the arena's heap is full");
    }
    auto* b = reinterpret_cast<block*>(heap(h) + head->used);
    b->total = static_cast<std::uint32_t>(end - head->used);
    b->begin = static_cast<std::uint32_t>(begin - head->used);
    b->size = static_cast<std::uint32_t>(size);
    b->live = 1;
    head->used = end;
    std::memset(heap(h) + begin, 0, size); // what an earlier run left here must not make states differ
    return heap(h) + begin;
}

bool engine::release(void* p) {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    if (!inside(address)) {
        return false;
    }
    const std::size_t h = (address - reinterpret_cast<std::uintptr_t>(arena_.data())) / heap_size;
    if (h >= heaps) {
        fail("bad free", "the block is on a stack");
    }
    const std::size_t used = reinterpret_cast<const heap_head*>(heap(h))->used;
    for (std::size_t at = sizeof(heap_head); at < used;) {
        auto* b = reinterpret_cast<block*>(heap(h) + at);
        if (heap(h) + at + b->begin == p) {
            if (b->live != 1) {
                fail("double free", name_of(address));
            }
            b->live = 2;
            if (on_thread()) {
                note_event({.address = address,
                            .size = b->size,
                            .of = event::kind::end,
                            .thread = static_cast<std::uint8_t>(running_)});
            }
            forget(address, b->size, -1);
            forget_in_views(address, address + b->size);
            std::memset(p, 0xdd, b->size);
            return true;
        }
        at += b->total;
    }
    fail("bad free", "not the beginning of a block");
}

bool engine::inside(std::uintptr_t address) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(arena_.data());
    return address >= begin && address < begin + arena_size;
}

void engine::place_globals(request& r) const {
    const std::uintptr_t offset = r.address - reinterpret_cast<std::uintptr_t>(options_.globals.data());
    if (offset < options_.globals.size()) {
        r.address = reinterpret_cast<std::uintptr_t>(globals_) + offset;
    }
}

std::size_t engine::granule_of(std::uintptr_t address) const {
    return (address - reinterpret_cast<std::uintptr_t>(arena_.data())) / granule;
}

// An access must hit a live block, or the living part of a stack.
void engine::check_address(unsigned t, const request& r) {
    if (r.address == 0 && r.size == 0) {
        return;
    }
    if (!inside(r.address)) {
        fail("wild access", request_text(r) + " is outside the arena: an object was not made by the world");
    }
    if (r.address % r.size != 0) {
        fail("wild access", request_text(r) + " is not aligned");
    }
    const std::size_t offset = r.address - reinterpret_cast<std::uintptr_t>(arena_.data());
    if (offset >= heaps * heap_size) {
        const auto owner = static_cast<unsigned>((offset - heaps * heap_size) / stack_size);
        if (owner == t || owner == host) {
            return;
        }
        if (of(owner).context == nullptr || r.address < reinterpret_cast<std::uintptr_t>(of(owner).context)) {
            fail("dead stack", request_text(r) + " is in a frame that T" + std::to_string(owner) + " has left");
        }
        return;
    }
    const std::size_t h = offset / heap_size;
    const std::size_t used = reinterpret_cast<const heap_head*>(heap(h))->used;
    const auto* p = reinterpret_cast<const std::byte*>(r.address);
    for (std::size_t at = sizeof(heap_head); at < used;) {
        const auto* b = reinterpret_cast<const block*>(heap(h) + at);
        const std::byte* begin = heap(h) + at + b->begin;
        if (p >= begin && p + r.size <= begin + b->size) {
            if (b->live != 1) {
                fail("use after free", request_text(r));
            }
            return;
        }
        at += b->total;
    }
    fail("wild access", request_text(r) + " is in no block");
}

// --- what is learned ------------------------------------------------------------------------------------------------

bool engine::take_learned() { return std::exchange(learned_, false); }

void engine::forget_conflicts() {
    conflicts_.assign(arena_size / granule, touched{});
    heavy_used_ = false;
    learned_ = false;
}

bool engine::others_write(unsigned t, std::uintptr_t address) const {
    const touched& c = conflicts_[granule_of(address)];
    return c.forced || (c.writers & ~own_accessors(t)) != 0;
}

bool engine::others_touch(unsigned t, std::uintptr_t address) const {
    const touched& c = conflicts_[granule_of(address)];
    return c.forced || ((c.readers | c.writers) & ~own_accessors(t)) != 0;
}

bool engine::other_threads_touch(unsigned t, std::uintptr_t address) const {
    const touched& c = conflicts_[granule_of(address)];
    return c.forced || ((c.readers | c.writers) & ~(1U << t | 1U << (t + max_threads))) != 0;
}

std::uintptr_t engine::unseen_store(unsigned t, std::size_t index) const {
    return caches() ? dirty_word_at(t, index)->address : buffers_[t].entries[index].address;
}

// Treating an operation as local was right as long as no other thread ever conflicts with it. When one does, all that
// was explored under the old belief is void and the exploration starts again with the better one.
void engine::note_access(unsigned t, const request& r) {
    if (r.what == action::heavy_fence && !heavy_used_) {
        heavy_used_ = true;
        learn_now();
    }
    if (r.size == 0) {
        return;
    }
    if (served_by_cache(r) && (r.what == action::load || r.what == action::plain_load)) {
        touched& c = conflicts_[granule_of(r.address)];
        const auto cached = static_cast<std::uint8_t>(c.cached | 1U << t);
        if (std::exchange(c.cached, cached) != cached && c.writers != 0 &&
            std::popcount(static_cast<unsigned>(c.readers | c.writers)) > 1) {
            learn_now();
        }
    }
    switch (r.what) {
    case action::load:
    case action::plain_load:
    case action::futex_wait: note_touch(t, r.address, true, false); break;
    case action::store:
    case action::plain_store: note_touch(t, r.address, false, true); break;
    default: note_touch(t, r.address, true, true); break;
    }
}

void engine::learn_now() {
    learned_ = true;
    restart_ = restart_ || (!learning_ && options_.reduce);
}

void engine::note_touch(unsigned t, std::uintptr_t address, bool reads, bool writes) {
    touched& c = conflicts_[granule_of(address)];
    const touched before = c;
    const auto bit = static_cast<std::uint8_t>(1U << accessor(t));
    c.readers |= reads ? bit : std::uint8_t{0};
    c.writers |= writes ? bit : std::uint8_t{0};
    const bool changed = c.readers != before.readers || c.writers != before.writers;
    if (changed && c.writers != 0 && std::popcount(static_cast<unsigned>(c.readers | c.writers)) > 1) {
        learn_now();
    }
}

} // namespace skerry::model
