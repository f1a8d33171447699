// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/frontend/forkjoin/slot_cells.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/port/thread.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Segment k holds the cells of slots 2^k - 1 up to 2^(k+1) - 2: 17 of them are enough for 65,536 slots.
constexpr std::size_t segments = 17;

template <class Node>
void push(machine::atomic<Node*>& head, Node* fresh) noexcept {
    fresh->next = head.load(memory_order::acquire);
    do {
        machine::publish_all(coherence_step::handed_over);
    } while (!head.compare_exchange_weak(fresh->next, fresh,
                                         memory_order::release, // C2 -> C1
                                         memory_order::relaxed));
}

template <class Node>
void delete_all(machine::atomic<Node*>& head) noexcept {
    Node* node = head.exchange(nullptr, memory_order::relaxed); // relaxed: nobody else is here
    while (node != nullptr) {
        delete std::exchange(node, node->next);
    }
}

} // namespace

struct slot_cells::table {
    explicit table(unsigned long long t) noexcept : team(t) {}
    table(const table&) = delete;
    table& operator=(const table&) = delete;
    ~table() {
        for (auto& s : cells) {
            delete[] s.load(memory_order::relaxed);
        }
    }

    cell& at(unsigned slot) {
        const std::size_t place = std::size_t{slot} + 1;
        const std::size_t k = static_cast<unsigned>(std::bit_width(place)) - 1;
        const std::size_t size = std::bit_floor(place);
        cell* segment = cells[k].load(memory_order::acquire); // C3 <- C3
        if (segment == nullptr) {
            auto fresh = std::make_unique<cell[]>(size);
            machine::publish_all(coherence_step::handed_over);
            if (cells[k].compare_exchange_strong(segment, fresh.get(), memory_order::acq_rel, // C3 -> C3
                                                 memory_order::acquire)) {
                segment = fresh.release();
            }
        }
        cell& found = segment[place - size];
        machine::discard(&found, sizeof found, coherence_step::found);
        return found;
    }

    const unsigned long long team;
    table* next = nullptr;
    std::array<machine::atomic<cell*>, segments> cells{};
};

struct slot_cells::outsider {
    const void* const thread = port::this_thread();
    outsider* next = nullptr;
    cell own{nullptr};
};

slot_cells::cell& slot_cells::mine() {
    if (current_page == nullptr) {
        return outside();
    }
    const worker& self = worker::of(*current_page);
    return table_of(self.home.serial()).at(self.slot);
}

slot_cells::table& slot_cells::table_of(unsigned long long team) {
    for (;;) {
        table* const head = tables_.load(memory_order::acquire); // C1 <- C2
        for (table* t = head; t != nullptr; t = t->next) {
            machine::discard(t, sizeof *t, coherence_step::found);
            if (t->team == team) {
                return *t;
            }
        }
        auto fresh = std::make_unique<table>(team);
        fresh->next = head;
        machine::publish_all(coherence_step::handed_over);
        table* expected = head; // another thread of the team may be faster: there is one table for each team
        if (tables_.compare_exchange_strong(expected, fresh.get(), memory_order::release, // C2 -> C1
                                            memory_order::relaxed)) {
            return *fresh.release();
        }
    }
}

slot_cells::cell& slot_cells::outside() {
    const void* const self = port::this_thread();
    for (outsider* o = outsiders_.load(memory_order::acquire); o != nullptr; o = o->next) { // C1 <- C2
        if (o->thread == self) {
            return o->own;
        }
    }
    auto* const fresh = new outsider;
    push(outsiders_, fresh);
    return fresh->own;
}

void slot_cells::clear() noexcept {
    delete_all(tables_);
    delete_all(outsiders_);
}

} // namespace skerry::inline SKERRY_ABI::detail
