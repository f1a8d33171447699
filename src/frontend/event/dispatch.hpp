// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include <event_machine/api/event_machine_dispatcher.h>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/event_machine.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// When a core ends to dispatch: whichever comes first.
struct dispatch_limits {
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    std::uint64_t rounds = never;
    std::uint64_t events = never;
    std::uint64_t ns = never;
    std::uint64_t idle_rounds = never; // without an event, one after another
    std::uint64_t idle_ns = never;
    std::uint64_t wait_ns = never; // for an event in each round

    [[nodiscard]] bool timed() const noexcept { return ns != never || idle_ns != never; }
};

// A core's loop: each round receives what is chosen at once, of one queue, and what that sends to local queues.
//
// Thread safety: the core.
class dispatcher {
  public:
    // `burst`: events at once at most. `polls`, `drains`: the functions of the configuration are called.
    dispatcher(event_machine& em, int core, unsigned burst, bool polls, bool drains) noexcept
        : em_(em),
          core_(core),
          burst_(burst),
          polls_(polls),
          drains_(drains) {}

    [[nodiscard]] em_dispatch_results_t run(const dispatch_limits& l) noexcept;

  private:
    unsigned round(std::uint64_t wait_ns, std::uint64_t deadline) noexcept;
    bool look(event_machine::delivery& d) noexcept;
    unsigned receive_some() noexcept;
    unsigned receive_local() noexcept;
    void receive(event_machine::delivery& d) noexcept;
    void await_events(std::uint64_t deadline, bool naps) noexcept;

    event_machine& em_;
    const int core_;
    const unsigned burst_;
    const bool polls_;
    const bool drains_;
};

} // namespace skerry::inline SKERRY_ABI::detail
