// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bulk copies between endpoints that cannot see each other's memory: block by block through memory that both map.
//
//   pull   I -> peer  wanted(id, there, here, bytes)      the peer queues the sending
//          peer -> I  answer(id, here, bytes) and a block, as often as it takes; the last completes the copy
//   push   I -> peer  store(id, there, bytes) and a block, likewise; the last of an extent is a store_tell
//          peer -> I  stored(id)                          for each extent; the last completes the copy
//
// These go through a ring of their own, so neither requests nor replies can hold a copy up. Nothing here waits: what
// finds the ring or the blocks full stays queued in the memory of whoever wants it, until a later step. So both sides
// always go on taking, and taking makes room.
//
// Blocks are used in turn; a message names none, because the n-th message with data of a link means block n. The
// receiver's count of emptied blocks is the sender's credit: block n is free when n - count < blocks_per_link.
//
// Thread safety: the endpoint's driver. Shared words: the bulk ring (ring.hpp) and block_count (D3 -> D1).

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/panic.hpp"
#include "base/port/poison.hpp"
#include "fabric/copy_gate.hpp"
#include "fabric/fabric.hpp"
#include "fabric/ring.hpp"
#include "fabric/segment.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

template <class M>
class staging {
  public:
    staging(const segment<M>& shared, unsigned self) : shared_(shared), self_(self), peers_(shared.endpoints()) {
        for (unsigned i = 0; i < peers_.size(); ++i) {
            link<M>& out = shared.link(self, i);
            link<M>& in = shared.link(i, self);
            peers_[i].out = {out.bulk, bulk_slots, out.bulk_count};
            peers_[i].in = {in.bulk, bulk_slots, in.bulk_count};
        }
    }

    // Strong guarantee. Precondition: extents has bytes.
    void begin(unsigned peer, direction way, std::span<const extent> extents, token done) {
        const std::uint64_t id = next_id_;
        running& mine = running_[id];
        mine = {peer, 0, done};
        peer_side& p = peers_[peer];
        const std::size_t notes = p.notes.size();
        const std::size_t sendings = p.sendings.size();
        try {
            for (const extent& e : extents) {
                if (e.bytes == 0) {
                    continue;
                }
                if (way == direction::pull) {
                    p.notes.push_back({op::wanted, {{id, e.there, address(e.here), e.bytes}}});
                    mine.left += e.bytes;
                } else {
                    p.sendings.push_back({id, static_cast<const std::byte*>(e.here), e.there, e.bytes, true});
                    ++mine.left; // answers
                }
            }
        } catch (...) {
            p.notes.resize(notes);
            p.sendings.resize(sendings);
            running_.erase(id);
            throw;
        }
        ++next_id_;
    }

    // Moves what can be moved to and from one peer, a few blocks at most. True: something was.
    bool step(unsigned peer, std::deque<completion>& finished) {
        const bool sent = send(peer);
        const bool taken = take(peer, finished);
        if (sent || taken) {
            shared_.station(peer).bell.ring();
        }
        return sent || taken;
    }

    // Whether step() would find anything to do.
    [[nodiscard]] bool ready(unsigned peer) noexcept { return peers_[peer].in.ready() || left_over(peer); }

    // Whether step() could go on with what this side wants to send.
    [[nodiscard]] bool left_over(unsigned peer) noexcept {
        peer_side& p = peers_[peer];
        return p.out.has_room() && (!p.notes.empty() || (!p.sendings.empty() && block_free(peer)));
    }

    // Whether a message of the peer lies unread.
    [[nodiscard]] bool unread(unsigned peer) const noexcept { return peers_[peer].in.ready(); }

    // Every copy with this peer is over. Precondition: step() has found nothing more from it.
    void forget(unsigned peer, std::deque<completion>& finished) {
        for (auto i = running_.begin(); i != running_.end();) {
            if (i->second.peer == peer) {
                finished.push_back({i->second.done, false});
                i = running_.erase(i);
            } else {
                ++i;
            }
        }
        peers_[peer].notes.clear();
        peers_[peer].sendings.clear();
    }

  private:
    enum class op : std::uint32_t { wanted, answer, store, store_tell, stored };

