// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where an endpoint's driver sleeps. Whoever posts to it rings; the driver looks once more between announcing that it
// will sleep and sleeping. The argument is that of sync/event_count.hpp: a full fence on both sides, so one of the two
// sees the other.
//
// Thread safety: sleep(), nap() and take_kick() by one thread at a time; the rest by any thread of any process that
// maps the bell.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

#include "base/port/futex.hpp"
#include "fabric/fabric.hpp"
#include "sync/event_count.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

// What sleep() is given to be done around it: lends the turn meanwhile, unless it is null.
inline auto lending(turn* mine) noexcept {
    return [mine](auto&& asleep) {
        if (mine != nullptr) {
            mine->lend();
        }
        asleep();
        if (mine != nullptr) {
            mine->take_back();
        }
    };
}

template <class M>
class bell {
  public:
    // B1. After whatever the driver looks for: wakes it if it sleeps or is about to.
    void ring() noexcept {
        M::full_fence(); // the event before E3's look: pairs with the fence in prepare()
        static_cast<void>(sleeper_.notify());
    }

    // The next sleep() or nap() does not last.
    void kick() noexcept {
        kicked_.store(1, detail::memory_order::relaxed); // relaxed: it says only itself; the fence orders it
        ring();
        static_cast<void>(napper_.notify());
    }

    // A ring by somebody who must not trust that earlier ringers finished: they may have been killed half-way.
    void ring_anyway() noexcept {
        M::full_fence();
        sleeper_.notify_anyway();
        napper_.notify_anyway();
    }

    // Whether there was a kick since the last call.
    [[nodiscard]] bool take_kick() noexcept {
        return kicked_.load(detail::memory_order::relaxed) != 0 &&
               kicked_.exchange(0, detail::memory_order::relaxed) != 0; // relaxed: says only itself
    }

    // B2. Sleeps, unless something() holds, until a ring, or for about so long (port::forever: without a limit).
    // `around` is given the sleep itself, to do what is to be done before and after it: the bell rings already, and
    // nothing can be missed.
    template <class Predicate, class Around>
    void sleep(Predicate&& something, std::uint64_t timeout_ns, Around&& around) noexcept {
        sleeper_.prepare();
        if (something()) {
            sleeper_.cancel();
            return;
        }
        around([&] {
            if (timeout_ns == port::forever) {
                sleeper_.wait();
            } else {
                sleeper_.wait_for(timeout_ns);
            }
        });
    }
    template <class Predicate>
    void sleep(Predicate&& something, std::uint64_t timeout_ns) noexcept {
        sleep(something, timeout_ns, [](auto&& asleep) { asleep(); });
    }

    // B3. Sleeps until a kick or for about so long (port::forever: without a limit), whatever rings. True: there was a
    // kick.
    bool nap(std::uint64_t timeout_ns) noexcept {
        if (take_kick()) {
            return true;
        }
        napper_.prepare();
        if (take_kick()) {
            napper_.cancel();
            return true;
        }
        napper_.wait_for(timeout_ns);
        return take_kick();
    }

  private:
    detail::event_count<M> sleeper_;
    detail::event_count<M> napper_;
    typename M::template atomic<std::uint32_t> kicked_{0};
};

} // namespace skerry::inline SKERRY_ABI::fabric
