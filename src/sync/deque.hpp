// SPDX-License-Identifier: Apache-2.0
#pragma once

// A work-stealing deque with a private and a shared part, after the split deques of Acar et al. and Lace, with one
// difference: a thief that gets no answer moves the split itself, with an asymmetric fence. src/sync/README.md has the
// protocol with its argument; the labels below are its steps.
//
//      top            split                bottom
//       |  shared       |     private        |
//       v               v                    v
//   [ . t t t t t t t t t t t t t t t t t t t . . . ]
//
// Thread safety: members of deque_owner for the owner, members of deque_thief for any other thread. They are different
// types so that misuse does not compile.
//
// Invariants (besides those of deque_page)
//  4. top <= split <= bottom in the asymmetric protocol, seen under the gate while the owner is not in pop().
//  5. top moves up only inside the door, and down only by the owner inside the door when all below it is taken.
//  6. Every loose task (one that no stack frame of the owner will pop) lies below split.
//  7. In the locked protocol split is `all` and limit is null for ever, so every push and pop takes the slow way, and
//     thieves look at `shared`, which the owner moves inside the door: they never read the owner's page.
//  8. In the interrupt protocol everything here belongs to the owner's core: a "thief" is the handler that runs there
//     for one, while interrupts are not masked. top <= split, so a pop of what the handler took is never certain.
//
// The door is what owner and thieves pass before they touch what both use: the gate, or for an owner that is
// interrupted the mask of interrupts. Where caches are kept by software, the gate's door also discards and publishes
// (Wang et al., Fig. 3(b)); elsewhere that is nothing, which is their Fig. 3(a).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/cache_line.hpp>
#include <skerry/detail/base/memory_order.hpp>
#include <skerry/detail/sync/coherence_step.hpp>
#include <skerry/detail/sync/deque_page.hpp>

#include "sync/gate.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// How a thief reaches an owner's deque.
enum class steal_protocol : std::uint8_t {
    asymmetric, // asks at a polled word and, if the owner is deaf, moves the split itself behind a heavy fence
    locked,     // a gate on every push and pop, with publish and discard where caches need them
    interrupt,  // a handler on the owner's own core takes the task on the thief's behalf
};

// What became of the task that its owner tried to pop.
enum class settled : std::uint8_t {
    mine,   // still here, now taken off
    newer,  // a loose task lay above it; that one is handed out instead
    stolen, // a thief has it
};

// What a thief's request came to (the ticket of the split-phase contract).
enum class answer : std::uint8_t {
    granted, // a task
    pending, // there is work, the owner has been asked
    refused, // nothing here that this thief may take
    busy,    // another thief is at the gate
};

// What a slot holds: the task's address, and in its lowest bit whether the task is loose.
template <class Task>
class tagged_task {
  public:
    explicit tagged_task(Task* word) noexcept : word_(reinterpret_cast<std::uintptr_t>(word)) {}
    static Task* loose(Task& task) noexcept {
        return reinterpret_cast<Task*>(reinterpret_cast<std::uintptr_t>(&task) | 1U);
    }
    Task* task() const noexcept { return reinterpret_cast<Task*>(word_ & ~std::uintptr_t{1}); }
    bool is_loose() const noexcept { return (word_ & 1U) != 0; }

  private:
    std::uintptr_t word_;
};

template <class M, class Task>
class deque_owner;
template <class M, class Task>
class deque_thief;

template <class M, class Task>
class deque {
  public:
    using page_type = deque_page<M, Task>;
    using slot = typename page_type::slot;

    // Errors: std::bad_alloc. The page must outlive the deque.
    deque(page_type& page, steal_protocol protocol) : page_(page), protocol_(protocol) {
        for (most_ = M::most_slots(); slots_ == nullptr; most_ /= 2) { // less room is better than no deque
            if (most_ < M::initial_capacity) {
                throw std::bad_alloc();
            }
            slots_ = static_cast<slot*>(M::reserve(most_ * sizeof(slot)));
        }
        most_ *= 2;
        if (!extend(M::initial_capacity)) {
            M::give_back(slots_, most_ * sizeof(slot));
            throw std::bad_alloc();
        }
        top_.store(slots_, memory_order::relaxed);
        shared_.store(slots_, memory_order::relaxed);
        page_.bottom.store(slots_, memory_order::relaxed);
        page_.split.store(protocol_ == steal_protocol::locked ? all() : slots_, memory_order::relaxed);
        page_.limit.store(quiet_limit(), memory_order::release);
    }
    deque(const deque&) = delete;
    deque& operator=(const deque&) = delete;
    ~deque() {
        std::destroy_n(slots_, capacity_);
        M::give_back(slots_, most_ * sizeof(slot));
    }

    // Whether there seems to be a task. A racy hint, exact when nobody moves; under interrupts only the owner's core
    // knows, so all the others are told yes.
    [[nodiscard]] bool looks_busy() const noexcept { return protocol_ == steal_protocol::interrupt || holds_any(); }

  private:
    friend class deque_owner<M, Task>;
    friend class deque_thief<M, Task>;