    struct note {
        op what;
        message_body body;
    };
    struct sending {
        std::uint64_t id;
        const std::byte* from;
        std::uint64_t to;
        std::size_t bytes;
        bool push; // else an answer to the peer's pull
    };
    struct running {
        unsigned peer = 0;
        std::uint64_t left = 0; // bytes of a pull, answers of a push
        token done;
    };
    struct peer_side {
        ring_writer<M, message_body> out;
        ring_reader<M, message_body> in;
        std::uint32_t blocks_sent = 0;
        std::uint32_t blocks_taken = 0;
        std::deque<note> notes;
        std::deque<sending> sendings;
    };

    static constexpr unsigned blocks_per_step = 2;

    static std::uint64_t address(const void* p) noexcept { return reinterpret_cast<std::uintptr_t>(p); }

    bool block_free(unsigned peer) const noexcept {
        const auto& emptied = shared_.link(self_, peer).block_count.taken;
        return peers_[peer].blocks_sent - emptied.load(detail::memory_order::acquire) < blocks_per_link; // D1 <- D3
    }

    bool send(unsigned peer) {
        peer_side& p = peers_[peer];
        bool any = false;
        while (!p.notes.empty() && p.out.push(static_cast<std::uint32_t>(p.notes.front().what), p.notes.front().body)) {
            p.notes.pop_front();
            any = true;
        }
        for (unsigned i = 0; i < blocks_per_step && !p.sendings.empty() && p.out.has_room() && block_free(peer); ++i) {
            sending& s = p.sendings.front();
            const std::size_t bytes = s.bytes < block_bytes ? s.bytes : block_bytes;
            {
                const gated source(s.from, bytes);
                port::copy_unchecked(shared_.block(self_, peer, p.blocks_sent++), s.from,
                                     bytes); // published by the ring's W3
            }
            const bool last = bytes == s.bytes;
            const op what = !s.push ? op::answer : last ? op::store_tell : op::store;
            if (!p.out.push(static_cast<std::uint32_t>(what), {{s.id, s.to, bytes}})) {
                detail::panic("fabric: a ring that had room is full");
            }
            s.from += bytes;
            s.to += bytes;
            s.bytes -= bytes;
            if (last) {
                p.sendings.pop_front();
            }
            any = true;
        }
        return any;
    }

    bool take(unsigned peer, std::deque<completion>& finished) {
        peer_side& p = peers_[peer];
        bool any = false;
        std::uint32_t what = 0;
        message_body body;
        for (unsigned blocks = 0; blocks < blocks_per_step && p.in.pop(what, body); any = true) {
            const auto [id, to, third, bytes, unused5, unused6, unused7] = body.words;
            switch (static_cast<op>(what)) {
            case op::wanted:
                p.sendings.push_back({id, reinterpret_cast<const std::byte*>(to), third, bytes, false});
                break;
            case op::answer:
            case op::store:
            case op::store_tell: {
                const gated target(reinterpret_cast<void*>(to), third);
                port::copy_unchecked(reinterpret_cast<void*>(to), shared_.block(peer, self_, p.blocks_taken), third);
                ++p.blocks_taken;
                ++blocks;
                shared_.link(peer, self_)
                    .block_count.taken.store(p.blocks_taken, detail::memory_order::release); // D3 -> D1
                if (static_cast<op>(what) == op::store_tell) {
                    p.notes.push_back({op::stored, {{id}}});
                } else if (static_cast<op>(what) == op::answer) {
                    advance(peer, id, third, finished);
                }
                break;
            }
            case op::stored: advance(peer, id, 1, finished); break;
            default: detail::panic("fabric: unknown bulk message ", what, " from peer ", peer);
            }
        }
        return any;
    }

    void advance(unsigned peer, std::uint64_t id, std::uint64_t by, std::deque<completion>& finished) {
        const auto found = running_.find(id);
        if (found == running_.end() || found->second.peer != peer) {
            return;
        }
        found->second.left -= by;
        if (found->second.left == 0) {
            finished.push_back({found->second.done, true});
            running_.erase(found);
        }
    }

    segment<M> shared_;
    unsigned self_;
    std::vector<peer_side> peers_;
    std::unordered_map<std::uint64_t, running> running_;
    std::uint64_t next_id_ = 1;
};

} // namespace skerry::inline SKERRY_ABI::fabric
