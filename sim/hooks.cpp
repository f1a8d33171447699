// SPDX-License-Identifier: Apache-2.0

// What compilers call for -fsanitize=thread and -fsanitize-coverage in a simulated program, under the names that they
// fixed. The thread sanitizer's own library is not linked.
//
// A hook stands directly before its access, and no compiler moves the access away from it, so what host memory holds
// when the hook returns is what the program reads.

#include <cstddef>
#include <cstdint>

#include "sim/engine.hpp"
#include "sim/hooks.hpp"

namespace skerry_sim::detail {

constinit std::int64_t block_cycles = 4;

namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ using u128 = unsigned __int128;

[[gnu::noinline]] void slow_read(hot* h, u64 address, u64 size, u32 pc) {
    core& c = static_cast<core&>(*h);
    c.owner->access(c, address, size, false, pc);
}

[[gnu::noinline]] void slow_write(hot* h, u64 address, u64 size, u32 pc) {
    core& c = static_cast<core&>(*h);
    c.owner->access(c, address, size, true, pc);
}

[[gnu::noinline]] void look_up(hot* h) {
    core& c = static_cast<core&>(*h);
    c.owner->look_up(c);
}

// Whether no such access leaves its line. Of 16 bytes compilers call the aligned function where 8 are aligned.
template <unsigned Size, bool Aligned>
constexpr bool within_line = Aligned && Size <= 8;

template <unsigned Size, bool Aligned>
[[gnu::always_inline]] inline void read(const volatile void* p, u32 pc) {
    hot* const h = observed;
    if (h == nullptr) {
        return;
    }
    ++h->loads;
    --h->budget;
    const u64 address = reinterpret_cast<u64>(p);
    const u64 line = address >> line_shift;
    if ((within_line<Size, Aligned> || address % line_bytes + Size <= line_bytes) &&
        h->read_line[line % filter_slots] == line) [[likely]] {
        return;
    }
    slow_read(h, address, Size, pc);
}

template <unsigned Size, bool Aligned>
[[gnu::always_inline]] inline void write(volatile void* p, u32 pc) {
    hot* const h = observed;
    if (h == nullptr) {
        return;
    }
    ++h->stores;
    --h->budget;
    const u64 address = reinterpret_cast<u64>(p);
    const u64 line = address >> line_shift;
    const u64 slot = line % filter_slots;
    if ((within_line<Size, Aligned> || address % line_bytes + Size <= line_bytes) && h->write_line[slot] == line)
        [[likely]] {
        h->dirty[slot] |= byte_mask(address, Size);
        const u64 first = address % line_bytes / 4;
        h->writer[slot][first] = pc;
        if constexpr (Size > 4 || !Aligned) {
            for (u64 g = first + 1; g <= (address % line_bytes + Size - 1) / 4; ++g) {
                h->writer[slot][g] = pc;
            }
        }
        return;
    }
    slow_write(h, address, Size, pc);
}

[[gnu::always_inline]] inline void block() {
    hot* const h = current;
    if (h == nullptr) {
        return;
    }
    h->budget -= block_cycles;
    if (h->budget < 0) [[unlikely]] {
        look_up(h);
    }
}

template <class T>
T atomic_load(const volatile T* p, int order, u32 pc) {
    hot* const h = current;
    if (h == nullptr) {
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);
    }
    if (order == __ATOMIC_RELAXED) {
        read<sizeof(T), true>(p, pc);
        return *p;
    }
    core& c = static_cast<core&>(*h);
    ++c.loads;
    T value;
    __builtin_memcpy(&value, c.owner->begin_atomic(c, reinterpret_cast<u64>(p), sizeof(T), atomic_kind::load, pc),
                     sizeof(T));
    return value;
}

