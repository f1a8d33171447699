// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine under the explorer: up to four threads with x86-TSO store buffers (or weaker ones), futexes and an arena
// that holds everything they share. A thread is a fiber; its stack lies in the arena too, so that a state of the whole
// machine is a handful of byte ranges ("components") that can be compared, kept and put back. explorer.hpp walks the
// states; machine.hpp dresses the machine as a policy for the structures under test.
//
// An operation of a thread is *visible* if its order against operations of other threads can matter; only those are
// scheduling points. What is local is learned: see `conflicts` below and README.md.
//
// Thread safety: none; there is one host thread.
//
// Invariants
//  1. Between two transitions every ready thread has a pending request, and with reduction on, a visible one.
//  2. Whatever may change a component counts in changes(), or writes to component_place(); else what the walk knows of
//     it (walk.hpp) is taken for true without a look.
//  3. Nothing outside the arena decides what a thread does next.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cores.hpp"
#include "request.hpp"
#include "views.hpp"

namespace skerry::model {

inline constexpr std::size_t buffer_capacity = 24;

// What happened, for whoever orders it (happens_before.hpp). Of an operation: whether it touched memory, and whom it
// woke.
struct event {
    enum class kind : std::uint8_t {
        operation,
        flush,
        self_wake, // a futex wait has ended by itself
        probe,     // the memory was found alive when the operation was asked for
        end,       // memory died: a block was freed, a frame was left
    };
    std::uintptr_t address = 0;
    std::uint32_t size = 0;
    kind of = kind::operation;
    action what = action::none;
    std::uint8_t thread = 0;
    std::uint8_t woken = 0;  // bit i: thread i
    std::uint16_t index = 0; // of a flush
    bool reads = false;
    bool writes = false;
    bool plain = false;
    bool release = false;
    bool buffered = false; // a store that has gone to the buffer
    bool drains = false;   // has waited for the thread's stores
    bool sleeps = false;   // falls asleep; of a heavy fence: waits for its turn
};

// Seeds a fault: true if `answer` stands for the operation, which then does not happen. May also change the request, or
// perform others before it (engine::perform_besides). Called on the thread that asks; may look at nothing but the
// request, the thread and the memory. An exploration that ends well though its hook has never done any of this is a
// failure: what it looks for is not there, and nothing was tested.
using fault_hook = bool (*)(request& r, reply& answer);

// How far a store may stay behind.
enum class memory_order_of : std::uint8_t {
    tso,        // stores reach memory in program order: x86
    sequential, // stores reach memory at once: for logic, when the other two are too large
    partial,    // only release stores and light fences keep stores in order: finds a missing release or light fence
    caches,     // a private cache per thread, kept by software: caches.cpp
    rc11,       // C++ without load buffering: also loads may see what is old (views.hpp)
};

// How an exploration proceeds.
enum class walk_by : std::uint8_t {
    states, // keeps every state and walks none twice (explorer.cpp)
    traces, // keeps no state and runs one execution of each class of those that differ by commuting steps (dpor.cpp)
};

struct options {
    memory_order_of memory = memory_order_of::tso;
    std::size_t buffer_entries = 24;              // a store to a full buffer waits; counted in result::full_buffers
    bool full_buffers_allowed = false;            // otherwise a full buffer is a failure: the bound was too small
    bool spurious_wakes = true;                   // a futex wait may return at any time; a weak comparison may fail
    bool reduce = true;                           // treat what is learned to be local as local
    bool must_terminate = true;                   // every state must be able to reach the end
    bool leaks_allowed = false;                   // otherwise the world's destructor must leave no block behind
    std::size_t max_states = 12'000'000;          // reaching it is a failure
    bool out_of_memory = false;                   // operator new fails on the threads
    bool interrupts = false;                      // threads may interrupt each other: interrupts.cpp
    void (*on_resume)(unsigned thread) = nullptr; // before a thread runs: puts its thread-local variables in place
    std::span<const std::byte> globals{}; // atomics outside of the arena that the code under test uses: kept in it
    fault_hook fault = nullptr;
    walk_by walk = walk_by::states;
    std::uint8_t newest =
        0; // rc11: nobody may read, of one place, but so many stores; 0: whatever C++ lets it (views.hpp)
    std::uint8_t alike = 0; // bit i: thread i. Those do the same; they begin in the order of their numbers
};

// A flush in rc11: the thread passes the fence that another one's heavy fence asks for.
enum class transition_kind : std::uint8_t { step, flush, spurious };

struct transition {
    std::uint8_t thread = 0;
    transition_kind kind = transition_kind::step;
    std::uint16_t alternative = 0; // of a step; of a flush: the entry's index
};

// A world for the threads to run in. Functions are called with the world's address.
struct scenario {
    std::function<void*()> build; // in the arena
    std::vector<void (*)(void*)> threads;
    void (*finally)(void*) = nullptr; // looks at each final state
    void (*always)(void*) = nullptr;  // looks at each state
    void (*destroy)(void*) = nullptr;
};

enum class thread_state : std::uint8_t { ready, waiting, finished };

class engine {
  public:
    static engine& instance();

    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    // --- for the code under test, by way of machine.hpp -------------------------------------------------------------
    reply perform(request r);
    bool on_thread() const { return running_ >= 0 && running_ != static_cast<int>(host); }
    // Whether memory holds the value and this thread has no store to it under way.
    bool holds(std::uintptr_t address, unsigned size, std::uint64_t value) const;
    [[noreturn]] void fail(const std::string& kind, const std::string& text);
    // A compiler was told what is not so.
    [[noreturn]] void fail_known(std::uintptr_t address, unsigned size, std::uint64_t known, std::uint64_t found);
    bool busy() const { return running_ >= 0; } // code under test runs
    void use_host_memory() { testing_ = false; }
    void* allocate(std::size_t size, std::size_t alignment); // null when no code under test runs
    bool out_of_memory() const { return testing_ && on_thread() && options_.out_of_memory; }
    bool release(void* p); // false if p is not of the arena
    // An object is gone: what caches hold of it goes with it. `only`: of this thread's; negative: of all.
    void forget(std::uintptr_t begin, std::size_t size, int only);
    void label(const void* p, std::size_t size, std::string_view name);
    void outcome(std::string_view text);
    void reached(std::string_view text);
    int thread() const { return running_; }
    bool in_handler() const { return on_thread() && cores_[static_cast<unsigned>(running_)].handling != 0; }
    std::string name_of(std::uintptr_t address) const;
    // Where what was labelled so begins; 0: nothing was.
    std::uintptr_t place_of(std::string_view name) const;
    // For what looks at each state: whether the thread sleeps until somebody wakes it, has no store under way.
    bool asleep(unsigned t) const { return of(t).state == thread_state::waiting && !of(t).timed; }
    bool drained(unsigned t) const { return buffers_[t].count == 0; }
    // What the running thread would read there now: for fault hooks. No step, and nobody learns of it.
    std::uint64_t look(std::uintptr_t address, unsigned size) const;
    // Does what was not asked for: for fault hooks, which do not see it.
    reply perform_besides(request r);

