// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI {

// Calls f and returns what it returns: the part of a program that a simulation is about. On a simulated machine its
// figures are of what happens inside. Outside, no cache is simulated and nothing is counted, so input is built and
// results are checked much faster; caches are cold when the region begins. A program without a region is simulated
// whole. One region at a time: the caller begins it before it forks, and what it has begun ends before f returns. A
// region inside a region is part of it.
//
// Natively this is the call and nothing else. Thread safety: any thread. What f throws goes on to the caller.
template <class F>
decltype(auto) region_of_interest(F&& f) {
    struct marked {
        marked() noexcept { detail::machine::interest_begins(); }
        ~marked() { detail::machine::interest_ends(); }
        marked(const marked&) = delete;
        marked& operator=(const marked&) = delete;
    };
    [[maybe_unused]] const marked here;
    return std::forward<F>(f)();
}

} // namespace skerry::inline SKERRY_ABI