template <class T>
void atomic_store(volatile T* p, T value, int order, u32 pc) {
    hot* const h = current;
    if (h == nullptr) {
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
        return;
    }
    if (order == __ATOMIC_RELAXED) {
        write<sizeof(T), true>(p, pc);
        *p = value;
        return;
    }
    core& c = static_cast<core&>(*h);
    ++c.stores;
    static_cast<void>(c.owner->begin_atomic(c, reinterpret_cast<u64>(p), sizeof(T), atomic_kind::store, pc));
    c.owner->write_atomic(c, reinterpret_cast<u64>(p), &value, sizeof(T), pc);
}

// `change` is told the old value and gives the new one. Precondition: inside a simulation.
template <class T, class F>
T atomic_update(volatile T* p, F change, u32 pc) {
    core& c = static_cast<core&>(*current);
    T old;
    __builtin_memcpy(&old, c.owner->begin_atomic(c, reinterpret_cast<u64>(p), sizeof(T), atomic_kind::update, pc),
                     sizeof(T));
    const T value = change(old);
    c.owner->write_atomic(c, reinterpret_cast<u64>(p), &value, sizeof(T), pc);
    return old;
}

template <class T>
bool atomic_compare(volatile T* p, T* expected, T wanted, u32 pc) {
    if (current == nullptr) {
        return __atomic_compare_exchange_n(p, expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    core& c = static_cast<core&>(*current);
    T old;
    __builtin_memcpy(&old, c.owner->begin_atomic(c, reinterpret_cast<u64>(p), sizeof(T), atomic_kind::update, pc),
                     sizeof(T));
    if (old != *expected) {
        *expected = old;
        return false;
    }
    c.owner->write_atomic(c, reinterpret_cast<u64>(p), &wanted, sizeof(T), pc);
    return true;
}

} // namespace

void range(const volatile void* p, std::uint64_t size, bool store, std::uint32_t pc) {
    hot* const h = observed;
    if (h == nullptr || size == 0) {
        return;
    }
    const u64 words = (size + 7) / 8;
    (store ? h->stores : h->loads) += words;
    h->budget -= static_cast<std::int64_t>(words);
    (store ? slow_write : slow_read)(h, reinterpret_cast<u64>(p), size, pc);
}

} // namespace skerry_sim::detail

using namespace skerry_sim::detail;

// The names are the compilers', and the macro takes a type.
// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier, bugprone-macro-parentheses)
extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

#define SKERRY_SIM_ACCESS(size)                                                                                        \
    void __tsan_read##size(void* p) { read<size, true>(p, SKERRY_SIM_PC); }                                            \
    void __tsan_write##size(void* p) { write<size, true>(p, SKERRY_SIM_PC); }                                          \
    void __tsan_volatile_read##size(void* p) { read<size, true>(p, SKERRY_SIM_PC); }                                   \
    void __tsan_volatile_write##size(void* p) { write<size, true>(p, SKERRY_SIM_PC); }                                 \
    void __tsan_unaligned_read##size(void* p) { read<size, false>(p, SKERRY_SIM_PC); }                                 \
    void __tsan_unaligned_write##size(void* p) { write<size, false>(p, SKERRY_SIM_PC); }                               \
    void __tsan_unaligned_volatile_read##size(void* p) { read<size, false>(p, SKERRY_SIM_PC); }                        \
    void __tsan_unaligned_volatile_write##size(void* p) { write<size, false>(p, SKERRY_SIM_PC); }                      \
    void __tsan_read_write##size(void* p) {                                                                            \
        read<size, true>(p, SKERRY_SIM_PC);                                                                            \
        write<size, true>(p, SKERRY_SIM_PC);                                                                           \
    }                                                                                                                  \
    void __tsan_unaligned_read_write##size(void* p) {                                                                  \
        read<size, false>(p, SKERRY_SIM_PC);                                                                           \
        write<size, false>(p, SKERRY_SIM_PC);                                                                          \
    }
SKERRY_SIM_ACCESS(1)
SKERRY_SIM_ACCESS(2)
SKERRY_SIM_ACCESS(4)
SKERRY_SIM_ACCESS(8)
SKERRY_SIM_ACCESS(16)