    // --- for the explorer -------------------------------------------------------------------------------------------
    // Builds the world afresh and brings every thread to its first visible operation.
    void start(const scenario& s, const options& o);
    std::vector<transition> enabled() const;
    bool progress(const transition& t) const; // false for what may happen but must not be relied on
    void apply(const transition& t);
    bool finished() const;
    void look_at_state(); // calls always
    void finish();        // calls finally and destroy; the state is worthless afterwards
    // Says which two threads race on a plain cell, if any do in this state.
    std::string race() const;

    bool failed() const { return !failure_kind_.empty(); }
    bool restart_wanted() const { return restart_; }
    void forget_failure();
    void learn(bool on) { learning_ = on; }
    bool take_learned();
    void forget_conflicts();

    // Grows with all that may change a component, but for who writes to component_place().
    std::uint64_t changes() const { return changes_; }
    std::size_t components() const { return 1 + (cores() ? 4 : 3) * threads_ + (weak() ? 1 : 0); }
    std::byte* component_data(std::size_t k);
    std::size_t component_size(std::size_t k) const;
    bool grows_down(std::size_t k) const { return k > threads_ && k <= 2 * threads_; } // the stacks
    std::size_t stack_component(unsigned t) const { return 1 + threads_ + t; }
    // Where a component of that size goes back to.
    std::byte* component_place(std::size_t k, std::size_t size);

