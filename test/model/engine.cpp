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
    // Likewise for what lies below the stack pointer and may become an uninitialised part of a frame.
    std::memset(static_cast<std::byte*>(of(t).context) - dead_stack, 0, dead_stack);
    testing_ = true;
    const context::transfer_t back = context::jump_fcontext(of(t).context, nullptr);
    testing_ = false;
    running_ = -1;
    of(t).context = of(t).state == thread_state::finished ? nullptr : back.fctx;
}

[[gnu::noinline]] void engine::leave() { scheduler_ = context::jump_fcontext(scheduler_, nullptr).fctx; }

void engine::run_host(const std::function<void()>& body) {
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
    scenario_ = &s;
    options_ = o;
    threads_ = static_cast<unsigned>(s.threads.size());
    arena_.fill(std::byte{});
    buffers_.fill(buffer{});
    names_.clear();
    forget_failure();
    conflicts_.resize(arena_size / granule);
    for (std::size_t i = 0; i < heaps; ++i) {
        reinterpret_cast<heap_head*>(heap(i))->used = sizeof(heap_head);
    }
    run_host([&] { world_ = s.build(); });
    for (unsigned t = 0; t < threads_; ++t) {
        create_fiber(t);
    }
    settle();
}

void engine::apply(const transition& t) {
    switch (t.kind) {
    case transition_kind::step: execute(t.thread, t.alternative); break;
    case transition_kind::flush: flush(t.thread, t.alternative); break;
    case transition_kind::spurious:
        write_log(t.thread, "w",
                  of(t.thread).timed ? "futex_wait runs out of time" : "futex_wait returns for no reason");
        of(t.thread).state = thread_state::ready;
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
                for (std::size_t i = 0; i < buffers_[t].count;) {
                    if (may_flush(t, i) && !others_touch(t, buffers_[t].entries[i].address)) {
                        flush(t, i);
                        changed = true;
                        i = 0;
                    } else {
                        ++i;
                    }
                }
            }
            const control& c = of(t);
            if (c.state != thread_state::ready) {
                continue;
            }
            if (c.pending.what != action::none) {
                if (!options_.reduce || visible(t, c.pending) || !possible(t)) {
                    continue;
                }
                execute(t, 0);
            }
            if (c.state == thread_state::ready) {
                run(t);
            }
            changed = true;
        }
    }
}

std::vector<transition> engine::enabled() const {
    std::vector<transition> result;
    for (unsigned t = 0; t < threads_; ++t) {
        const auto add = [&](transition_kind kind, std::size_t alternative) {
            result.push_back({static_cast<std::uint8_t>(t), kind, static_cast<std::uint16_t>(alternative)});
        };
        if (of(t).state == thread_state::ready && possible(t)) {
            for (unsigned a = 0; a < alternatives(t); ++a) {
                add(transition_kind::step, a);
            }
        }
        if (of(t).state == thread_state::waiting && (options_.spurious_wakes || of(t).timed)) {
            add(transition_kind::spurious, 0);
        }
        for (std::size_t i = 0; i < buffers_[t].count; ++i) {
            if (may_flush(t, i)) {
                add(transition_kind::flush, i);
            }
        }
    }
    return result;
}

bool engine::progress(const transition& t) const {
    return t.kind == transition_kind::flush || (t.kind == transition_kind::spurious && of(t.thread).timed) ||
           (t.kind == transition_kind::step &&
            !(of(t.thread).pending.what == action::compare_exchange_weak && t.alternative == 1));
}

bool engine::finished() const {
    for (unsigned t = 0; t < threads_; ++t) {
        if (of(t).state != thread_state::finished || buffers_[t].count != 0) {
            return false;
        }
    }
    return true;
}

void engine::finish() {
    run_host([&] {
        if (scenario_->finally != nullptr) {
            scenario_->finally(world_);
        }
        scenario_->destroy(world_);
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

std::byte* engine::component_data(std::size_t k) { return component_place(k, component_size(k)); }

std::byte* engine::component_place(std::size_t k, std::size_t size) {
    if (k <= threads_) {
        return heap(k);
    }
    if (k <= 2 * threads_) {
        return stack_top(static_cast<unsigned>(k - threads_ - 1)) - size;
    }
    return reinterpret_cast<std::byte*>(&buffers_[k - 2 * threads_ - 1]);
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
    return offsetof(buffer, entries) + buffers_[k - 2 * threads_ - 1].count * sizeof(entry);
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
    return c.forced || (c.writers & ~(1U << t)) != 0;
}

bool engine::others_touch(unsigned t, std::uintptr_t address) const {
    const touched& c = conflicts_[granule_of(address)];
    return c.forced || ((c.readers | c.writers) & ~(1U << t)) != 0;
}

// Treating an operation as local was right as long as no other thread ever conflicts with it. When one does, all that
// was explored under the old belief is void and the exploration starts again with the better one.
void engine::note_access(unsigned t, const request& r) {
    const auto learn = [this] {
        learned_ = true;
        restart_ = restart_ || (!learning_ && options_.reduce);
    };
    if (r.what == action::heavy_fence && !heavy_used_) {
        heavy_used_ = true;
        learn();
    }
    if (r.size == 0) {
        return;
    }
    touched& c = conflicts_[granule_of(r.address)];
    const touched before = c;
    const auto bit = static_cast<std::uint8_t>(1U << t);
    switch (r.what) {
    case action::load:
    case action::plain_load:
    case action::futex_wait: c.readers |= bit; break;
    case action::store:
    case action::plain_store: c.writers |= bit; break;
    default:
        c.readers |= bit;
        c.writers |= bit;
        break;
    }
    const bool changed = c.readers != before.readers || c.writers != before.writers;
    if (changed && c.writers != 0 && std::popcount(static_cast<unsigned>(c.readers | c.writers)) > 1) {
        learn();
    }
}

} // namespace skerry::model
