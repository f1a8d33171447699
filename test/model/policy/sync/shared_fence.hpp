// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stands before src/ on the include path of the scheduler's model: what the shared fence promises, and no more. That it
// keeps that, sync_test shows with its own source; its count in every state of the scheduler would make more of them
// than can be walked.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/heavy_fence.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M>
struct shared_fence {
    template <class GoesOn>
    [[nodiscard]] heavy_fence pass(GoesOn&&) noexcept {
        return M::heavy_fence();
    }
};

} // namespace skerry::inline SKERRY_ABI::detail
