// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine policy (skerry/detail/sync/native.hpp) of the explorer. A test derives from `machine` to shrink a
// constant further or to break something on purpose.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <source_location>
#include <type_traits>

#include <skerry/detail/base/memory_order.hpp>
#include <skerry/detail/sync/coherence_step.hpp>
#include <skerry/detail/sync/heavy_fence.hpp>

#include "engine.hpp"

namespace skerry::model {

using place = std::source_location;

template <class T>
std::uint64_t to_word(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> &&
                  (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8));
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const void*>(&value), sizeof(T));
    return word;
}

template <class T>
T from_word(std::uint64_t word) {
    T value;
    std::memcpy(static_cast<void*>(&value), &word, sizeof(T));
    return value;
}

// One cell of the arena.
template <class T>
class cell {
  protected:
    // On a thread the first value is a store like any other, and a race with it is one. Memory that already holds it is
    // left alone. Constant initialisation is for globals, which only the host's code may use.
    constexpr cell(T value, const place& where) noexcept {
        if (std::is_constant_evaluated() || !engine::instance().on_thread()) {
            value_ = value;
        } else if (!engine::instance().holds(reinterpret_cast<std::uintptr_t>(&value_), sizeof(T), to_word(value))) {
            ask(action::plain_store, to_word(value), 0, memory_order::relaxed, where);
        }
    }

    // Its place on a stack may become anything.
    constexpr ~cell() {
        if (!std::is_constant_evaluated() && engine::instance().on_thread()) {
            engine::instance().forget(reinterpret_cast<std::uintptr_t>(&value_), sizeof(T),
                                      engine::instance().thread());
        }
    }

    reply ask(action what, std::uint64_t operand, std::uint64_t expected, memory_order order, const place& where,
              memory_order failure = memory_order::relaxed) const {
        request r;
        r.address = reinterpret_cast<std::uintptr_t>(&value_);
        r.operand = operand;
        r.expected = expected;
        r.file = where.file_name();
        r.function = where.function_name();
        r.line = where.line();
        r.what = what;
        r.size = sizeof(T);
        r.order = to_byte(order);
        r.failure = to_byte(failure);
        return engine::instance().perform(r);
    }

    alignas(sizeof(T)) T value_;
};

template <class T>
class atomic : cell<T> {
  public:
    using value_type = T;
    static constexpr bool is_always_lock_free = true;

    // Here, and not where it stands: Clang 19 does not take that for the elements of an array.
    constexpr atomic() noexcept : cell<T>(T{}, place::current()) {}
    // NOLINTNEXTLINE(google-explicit-constructor): the same
    constexpr atomic(T value, place where = place::current()) noexcept : cell<T>(value, where) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(memory_order o = memory_order::seq_cst, place where = place::current()) const noexcept {
        return from_word<T>(this->ask(action::load, 0, 0, o, where).value);
    }

    T load_here(place where = place::current()) const noexcept { return load(memory_order::relaxed, where); }
    bool exceeds_here(T than, place where = place::current()) const noexcept {
        return load(memory_order::relaxed, where) > than;
    }
    // A plain load, as compilers take it: another thread's store that is not ordered with it is a race.
    T own(place where = place::current()) const noexcept {
        return from_word<T>(this->ask(action::plain_load, 0, 0, memory_order::relaxed, where).value);
    }
    // What this thread has stored last, as it would read it now: no step, as long as nobody else writes.
    void known_own(T value, place where = place::current()) const noexcept {
        const std::uint64_t found = to_word(own(where));
        if (found != to_word(value)) {
            engine::instance().fail_known(reinterpret_cast<std::uintptr_t>(&this->value_), sizeof(T), to_word(value),
                                          found);
        }
    }

    void store(T value, memory_order o = memory_order::seq_cst, place where = place::current()) noexcept {
        this->ask(action::store, to_word(value), 0, o, where);
    }

    T exchange(T value, memory_order o = memory_order::seq_cst, place where = place::current()) noexcept {
        return from_word<T>(this->ask(action::exchange, to_word(value), 0, o, where).value);
    }

    bool compare_exchange_strong(T& expected, T wanted, memory_order o = memory_order::seq_cst,
                                 memory_order failure = memory_order::seq_cst,
                                 place where = place::current()) noexcept {
        return compare(action::compare_exchange, expected, wanted, o, failure, where);
    }
    bool compare_exchange_weak(T& expected, T wanted, memory_order o = memory_order::seq_cst,
                               memory_order failure = memory_order::seq_cst, place where = place::current()) noexcept {
        return compare(action::compare_exchange_weak, expected, wanted, o, failure, where);
    }

    T fetch_add(T value, memory_order o = memory_order::seq_cst, place where = place::current()) noexcept {
        return from_word<T>(this->ask(action::add, to_word(value), 0, o, where).value);
    }
    T fetch_sub(T value, memory_order o = memory_order::seq_cst, place where = place::current()) noexcept {
        return from_word<T>(this->ask(action::add, ~to_word(value) + 1, 0, o, where).value);
    }
    T fetch_and(T value, memory_order o = memory_order::seq_cst, place where = place::current()) noexcept {
        return from_word<T>(this->ask(action::bit_and, to_word(value), 0, o, where).value);
    }
    T fetch_or(T value, memory_order o = memory_order::seq_cst, place where = place::current()) noexcept {
        return from_word<T>(this->ask(action::bit_or, to_word(value), 0, o, where).value);
    }
    T fetch_xor(T value, memory_order o = memory_order::seq_cst, place where = place::current()) noexcept {
        return from_word<T>(this->ask(action::bit_xor, to_word(value), 0, o, where).value);
    }

