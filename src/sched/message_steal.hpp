// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stealing across a `copied` edge: the fourth way to ask under the one contract. A thief that has room sends tickets,
// to every other process; a victim answers with a task when it has one, at once or later; the end of the task comes
// back as a message. What a task is made of is not known here: parcels are bytes.
//
//   thief                         victim
//   M1  want ->                   notes the ticket
//                              <- M2  grant (the parcel)        when `give` has something, now or at a later poll()
//   M3  runs it; done ->          M4  `ended`, also of a task that comes back unbegun
//   M5  unwant ->                 drops the ticket, if it has not granted it
//                              <- M6  dropped
//
// No ticket is lost: a victim keeps it until it grants it, drops it, or the thief is gone. Nobody waits for a message
// with a lock held, what cannot be sent for want of credit waits in `outbox`, and the death of a process is told to
// everyone, so no wait lasts.
//
// Thread safety: one thread drives at a time: whoever gets `driver_` in poll(). Whoever does not leaves a call, and the
// driver looks for calls after it has let go: D1 of a caller comes before its attempt at the lock, D2 of a driver after
// its unlock. So nothing that was there at a poll() stays undone until the next message. The one who sleeps in wait()
// has let go too, before it sleeps and after its bell is armed: whatever comes wakes it. What another driver leaves
// over without an event to come, that one wakes it for (D3), also out of a nap().
//
// Invariants
//  1. A ticket is in exactly one place: on its way, with the victim, granted or dropped.
//  2. Parts of one parcel follow each other in the messages of their kind, so one buffer per peer and kind is enough.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>
#include <skerry/detail/trace/writer.hpp>

#include "fabric/fabric.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

using parcel = std::vector<std::byte>;

class message_steal final : fabric::receiver {
  public:
    // What a ticket asks for.
    enum class wish : std::uint8_t {
        any,
        own, // what descends from a task that the thief has given away: its workers wait for such
    };
    static constexpr std::size_t wishes = 2;
    // How many tickets of each wish a process would have with another one.
    using appetite = std::array<unsigned, wishes>;

    // What a message is; `more`: the next part of a parcel that is longer than one.
    enum class tag : std::uint16_t { want, grant, done, more, close, unwant, dropped };

    // What stands above. Called by the driving thread only; none of these may block.
    class holder {
      public:
        // A task for the thief, or nothing now. `ticket` comes back with ended(). Without memory: nothing.
        virtual std::optional<parcel> give(unsigned thief, std::uint64_t ticket, wish w) = 0;
        // Thief: what there is room for that may come from there.
        virtual appetite wants(unsigned from) = 0;
        // A granted task has come; finished(victim, ticket) is expected in the end.
        virtual void take(unsigned victim, std::uint64_t ticket, std::span<const std::byte> what) = 0;
        // A task given away has ended.
        virtual void ended(unsigned thief, std::uint64_t ticket, std::span<const std::byte> what) = 0;
        // A copy that this side began is over.
        virtual void copied(std::uint64_t word, bool arrived) = 0;
        // The first process has no more work for anybody.
        virtual void closing() = 0;
        // A process has died.
        virtual void lost(const fabric::failure& end) = 0;
        // Looks whether there is something to do that other threads have left for the driver.
        virtual void errands() = 0;

      protected:
        ~holder() = default;
    };

    // The driving thread writes its events to `track`; null: no trace. The track outlives this.
    message_steal(std::unique_ptr<fabric::endpoint> fabric, holder& above, trace_buffer<machine>* track = nullptr);
    message_steal(const message_steal&) = delete;
    message_steal& operator=(const message_steal&) = delete;
    ~message_steal();

    [[nodiscard]] unsigned self() const noexcept { return self_; }
    [[nodiscard]] unsigned peers() const noexcept { return peers_; }
    // For the driving thread.
    [[nodiscard]] trace_sink<machine> track() const noexcept { return trace_; }

    // Moves messages, or leaves that to the thread that does. Never waits. True: something came.
    // Errors, of all that drive: without memory a task that has left one process and not come to another would be
    // lost, so that ends the process with a message.
    bool poll() noexcept;
    // The same for somebody who has left nothing to be done: nothing if another thread drives.
    std::optional<bool> glance() noexcept;
    // Polls, and sleeps until something comes or the time is over; the thread that stands in while all others compute.
    // By one thread. Others drive while it sleeps.
    void wait(std::uint64_t deadline_ns) noexcept;
    // Instead of wait(), while others poll often: sleeps through what comes until the time is over, but polls when
    // another process urges or wake() is called. Precondition: the fabric has it.
    void nap(std::uint64_t deadline_ns) noexcept;
    // Has wait() or nap() come back. Any thread.
    void wake() noexcept;
    // Has the others look for messages at once: a worker here has nothing to do. Any thread.
    void urge() noexcept;

