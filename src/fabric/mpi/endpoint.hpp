// SPDX-License-Identifier: Apache-2.0
#pragma once

// One rank's end of the fabric.
//
//   frames    messages, credits, kicks and what copies need, of up to frame_bytes, in the order of each pair
//   copies    the bytes themselves, straight from where they are to where they go
//
// A copy is cut into parts of at most part_bytes. A pull is a frame that names the parts, and one message of MPI's that
// has their bytes; the receive is begun before the frame goes. A push is a frame that has the peer pull, and another
// one that says that all has come. So no bytes are ever sent that nobody waits for, and each peer has at most
// copies_under_way parts of ours to deal with: the rest waits here.
//
// Thread safety: as fabric.hpp says. What MPI is asked, and all that changes by it, is under `calls_`: kick() and nap()
// may come beside the driver. The receiver is called without it.
//
// Invariants
//  1. Receives on one channel are begun in the order in which the peer sends there: it serves pulls in the order of
//     their frames.
//  2. A peer's messages here and the credits that it has make up all credits, but for what is on its way.

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <skerry/detail/sync/machine.hpp>

#include "fabric/bell.hpp"
#include "fabric/fabric.hpp"
#include "fabric/mpi/calls.h"
#include "fabric/mpi/frame.hpp"
#include "fabric/numbering.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::fabric::mpi {

class mpi_endpoint final : public endpoint {
  public:
    // Precondition: MPI has started, and `calls` are those of this process. Errors: std::bad_alloc.
    mpi_endpoint(const skerry_mpi_calls& calls, unsigned self, unsigned ranks);
    ~mpi_endpoint() override { leave(); }

    [[nodiscard]] const capabilities& describe() const noexcept override { return about_; }
    void on_message(receiver& to) override { receiver_ = &to; }
    [[nodiscard]] post_result post(unsigned peer, kind k, const message& m) override;
    void flush() override;
    std::size_t poll(std::size_t budget) override;
    void copy(unsigned peer, direction way, std::span<const extent> extents, token done) override;
    [[nodiscard]] std::optional<completion> completed() override;
    void kick(unsigned peer) override;
    bool wait(std::uint64_t deadline_ns, turn* mine) override;
    bool nap(std::uint64_t deadline_ns) override;
    [[nodiscard]] bool left_over() override;
    void leave() noexcept override;

  private:
    static constexpr int frames = 1; // the channels
    static constexpr int bytes_of_copies = 2;
    static constexpr unsigned credits = 256;
    static constexpr unsigned copies_under_way = 8; // of each peer
    static constexpr unsigned receives = 16;
    static constexpr std::uint64_t part_bytes = std::uint64_t{1} << 30;

    // Bytes that the caller's tasks may not see just now, open while MPI works on them.
    class opened {
      public:
        explicit opened(std::vector<skerry_mpi_part> parts);
        opened(opened&& other) noexcept = default;
        opened& operator=(opened&&) = delete;
        ~opened();
        [[nodiscard]] const std::vector<skerry_mpi_part>& parts() const noexcept { return parts_; }

      private:
        std::vector<skerry_mpi_part> parts_;
    };
    struct flight { // a frame that is being sent
        skerry_mpi_operation op;
        std::unique_ptr<frame> what;
    };
    struct serving { // bytes that are being sent
        skerry_mpi_operation op;
        opened from;
    };
    struct whole { // a copy
        token done;
        unsigned parts = 0; // that are not over
        bool arrived = true;
    };
    struct part { // of a copy, as far as one frame names it
        std::uint64_t number = 0;
        std::list<whole>::iterator of;
        direction way{};
        std::vector<frame_part> what;
    };
    struct pulling { // bytes that are to come
        skerry_mpi_operation op;
        opened to;
        unsigned from = 0;
        std::uint64_t push = 0;        // not 0: for a push of the peer's
        std::list<whole>::iterator of; // else
    };
    struct peer_side {
        numbering numbers;
        std::array<unsigned, kinds> credit{credits, credits};
        std::array<unsigned, kinds> owed{}; // taken, and not given back
        std::array<std::deque<message>, kinds> inbox;
        std::array<bool, kinds> refused{};
        std::unique_ptr<frame> open; // messages that have not been sent
        std::uint32_t sent = 0;
        std::uint32_t due = 0;
        std::deque<part> waiting;
        std::list<part> pushing;
        unsigned under_way = 0; // our parts with it
        bool left = false;
    };
    struct leave_poll {
        bool& polling;
        ~leave_poll() { polling = false; }
    };

    [[nodiscard]] peer_side& side(unsigned peer) noexcept;
    void expect(int error, const char* what) const noexcept;

    // All below with the lock.
    bool progress();
    void take(unsigned from, std::size_t bytes, const frame& f);
    void take_messages(unsigned from, const frame& f);
    void serve(unsigned peer, const frame& f);
    void begin_receive(unsigned slot);
    void begin_parts(unsigned peer);
    void begin_pull(unsigned from, std::vector<skerry_mpi_part> to, std::uint64_t push, std::list<whole>::iterator of);
    void part_over(unsigned peer, std::list<whole>::iterator of, bool arrived);
    void pulled(const pulling& p, bool arrived);
    void forget(unsigned peer);
    [[nodiscard]] std::unique_ptr<frame> fresh();
    void send(unsigned peer, std::unique_ptr<frame> f);
    void send_open(unsigned peer);
    void send_all_open();
    void give_back(unsigned peer);
    [[nodiscard]] bool deliver(unsigned from, kind k);
    [[nodiscard]] bool something() noexcept;
    [[nodiscard]] bool copies_go_on() const noexcept;

    const skerry_mpi_calls& mpi_;
    capabilities about_;
    receiver* receiver_ = nullptr;
    bool polling_ = false;
    unsigned first_ = 0; // whom poll() serves first

    bell<detail::machine> bell_;
    detail::mutex<detail::machine> calls_; // guards what follows
    bool over_ = false;
    bool leaving_ = false;
    std::vector<peer_side> peers_;
    std::array<frame, receives> slots_;
    std::array<skerry_mpi_operation, receives> slot_ops_{};
    unsigned next_slot_ = 0;
    std::deque<flight> in_flight_;
    std::vector<std::unique_ptr<frame>> free_;
    std::list<serving> serving_;
    std::list<pulling> pulling_;
    std::list<whole> copies_;
    std::deque<completion> finished_;
    std::uint64_t next_copy_ = 1;
    std::size_t unread_ = 0;   // messages in inboxes
    unsigned left_untold_ = 0; // peers whose leaving poll() has not passed yet
    unsigned gone_ = 0;        // peers that have left
    unsigned refusals_ = 0;    // of kinds and peers: the last post was refused
    bool room_again_ = false;
};

} // namespace skerry::inline SKERRY_ABI::fabric::mpi