  private:
    friend struct machine;

    bool compare(action what, T& expected, T wanted, memory_order o, memory_order failure, const place& where) {
        const reply got = this->ask(what, to_word(wanted), to_word(expected), o, where, failure);
        expected = from_word<T>(got.value);
        return got.done;
    }
};

// A cell that must never be accessed by two threads at once, one of them writing.
template <class T>
class plain : cell<T> {
  public:
    explicit plain(T value = T{}, place where = place::current()) noexcept : cell<T>(value, where) {}
    plain(const plain&) = delete;
    plain& operator=(const plain&) = delete;

    T get(place where = place::current()) const noexcept {
        return from_word<T>(this->ask(action::plain_load, 0, 0, memory_order::relaxed, where).value);
    }
    void set(T value, place where = place::current()) noexcept {
        this->ask(action::plain_store, to_word(value), 0, memory_order::relaxed, where);
    }
};

struct machine {
    template <class T>
    using atomic = model::atomic<T>;

    static constexpr std::size_t initial_capacity = 2;
    static constexpr std::size_t most_nested = 4;
    static constexpr std::size_t most_slots() noexcept { return 16; }
    static void* reserve(std::size_t bytes) noexcept { return ::operator new(bytes, std::nothrow); }
    static bool commit(void*, std::size_t) noexcept { return !engine::instance().out_of_memory(); }
    static void give_back(void* begin, std::size_t) noexcept { ::operator delete(begin); }
    static constexpr int gate_spins = 1;
    static constexpr int queue_looks = 1;
    static constexpr bool keeps_blocks = false;
    static constexpr memory_order owner_release = memory_order::release;

    static void light_fence(place where = place::current()) noexcept { ask(action::light_fence, 0, where); }
    static detail::heavy_fence heavy_fence(place where = place::current()) noexcept { return heavy_fence_as(0, where); }
    static bool asymmetric() noexcept { return true; }
    static constexpr bool coherent() noexcept { return true; }
    static void full_fence(place where = place::current()) noexcept { ask(action::full_fence, 0, where); }
    // What no structure asks for, but litmus tests do.
    static void fence(memory_order o, place where = place::current()) noexcept {
        ask(o == memory_order::seq_cst ? action::full_fence : action::fence, 0, where, o);
    }

    // Nothing: a loop that only reads comes back to a state that has been seen.
    static void pause() noexcept {}

    static void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                           place where = place::current()) noexcept {
        word.ask(action::futex_wait, 0, expected, memory_order::relaxed, where);
    }
    // May end by itself at any time, and in the end does.
    static void futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t,
                               place where = place::current()) noexcept {
        word.ask(action::futex_wait, 1, expected, memory_order::relaxed, where);
    }
    static void futex_wake(atomic<std::uint32_t>& word, int count, place where = place::current()) noexcept {
        word.ask(action::futex_wake, static_cast<std::uint64_t>(count), 0, memory_order::relaxed, where);
    }

    // Memory is coherent, and nobody interrupts.
    static void publish_all(detail::coherence_step) noexcept {}
    static void discard_all(detail::coherence_step) noexcept {}
    static void publish(const void*, std::size_t, detail::coherence_step) noexcept {}
    static void discard(const void*, std::size_t, detail::coherence_step) noexcept {}
    static constexpr unsigned max_cores = 1;
    static constexpr bool interrupts() noexcept { return false; }
    static constexpr unsigned core() noexcept { return 0; }
    static void mask_interrupts() noexcept {}
    static void unmask_interrupts() noexcept {}
    static bool interrupt(unsigned) noexcept { return false; }
    static void on_interrupt(void (*)(unsigned)) noexcept {}

    // Any of n, all of them explored.
    static unsigned choose(unsigned n, place where = place::current()) noexcept {
        return static_cast<unsigned>(ask(action::choose, n, where).value);
    }

  protected:
    static detail::heavy_fence heavy_fence_as(std::uint64_t how, const place& where) {
        if (!ask(action::heavy_fence, how, where).done) {
            return detail::heavy_fence::in_flight;
        }
        ask(action::heavy_fence_end, 0, where);
        return detail::heavy_fence::passed;
    }
    static reply ask(action what, std::uint64_t operand, const place& where, memory_order o = memory_order::seq_cst) {
        request r;
        r.operand = operand;
        r.order = to_byte(o);
        r.file = where.file_name();
        r.function = where.function_name();
        r.line = where.line();
        r.what = what;
        return engine::instance().perform(r);
    }
};

// A heavy fence that waits for its turn, for callers that try again until they get one: their tries are not states.
struct patient_machine : machine {
    static detail::heavy_fence heavy_fence(place where = place::current()) noexcept { return heavy_fence_as(1, where); }
};

} // namespace skerry::model
