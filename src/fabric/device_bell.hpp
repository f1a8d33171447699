// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the driver of a device sleeps, and how it is kicked.
//
// Thread safety: wait() belongs to the driver; ring() and kick() are for any thread.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "base/port/clock.hpp"
#include "base/port/futex.hpp"
#include "sync/event_count.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

class device_bell {
  public:
    // Something has happened that ready() tells of.
    void ring() noexcept {
        detail::machine::full_fence(); // what has happened, before the look for a sleeper
        static_cast<void>(bell_.notify());
    }

    void kick() noexcept {
        kicked_.store(true, detail::memory_order::release); // -> wait()
        ring();
    }

    // Sleeps until ready() or a kick: true. False: the deadline passed (port::forever for none).
    template <class Ready>
    bool wait(std::uint64_t deadline_ns, const Ready& ready) {
        for (;;) {
            bell_.prepare();
            if (kicked_.exchange(false, detail::memory_order::acq_rel) || ready()) { // <- kick()
                static_cast<void>(bell_.cancel());
                return true;
            }
            if (deadline_ns == port::forever) {
                bell_.wait();
                continue;
            }
            const std::uint64_t now = port::now_ns();
            if (now >= deadline_ns) {
                static_cast<void>(bell_.cancel());
                return false;
            }
            static_cast<void>(bell_.wait_for(deadline_ns - now));
        }
    }

  private:
    detail::event_count<detail::machine> bell_;
    detail::machine::atomic<bool> kicked_{false};
};

} // namespace skerry::inline SKERRY_ABI::fabric