void __tsan_vptr_update(void** p, void*) { write<8, true>(static_cast<void*>(p), SKERRY_SIM_PC); }
void __tsan_vptr_read(void** p) { read<8, true>(static_cast<void*>(p), SKERRY_SIM_PC); }
void __tsan_read_range(void* p, u64 size) { range(p, size, false, SKERRY_SIM_PC); }
void __tsan_write_range(void* p, u64 size) { range(p, size, true, SKERRY_SIM_PC); }

#define SKERRY_SIM_UPDATE(bits, type, name, expression)                                                                \
    type __tsan_atomic##bits##_##name(volatile type* p, type v, int) {                                                 \
        if (current == nullptr) {                                                                                      \
            type old = __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                           \
            while (!__atomic_compare_exchange_n(p, &old, static_cast<type>(expression), false, __ATOMIC_SEQ_CST,       \
                                                __ATOMIC_SEQ_CST)) {                                                   \
            }                                                                                                          \
            return old;                                                                                                \
        }                                                                                                              \
        return atomic_update<type>(                                                                                    \
            p, [v]([[maybe_unused]] type old) { return static_cast<type>(expression); }, SKERRY_SIM_PC);               \
    }

#define SKERRY_SIM_ATOMIC(bits, type)                                                                                  \
    type __tsan_atomic##bits##_load(const volatile type* p, int order) {                                               \
        return atomic_load<type>(p, order, SKERRY_SIM_PC);                                                             \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile type* p, type v, int order) {                                            \
        atomic_store<type>(p, v, order, SKERRY_SIM_PC);                                                                \
    }                                                                                                                  \
    SKERRY_SIM_UPDATE(bits, type, exchange, v)                                                                         \
    SKERRY_SIM_UPDATE(bits, type, fetch_add, old + v)                                                                  \
    SKERRY_SIM_UPDATE(bits, type, fetch_sub, old - v)                                                                  \
    SKERRY_SIM_UPDATE(bits, type, fetch_and, old& v)                                                                   \
    SKERRY_SIM_UPDATE(bits, type, fetch_or, old | v)                                                                   \
    SKERRY_SIM_UPDATE(bits, type, fetch_xor, old ^ v)                                                                  \
    SKERRY_SIM_UPDATE(bits, type, fetch_nand, ~(old & v))                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type* p, type* e, type v, int, int) {                   \
        return atomic_compare<type>(p, e, v, SKERRY_SIM_PC) ? 1 : 0;                                                   \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type* p, type* e, type v, int, int) {                     \
        return atomic_compare<type>(p, e, v, SKERRY_SIM_PC) ? 1 : 0;                                                   \
    }                                                                                                                  \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type* p, type e, type v, int, int) {                      \
        atomic_compare<type>(p, &e, v, SKERRY_SIM_PC);                                                                 \
        return e;                                                                                                      \
    }
SKERRY_SIM_ATOMIC(8, u8)
SKERRY_SIM_ATOMIC(16, u16)
SKERRY_SIM_ATOMIC(32, u32)
SKERRY_SIM_ATOMIC(64, u64)
SKERRY_SIM_ATOMIC(128, u128)

// gcc: one call per basic block. clang: the same with a counter, which is not used.
void __sanitizer_cov_trace_pc() { block(); }
void __sanitizer_cov_trace_pc_guard(u32*) { block(); }
void __sanitizer_cov_trace_pc_guard_init(u32*, u32*) {}

// clang: called before each access, so that the thread sanitizer takes it for one of several threads' (CMakeLists.txt).
#define SKERRY_SIM_ADDRESS_ESCAPES(bytes)                                                                              \
    void __sanitizer_cov_load##bytes(void*) {}                                                                         \
    void __sanitizer_cov_store##bytes(void*) {}
SKERRY_SIM_ADDRESS_ESCAPES(1)
SKERRY_SIM_ADDRESS_ESCAPES(2)
SKERRY_SIM_ADDRESS_ESCAPES(4)
SKERRY_SIM_ADDRESS_ESCAPES(8)
SKERRY_SIM_ADDRESS_ESCAPES(16)

} // extern "C"
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier, bugprone-macro-parentheses)
