// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contexts that the forks of one worker inherit. A fork says how deep they were nested, and whoever finds its task
// asks here which one that was.
//
// Thread safety: find() behind the door of the worker's deque, all else for the owner. An entry is written before what
// is forked under it is pushed, so whoever finds such a task sees it; and it stays until the task has been joined,
// since a context encloses the frames that fork under it: steps X1 to X4 of README.md.

#include <array>
#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/worker_page.hpp>

namespace skerry::inline SKERRY_ABI::detail {

class nested_contexts {
  public:
    // The page must outlive this.
    explicit nested_contexts(worker_page& page) noexcept : page_(page) {}

    // The context of a slot that is taken: nothing has been forked there.
    void begin(const context& root) noexcept {
        page_.nesting = std::uintptr_t{1} << nesting_shift;
        beyond_ = 0;
        set(&root);
    }
    // One further in, until leave(), which is told the one around it.
    void enter(const context* c) noexcept {
        if (depth() <= machine::most_nested) {
            page_.nesting += std::uintptr_t{1} << nesting_shift;
        } else {
            ++beyond_;
        }
        set(c);
    }
    void leave(const context* outer) noexcept {
        if (beyond_ != 0) {
            --beyond_;
        } else {
            page_.nesting -= std::uintptr_t{1} << nesting_shift;
        }
        page_.ctx = outer;
    }
    // Another one in the place of the innermost, under which nothing is forked just now.
    void set(const context* c) noexcept {
        if (depth() <= machine::most_nested) {
            at_[depth() - 1].held.store(c, memory_order::relaxed); // X1, published by P2 of the deque
        }
        page_.ctx = c;
    }

    // Writes its context into a task that was forked here. False: it was forked too deep to say, and stays here.
    [[nodiscard]] bool find(task_header& task) const noexcept {
        const std::size_t nesting = task.nesting();
        if (nesting > machine::most_nested) {
            return false; // X3
        }
        if (nesting != 0) {
            task.inherit(at_[nesting - 1].held.load(memory_order::relaxed)); // X2 <- X1
        }
        return true;
    }

  private:
    struct place {
        machine::atomic<const context*> held{nullptr};
    };

    [[nodiscard]] std::size_t depth() const noexcept { return page_.nesting >> nesting_shift; }

    worker_page& page_;
    std::size_t beyond_ = 0; // how many of the contexts around have no place here
    std::array<place, machine::most_nested> at_;
};

} // namespace skerry::inline SKERRY_ABI::detail