    // The owner's way through the door.
    void enter() noexcept {
        if (protocol_ == steal_protocol::interrupt) {
            M::mask_interrupts();
        } else {
            gate_.enter();
            M::discard_all(coherence_step::gate_entered);
        }
    }
    // Anybody's way out.
    void leave() noexcept { leave_by<&gate<M>::leave>(); }
    // The owner's, with one locked operation less: where it comes by for every loose task. Elsewhere it would only give
    // test/model more states.
    void leave_as_owner() noexcept { leave_by<&gate<M>::leave_as_owner>(); }
    template <auto WayOut>
    void leave_by() noexcept {
        if (protocol_ == steal_protocol::interrupt) {
            M::unmask_interrupts();
        } else {
            M::publish_all(coherence_step::gate_left);
            (gate_.*WayOut)();
        }
    }
    // A thief's way in. Under interrupts it is the owner's own core that comes here, from a handler or masked.
    [[nodiscard]] bool try_enter() noexcept {
        if (protocol_ == steal_protocol::interrupt) {
            M::mask_interrupts();
            return true;
        }
        if (!gate_.try_enter()) {
            return false;
        }
        M::discard_all(coherence_step::gate_entered);
        return true;
    }

    [[nodiscard]] bool holds_any() const noexcept {
        const slot* end = nullptr;
        switch (protocol_) {
        case steal_protocol::asymmetric: // bottom may be below loose tasks for a moment: newest_end()
            end = std::max(shared_.load(memory_order::acquire),
                           page_.bottom.load(memory_order::acquire)); // Z3 <- P2
            break;
        case steal_protocol::locked: end = shared_.load(memory_order::acquire); break;
        case steal_protocol::interrupt:
            end = std::max(page_.split.load(memory_order::relaxed), page_.bottom.load(memory_order::relaxed));
            break;
        }
        return end > top_.load(memory_order::acquire);
    }

    // Inside the door, of an owner that has just popped: where bottom was before. pop_at() and pop_to() take loose
    // tasks off, too; they end where what is shared ends. If the split lies above the popped task, bottom lay at the
    // split or one above the task: what is newest is either loose, and so below the split, or the task itself.
    slot* newest_end() const noexcept {
        const auto& shared = protocol_ == steal_protocol::locked ? shared_ : page_.split;
        return std::max(page_.bottom.load(memory_order::relaxed) + 1, shared.load(memory_order::relaxed));
    }

    // Makes the slots up to `capacity` usable. False: there is no memory, or no room.
    [[nodiscard]] bool extend(std::size_t capacity) noexcept {
        if (capacity > most_ || !M::commit(slots_ + capacity_, (capacity - capacity_) * sizeof(slot))) {
            return false;
        }
        std::uninitialized_value_construct_n(slots_ + capacity_, capacity - capacity_);
        capacity_ = capacity;
        return true;
    }

    // Inside the door: the end of what thieves may take. The last slot belongs to attend(), which may undo its push.
    slot* shared_end() const noexcept {
        slot* end = nullptr;
        switch (protocol_) {
        case steal_protocol::asymmetric: end = page_.split.load(memory_order::acquire); break;
        case steal_protocol::locked: end = shared_.load(memory_order::relaxed); break;
        case steal_protocol::interrupt: end = page_.bottom.load(memory_order::relaxed); break;
        }
        return std::min(end, last_slot());
    }
    slot* last_slot() const noexcept { return slots_ + capacity_ - 1; }

    // Takes the loose task at `s` out inside the door. From the middle it leaves `hole`, a task that does nothing, so
    // that every other task keeps its index. Holes go with their neighbours.
    void take_out(slot* s, Task& hole) noexcept {
        const auto is_hole = [&hole](const slot& at) {
            return at.load(memory_order::relaxed) == tagged_task<Task>::loose(hole);
        };
        slot* const end = shared_end(); // all holes lie below it: invariants 6 and 7
        slot* top = top_.load(memory_order::relaxed);
        if (s != top) {
            s->store(tagged_task<Task>::loose(hole), memory_order::relaxed);
            return;
        }
        do {
            ++top;
            --loose_;
        } while (top < end && loose_ != 0 && is_hole(*top));
        top_.store(top, memory_order::release);
    }

    // Above every slot, so that a pop never finds its task private.
    static slot* all() noexcept { return reinterpret_cast<slot*>(~std::uintptr_t{alignof(slot) - 1}); }

    slot* quiet_limit() const noexcept { return protocol_ == steal_protocol::locked ? nullptr : slots_ + capacity_; }
    std::size_t index(const slot* s) const noexcept { return static_cast<std::size_t>(s - slots_); }

    // Constant after construction.
    page_type& page_;
    const steal_protocol protocol_;
    // Behind the door; top_ and shared_ are read without it as hints, with acquire, and so written with release.
    alignas(cache_line) gate<M> gate_;
    typename M::template atomic<slot*> top_{nullptr};
    typename M::template atomic<slot*> shared_{nullptr}; // on the thieves' line: a copy of split; if locked, of bottom
    slot* slots_ = nullptr;
    std::size_t most_ = 0; // that there is room for
    std::size_t capacity_ = 0;
    std::size_t loose_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