    // --- what the explorer reports ----------------------------------------------------------------------------------
    struct log_line {
        char token[8];
        std::string text;
    };
    std::vector<log_line>* log = nullptr;
    std::vector<event>* events = nullptr;
    std::string describe_threads() const;
    const std::string& failure_kind() const { return failure_kind_; }
    const std::string& failure_text() const { return failure_text_; }
    std::set<std::string> outcomes;
    std::set<std::string> goals;
    std::uint64_t full_buffers = 0;
    std::uint64_t faults = 0; // how often the hook has changed something

  private:
    static constexpr std::size_t heap_size = std::size_t{1} << 15;
    static constexpr std::size_t stack_size = std::size_t{1} << 16;
    static constexpr std::size_t heaps = max_threads + 1;
    static constexpr std::size_t stacks = max_threads + 1; // the last one runs build and finally
    static constexpr unsigned host = max_threads;
    static constexpr std::size_t arena_size = heaps * heap_size + stacks * stack_size;
    static constexpr std::size_t granule = 8;
    static constexpr std::size_t dead_stack = 1024;
    static constexpr unsigned step_limit = 20'000; // local operations in one transition

    // The top of a thread's stack.
    struct control {
        void* context;
        request pending;
        std::uint64_t value;
        std::uint64_t done;
        std::uintptr_t waiting_on;
        thread_state state;
        bool timed; // the wait ends by itself after a while
        bool begun; // has made a visible step
        std::uint8_t unused[5];
    };
    struct entry {
        std::uintptr_t address;
        std::uint64_t value;
        std::uint8_t size;
        std::uint8_t release;
        std::uint8_t plain;
        std::uint8_t sealed;       // a light fence came after it
        std::uint8_t fence_before; // a light fence came before it, after the entry in front of it
        std::uint8_t owed;         // bit i: thread i's heavy fence waits for it
        std::uint8_t unused[2];
    };
    struct buffer {
        std::uint32_t count;
        std::uint32_t fence_pending;
        std::array<entry, buffer_capacity> entries;
    };
    struct block {
        std::uint32_t total;
        std::uint32_t begin;
        std::uint32_t size;
        std::uint32_t live;
    };
    struct heap_head {
        std::uint64_t used;
        std::uint64_t unused;
    };
    // Which threads have read and written a granule, over all that was explored so far. A thread's interrupt handler
    // counts as another thread: bit max_threads and up.
    struct touched {
        std::uint8_t readers = 0;
        std::uint8_t writers = 0;
        std::uint8_t cached = 0; // which threads have read it through their caches
        bool forced = false;     // somebody spins on it: treat it as shared
    };
    struct named {
        std::uintptr_t begin;
        std::size_t size;
        std::string name;
    };

    engine() = default;

    std::byte* heap(std::size_t i) { return arena_.data() + i * heap_size; }
    const std::byte* heap(std::size_t i) const { return arena_.data() + i * heap_size; }
    std::byte* stack_top(unsigned i) { return arena_.data() + heaps * heap_size + (i + 1) * stack_size; }
    const std::byte* stack_top(unsigned i) const { return arena_.data() + heaps * heap_size + (i + 1) * stack_size; }
    control& of(unsigned t) { return *reinterpret_cast<control*>(stack_top(t) - sizeof(control)); }
    const control& of(unsigned t) const { return *reinterpret_cast<const control*>(stack_top(t) - sizeof(control)); }
    bool inside(std::uintptr_t address) const;
    std::size_t granule_of(std::uintptr_t address) const;

    void create_fiber(unsigned t);
    bool answered_by_fault(request& r, reply& answer);
    void run(unsigned t);
    void run_host(const std::function<void()>& body);
    void leave();
    void settle();

