// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// As std::memory_order, without <atomic> (sync/atomic.hpp says why).
enum class memory_order : int {
    relaxed = __ATOMIC_RELAXED,
    acquire = __ATOMIC_ACQUIRE,
    release = __ATOMIC_RELEASE,
    acq_rel = __ATOMIC_ACQ_REL,
    seq_cst = __ATOMIC_SEQ_CST,
};

} // namespace skerry::inline SKERRY_ABI::detail
