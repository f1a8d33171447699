// SPDX-License-Identifier: Apache-2.0
#pragma once

// Gates of cores: what a core does inside of its own, and how others come through those of all cores.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "base/panic.hpp"
#include "sched/insist.hpp"
#include "sync/owner_gate.hpp"
#include "sync/shared_fence.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// The owner is inside for as long as it lives.
class inside_gate {
  public:
    explicit inside_gate(owner_gate<machine>& gate) noexcept : gate_(gate) { gate_.enter(); }
    inside_gate(const inside_gate&) = delete;
    inside_gate& operator=(const inside_gate&) = delete;
    ~inside_gate() { gate_.leave(); }

  private:
    owner_gate<machine>& gate_;
};

// Between ask() and await() of gates. Where there are no heavy fences the owners make theirs, and the caller does.
inline void pass_fence(shared_fence<machine>& fence) noexcept {
    if (!machine::asymmetric()) {
        machine::full_fence();
        return;
    }
    insist([&] {
        const heavy_fence made = fence.pass([] { return true; });
        if (made == heavy_fence::refused) {
            fatal("event machine: this process may call membarrier() no more, which it could before");
        }
        return made;
    });
}

} // namespace skerry::inline SKERRY_ABI::detail