    bool visible(unsigned t, const request& r) const;
    bool wait_for_turn(unsigned t, const request& r);
    bool possible(unsigned t) const;
    bool may_begin(unsigned t) const;
    unsigned alternatives(unsigned t) const;
    void execute(unsigned t, unsigned alternative);
    void flush(unsigned t, std::size_t index);
    bool may_flush(unsigned t, std::size_t index) const;
    std::uint64_t read(unsigned t, const request& r) const;
    void append(unsigned t, const request& r);
    void write_memory(unsigned t, std::uintptr_t address, std::uint64_t value, unsigned size);
    void check_address(unsigned t, const request& r);
    void place_globals(request& r) const;
    void note_access(unsigned t, const request& r);
    void note_touch(unsigned t, std::uintptr_t address, bool reads, bool writes);
    void learn_now();
    bool heavy_in_flight() const;
    void note_event(event e);
    void note_dead_frames(unsigned t, const void* before);
    std::vector<unsigned> waiters(std::uintptr_t address) const;
    void sleep_if(unsigned t, const request& r);
    std::uint8_t wake(const request& r, unsigned alternative);
    void write_step(unsigned t, const request& r, unsigned alternative);
    bool weak() const { return options_.memory == memory_order_of::rc11; }
    bool tracked(unsigned t, const request& r) const;
    bool fails_for_no_reason(const transition& t) const;
    void execute_in_views(unsigned t, const request& r, unsigned alternative);
    bool visible_in_views(unsigned t, const request& r) const;
    void pass(unsigned t);
    void forget_in_views(std::uintptr_t begin, std::uintptr_t end);
    void reduce_views();
    std::string race_in_views() const;
    std::string describe_views() const;
    reply perform_directly(const request& r);
    bool others_write(unsigned t, std::uintptr_t address) const;
    bool others_touch(unsigned t, std::uintptr_t address) const;
    bool other_threads_touch(unsigned t, std::uintptr_t address) const; // not counting the thread's own handler
    std::uintptr_t unseen_store(unsigned t, std::size_t index) const;
    unsigned accessor(unsigned t) const { return cores_[t].handling != 0 ? t + max_threads : t; }
    std::size_t unseen_stores(unsigned t) const { return caches() ? dirty_words(t) : buffers_[t].count; }
    bool threads_ended() const;
    void give_up(unsigned t, const std::string& kind, const std::string& text); // as fail(), where no fiber may run

    // caches.cpp
    bool cores() const { return caches() || options_.interrupts; }
    bool caches() const { return options_.memory == memory_order_of::caches; }
    bool visible_beside_caches(unsigned t, const request& r) const;
    bool served_by_cache(const request& r) const;
    bool may_evict(unsigned t, std::size_t index) const;
    void write_back(unsigned t, std::size_t index);
    std::size_t dirty_words(unsigned t) const;
    const cached_word* dirty_word_at(unsigned t, std::size_t index) const;
    std::uint64_t load_cached(unsigned t, const request& r, unsigned alternative);
    void store_cached(unsigned t, const request& r);
    void go_past_cache(unsigned t, const request& r);
    void publish(unsigned t, const request& r);
    void discard(unsigned t, const request& r);
    void age_copies(unsigned t, std::uintptr_t address, std::uint64_t value, unsigned size);
    std::size_t old_copies(unsigned t, std::uintptr_t address) const;
    const cached_word* dirty_word(unsigned t, std::uintptr_t address, unsigned size) const;

    // interrupts.cpp
    void send_interrupt(unsigned t, unsigned to);
    void change_mask(unsigned t, int by);
    void take_interrupt(unsigned t);
    unsigned own_accessors(unsigned t) const;
    bool handler_touches(unsigned t, std::uintptr_t address) const;

    std::string value_text(std::uint64_t value, unsigned size) const;
    std::string request_text(const request& r) const;
    void write_log(unsigned t, const char* token, const std::string& text);

    // Part of the state.
    alignas(4096) std::array<std::byte, arena_size> arena_{};
    std::array<buffer, max_threads> buffers_{};
    std::array<core_state, max_threads> cores_{};
    mutable views views_; // of rc11; const functions decode it

    // Constant while one scenario runs.
    const scenario* scenario_ = nullptr;
    options options_;
    unsigned threads_ = 0;
    void* world_ = nullptr;
    std::vector<named> names_;
    std::byte* globals_ = nullptr; // options::globals, in the arena

    // Of the transition that runs.
    int running_ = -1;     // thread, `host`, or none
    bool testing_ = false; // code under test runs: operator new serves it from the arena
    void* scheduler_ = nullptr;
    const std::function<void()>* host_body_ = nullptr;
    std::uint64_t changes_ = 0;
    unsigned steps_ = 0;
    bool restart_ = false;
    std::string failure_kind_;
    std::string failure_text_;

    // Learned over all transitions.
    std::vector<touched> conflicts_;
    bool heavy_used_ = false;
    bool learning_ = false;
    bool learned_ = false;
    bool newly_forced_ = false;

    friend struct fiber_entry;
    friend class testing_pause;
};

} // namespace skerry::model