    // Whether somebody holds a ticket of this process. Any thread; a hint.
    [[nodiscard]] bool thieves_wait() const noexcept { return waiting_.load(memory_order::relaxed) != 0; }

    // By the driving thread, that is, from a call of the holder:
    void copy(unsigned peer, fabric::direction way, std::span<const fabric::extent> extents, std::uint64_t word);
    void done(unsigned victim, std::uint64_t ticket, const parcel& what);

    // Whether fetch() is possible from every process, and the same as copies, over at once: false if one could not be
    // read. Any thread; `track` is its own. Errors: std::bad_alloc.
    [[nodiscard]] bool fetches() const noexcept { return fabric_->describe().fetch; }
    [[nodiscard]] bool fetch(unsigned peer, std::span<const fabric::extent> extents, trace_sink<machine> track);

    // port::ticks() when somebody last looked for messages, and when somebody did by poll() or glance(). Any thread;
    // hints.
    [[nodiscard]] std::uint64_t driven_at() const noexcept { return driven_at_.load(memory_order::relaxed); }
    [[nodiscard]] std::uint64_t polled_at() const noexcept { return polled_at_.load(memory_order::relaxed); }

    // For a process that is about to end: leaves the fabric. Whoever drives from then on waits for the end.
    void leave() noexcept;

    // Tells all others that there will be no more work, and waits until that is sent or they are gone. Any thread.
    // Errors: as of all that drive.
    void close_all() noexcept;

    [[nodiscard]] std::uint64_t granted() const noexcept { return granted_.load(memory_order::relaxed); }
    [[nodiscard]] std::uint64_t taken() const noexcept { return taken_.load(memory_order::relaxed); }
    // A task that was taken went back unbegun. The driving thread.
    void not_taken() noexcept { taken_.fetch_sub(1, memory_order::relaxed); }
    // Tasks of others here that have not ended. The driving thread.
    [[nodiscard]] unsigned here() const noexcept { return here_; }

  private:
    struct lent_while_resting;
    struct letter {
        fabric::kind kind;
        fabric::message message;
    };
    // A ticket of ours, with whoever has it.
    struct asked {
        std::uint64_t ticket;
        wish what;
        bool dropping; // M5 has been sent
    };
    // A ticket of a peer's.
    struct want_note {
        std::uint64_t ticket;
        wish what;
    };
    // Of one peer.
    struct correspondence {
        std::deque<letter> outbox;
        std::deque<want_note> tickets; // it wants so many tasks of us
        std::vector<asked> out;        // we want so many of it
        struct half {
            tag first{};
            std::uint64_t ticket = 0;
            std::size_t bytes = 0;
            parcel so_far;
        } incoming[fabric::kinds];
        std::uint64_t excess_since = 0; // when `out` became more than is wanted; 0: it is not
        bool gone = false;
    };

    void receive(unsigned from, fabric::kind k, const fabric::message& m) override;
    void complete(unsigned from, fabric::kind k);
    void send(unsigned to, fabric::kind k, tag t, std::uint64_t ticket, std::span<const std::byte> bytes);
    void flush();
    void tell_of_copies();
    void drive();
    void drive_or_end() noexcept;
    void let_go() noexcept;
    bool grant(unsigned p);
    void serve();
    void want();
    void adjust(unsigned p, wish w, unsigned goal, bool settled);
    void forget(unsigned p, std::uint64_t ticket);

    holder& above_;
    const std::unique_ptr<fabric::endpoint> fabric_;
    const unsigned self_;
    const unsigned peers_;
    const trace_sink<machine> trace_; // guarded by driver_

    // Any thread.
    machine::atomic<unsigned> waiting_{0};
    machine::atomic<std::uint64_t> driven_at_{0}; // port::ticks() of the last time, both
    machine::atomic<std::uint64_t> polled_at_{0};
    machine::atomic<bool> called_{false};
    machine::atomic<std::uint64_t> granted_{0};
    machine::atomic<std::uint64_t> taken_{0};

    mutex<machine> driver_; // guards what follows
    std::vector<correspondence> with_;
    std::uint64_t next_ticket_ = 0;
    unsigned here_ = 0;         // tasks of others
    unsigned first_served_ = 0; // whose tickets serve() looks at first
    bool something_ = false;
    bool resting_ = false; // a thread sleeps in wait() or nap()
};

} // namespace skerry::inline SKERRY_ABI::detail
