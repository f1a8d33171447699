// SPDX-License-Identifier: Apache-2.0

#include "deps/placement.hpp"

#include <algorithm>

namespace skerry::inline SKERRY_ABI::detail {

message_steal::appetite placement::appetite(const process_load& l, unsigned from) noexcept {
    constexpr auto any = static_cast<std::size_t>(message_steal::wish::any);
    constexpr auto own = static_cast<std::size_t>(message_steal::wish::own);
    message_steal::appetite a{};
    const unsigned room = l.workers + 2;
    const unsigned free = room > l.here ? room - l.here : 0;
    // Whoever takes anything has a task running, one whose objects are on their way here, and one whose objects are on
    // their way back. The others have theirs from the first process, and one on its way from any other that has some.
    if (!l.first && l.waiting + l.joining < l.workers && (!l.queued || l.unbegun != 0)) {
        a[any] = from == 0 ? free : std::min(free, 1U);
    }
    // All tasks elsewhere descend from some that the first process has given away: there, who takes anything asks for
    // its own, as far as there is room. Who waits needs no room: what it waits for may be nowhere else.
    const unsigned takers = l.waiting + (l.first ? std::min(l.idle, free) : 0);
    if (l.lent && takers > l.unbegun) {
        a[own] = takers - l.unbegun;
    }
    return a;
}

} // namespace skerry::inline SKERRY_ABI::detail
