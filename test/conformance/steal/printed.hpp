// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parent's count of Fig. 3(c) as Wang et al. print it (lines 7 to 45 and 50), with the one thing that it lacks as a
// parameter. The library has no such count: each branch has its own join word, which only a thief writes. It stands
// here to show that the printed form loses a child.
//
// Lines 17 to 20 test has_stolen_child and then decrement rc plainly. An interrupt between the two lets a thief take a
// sibling; the thief's decrement in the shared cache and the owner's in its own then come from the same old value, and
// one is lost. Masked, the test and the decrement are one step for the handler.
//
// Thread safety: expect, child_ended_here, open, joined: the parent's core. mark_stolen: its handler.
// child_ended_elsewhere: a thief's core.

#include <skerry/detail/sync/machine.hpp>

namespace skerry_test {

enum class lines_17_to_20 { masked, as_printed };

template <class M, lines_17_to_20 Form>
class child_count {
  public:
    void expect(int children) {
        rc_.store(children, skerry::detail::memory_order::relaxed);
        has_stolen_child_ = false;
    }

    void child_ended_here() {
        if constexpr (Form == lines_17_to_20::masked) {
            M::mask_interrupts();
        }
        if (has_stolen_child_) {
            rc_.fetch_sub(1, skerry::detail::memory_order::acq_rel);
        } else {
            rc_.store(rc_.load(skerry::detail::memory_order::relaxed) - 1, skerry::detail::memory_order::relaxed);
        }
        if constexpr (Form == lines_17_to_20::masked) {
            M::unmask_interrupts();
        }
    }

    void mark_stolen() { has_stolen_child_ = true; }
    void child_ended_elsewhere() { rc_.fetch_sub(1, skerry::detail::memory_order::acq_rel); }

    bool open() { return (has_stolen_child_ ? rc_.fetch_or(0, skerry::detail::memory_order::acq_rel) : plain()) > 0; }
    void joined() {
        if (has_stolen_child_) {
            M::discard_all(skerry::detail::coherence_step::task_joined);
        }
    }

  private:
    int plain() const { return rc_.load(skerry::detail::memory_order::relaxed); }

    typename M::template atomic<int> rc_{0};
    bool has_stolen_child_ = false;
};

} // namespace skerry_test
