// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bulk copies into and out of a process's private memory that need nothing of that process: the system copies. Whoever
// lacks the bytes gets them at once, however long the other one computes.
//
// What is closed over there (a debug build closes what no task there has declared), or goes away with its process, the
// system refuses; that rest of a copy is staged.
//
// A peer is named by its system's number. It could mean another process only after the peer has ended and the system
// has given out all other numbers, and who has ended is looked at before each portion.
//
// Thread safety: the endpoint's driver; fetch(), any thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "base/port/peer_memory.hpp"
#include "fabric/copy_gate.hpp"
#include "fabric/fabric.hpp"
#include "fabric/segment.hpp"
#include "fabric/staging.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

template <class M>
class direct {
  public:
    // `processes`: the system's number of each peer; 0 of those whose memory cannot be reached.
    direct(const segment<M>& shared, std::vector<std::uint32_t> processes) noexcept
        : shared_(shared),
          processes_(std::move(processes)) {}

    [[nodiscard]] bool reaches(unsigned peer) const noexcept {
        return peer < processes_.size() && processes_[peer] != 0;
    }

    // Strong guarantee. Preconditions: the peer is reached, and extents has bytes.
    void begin(unsigned peer, direction way, std::span<const extent> extents, token done) {
        running_.push_back({peer, way, done, {extents.begin(), extents.end()}, 0});
    }

    // Precondition: the peer is reached. Errors: std::bad_alloc.
    [[nodiscard]] bool fetch(unsigned peer, std::span<const extent> extents) const {
        copying all{peer, direction::pull, {}, {extents.begin(), extents.end()}, 0};
        bool more = true;
        while (more && !all.left().empty()) {
            std::size_t room = portion_bytes;
            more = !over(shared_.station(peer).state.load(detail::memory_order::relaxed)) && // relaxed: as in post
                   advance(all, room);
        }
        return more;
    }

    // Copies a portion of what is left. Errors: std::bad_alloc, and nothing has changed but that.
    void step(std::deque<completion>& finished, staging<M>& instead) {
        std::size_t room = portion_bytes;
        while (!running_.empty() && room != 0) {
            copying& front = running_.front();
            if (over(shared_.station(front.peer).state.load(detail::memory_order::relaxed))) { // relaxed: as in post
                finished.push_back({front.done, false});
            } else if (advance(front, room)) {
                if (!front.left().empty()) {
                    return;
                }
                finished.push_back({front.done, true});
            } else {
                instead.begin(front.peer, front.way, front.left(), front.done);
            }
            running_.pop_front();
        }
    }

    [[nodiscard]] bool ready() const noexcept { return !running_.empty(); }

    // Every copy with this peer is over.
    void forget(unsigned peer, std::deque<completion>& finished) {
        std::erase_if(running_, [&](const copying& c) {
            if (c.peer == peer) {
                finished.push_back({c.done, false});
            }
            return c.peer == peer;
        });
    }

  private:
    struct copying {
        unsigned peer;
        direction way;
        token done;
        std::vector<extent> extents;
        std::size_t first; // what comes before is copied

        [[nodiscard]] std::span<extent> left() noexcept { return std::span(extents).subspan(first); }
    };

    // About 100 us: messages of others wait so long.
    static constexpr std::size_t portion_bytes = std::size_t{1} << 20;

    // False: the system has refused the beginning of what is left.
    bool advance(copying& c, std::size_t& room) const noexcept {
        while (!c.left().empty() && room != 0) {
            std::array<port::peer_range, port::most_peer_ranges> ranges{};
            // What is closed to this process's own tasks is opened one by one.
            const std::size_t most = the_copy_gate != nullptr ? 1 : ranges.size();
            std::size_t n = 0;
            std::size_t bytes = 0;
            for (const extent& e : c.left().first(std::min(c.left().size(), most))) {
                ranges[n] = {e.here, e.there, std::min(e.bytes, room - bytes)};
                bytes += ranges[n++].bytes;
            }
            const std::size_t copied = copy(c, std::span(ranges).first(n));
            take_off(c, copied);
            room -= copied;
            if (copied < bytes) {
                return false;
            }
        }
        return true;
    }

    std::size_t copy(const copying& c, std::span<const port::peer_range> ranges) const noexcept {
        const gated open(ranges.front().here, ranges.front().bytes); // if anything is closed, there is but one
        return c.way == direction::pull ? port::read_peer(processes_[c.peer], ranges)
                                        : port::write_peer(processes_[c.peer], ranges);
    }

    static void take_off(copying& c, std::size_t bytes) noexcept {
        while (!c.left().empty() && c.left().front().bytes <= bytes) {
            bytes -= c.left().front().bytes;
            ++c.first;
        }
        if (bytes != 0) {
            extent& e = c.left().front();
            e.here = static_cast<std::byte*>(e.here) + bytes;
            e.there += bytes;
            e.bytes -= bytes;
        }
    }

    segment<M> shared_;
    std::vector<std::uint32_t> processes_;
    std::deque<copying> running_;
};

} // namespace skerry::inline SKERRY_ABI::fabric
