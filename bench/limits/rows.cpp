// SPDX-License-Identifier: Apache-2.0
// What the owner of a deque does for each leaf of an empty loop whose leaves are pushed eight at a time, one step more
// from line to line, unrolled.
#include "limits/limits.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

namespace bench::limits {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr std::size_t iterations = 320'000;
constexpr std::size_t row = 8;

using slot = std::atomic<const void*>;

/// The words that an owner shares with thieves.
struct page {
    std::atomic<slot*> bottom{nullptr}; // where the next task goes
    std::atomic<slot*> limit{nullptr};  // low where somebody rings
    std::atomic<slot*> split{nullptr};  // tasks below may be stolen
};

std::array<slot, 2 * row> slots;
std::array<std::array<std::byte, 64>, row> tasks;
page the_page;

[[gnu::noinline, gnu::cold]] void never(const void* p) { asm volatile("" : : "r"(p) : "memory"); }
[[gnu::noinline]] void body(std::size_t i) { keep(i); }

/// Keeps the compiler from moving stores and loads; the processor may.
void light_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

enum class up_to : std::uint8_t { bottom, stolen, rung, place };

template <up_to Last>
[[gnu::always_inline]] inline void leaf(page& mine, slot* at, std::size_t i) {
    if constexpr (Last >= up_to::rung) {
        if (mine.limit.load(relaxed) <= at) [[unlikely]] {
            never(&mine);
        }
    }
    mine.bottom.store(at, relaxed);
    light_fence();
    if constexpr (Last >= up_to::stolen) {
        if (mine.split.load(relaxed) > at) [[unlikely]] {
            never(&mine);
        }
    }
    keep(i);
}

template <up_to Last, std::size_t... I>
[[gnu::noinline]] void rows(page& mine, std::index_sequence<I...> /*all but the first*/) {
    slot* const bottom = mine.bottom.load(relaxed);
    for (std::size_t first = 0; first != iterations; first += row) {
        if constexpr (Last >= up_to::place) {
            (bottom[row - 2 - I].store(&tasks[I], relaxed), ...);
        }
        mine.bottom.store(bottom + (row - 1), relaxed);
        light_fence();
        keep(first);
        (leaf<Last>(mine, bottom + (row - 2 - I), first + 1 + I), ...);
    }
}

template <class F>
void measure(const char* name, const F& f) {
    print(name, "ns/iteration", least_nanoseconds(50, [&] { return time(f); }) / static_cast<double>(iterations));
}

template <up_to Last>
void measure_rows(const char* name) {
    measure(name, [] { rows<Last>(the_page, std::make_index_sequence<row - 1>()); });
}

} // namespace

void measure_loops() {
    the_page.bottom.store(slots.data(), relaxed);
    the_page.limit.store(slots.data() + slots.size(), relaxed);
    the_page.split.store(slots.data(), relaxed);
    measure("loop: a call for each iteration", [] {
        for (std::size_t i = 0; i != iterations; ++i) {
            body(i);
        }
    });
    measure_rows<up_to::bottom>("row: the end of the deque, stored for each leaf");
    measure_rows<up_to::stolen>("row: and a compare for stolen");
    measure_rows<up_to::rung>("row: and one for rung");
    measure_rows<up_to::place>("row: and its slot");
}

} // namespace bench::limits
