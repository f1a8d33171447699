// SPDX-License-Identifier: Apache-2.0

// The copies of an endpoint: parts, pulls, pushes, and what becomes of them when a peer leaves.

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "fabric/copy_gate.hpp"
#include "fabric/mpi/endpoint.hpp"

namespace skerry::inline SKERRY_ABI::fabric::mpi {

mpi_endpoint::opened::opened(std::vector<skerry_mpi_part> parts) : parts_(std::move(parts)) {
    if (the_copy_gate != nullptr) [[unlikely]] {
        for (const skerry_mpi_part& p : parts_) {
            the_copy_gate->open(&p, p.at, p.bytes);
        }
    }
}

mpi_endpoint::opened::~opened() {
    if (the_copy_gate != nullptr) [[unlikely]] {
        for (const skerry_mpi_part& p : parts_) {
            the_copy_gate->close(&p);
        }
    }
}

void mpi_endpoint::copy(unsigned peer, direction way, std::span<const extent> extents, token done) {
    const std::lock_guard lock(calls_);
    peer_side& p = side(peer);
    if (p.left) {
        finished_.push_back({done, false});
        return;
    }
    std::vector<std::vector<frame_part>> parts;
    std::uint64_t room = 0; // in the last one
    for (const extent& e : extents) {
        if (peer == about_.self && e.bytes != 0) {
            void* const there = reinterpret_cast<void*>(e.there);
            std::memmove(way == direction::pull ? e.here : there, way == direction::pull ? there : e.here, e.bytes);
            continue;
        }
        for (std::uint64_t at = 0; at < e.bytes;) {
            if (room == 0 || parts.back().size() == parts_in_a_frame) {
                parts.emplace_back();
                room = part_bytes;
            }
            const std::uint64_t n = std::min(room, e.bytes - at);
            parts.back().push_back({e.there + at, reinterpret_cast<std::uintptr_t>(e.here) + at, n});
            room -= n;
            at += n;
        }
    }
    if (parts.empty()) {
        finished_.push_back({done, true});
        return;
    }
    const auto of = copies_.insert(copies_.end(), {done, static_cast<unsigned>(parts.size()), true});
    for (std::vector<frame_part>& what : parts) {
        p.waiting.push_back({next_copy_++, of, way, std::move(what)});
    }
    begin_parts(peer);
}

// As many as the peer shall have of ours at a time.
void mpi_endpoint::begin_parts(unsigned peer) {
    peer_side& p = peers_[peer];
    while (!p.waiting.empty() && p.under_way < copies_under_way) {
        part next = std::move(p.waiting.front());
        p.waiting.pop_front();
        ++p.under_way;
        std::unique_ptr<frame> f = fresh();
        f->head.kind = next.way == direction::pull ? frame_kind::pull : frame_kind::push;
        f->head.copy = next.number;
        f->head.count = static_cast<std::uint16_t>(next.what.size());
        std::ranges::copy(next.what, f->parts);
        if (next.way == direction::pull) {
            std::vector<skerry_mpi_part> to;
            to.reserve(next.what.size());
            for (const frame_part& e : next.what) {
                to.push_back({reinterpret_cast<void*>(e.here), e.bytes});
            }
            begin_pull(peer, std::move(to), 0, next.of);
        } else {
            p.pushing.push_back(std::move(next));
        }
        send_open(peer);
        send(peer, std::move(f));
    }
}

// The receive; whoever calls this sends the frame. `push`: of the peer's copy by that number, or 0.
void mpi_endpoint::begin_pull(unsigned from, std::vector<skerry_mpi_part> to, std::uint64_t push,
                              std::list<whole>::iterator of) {
    pulling& p = pulling_.emplace_back(pulling{{}, opened(std::move(to)), from, push, of});
    expect(mpi_.receive(p.to.parts().data(), static_cast<unsigned>(p.to.parts().size()), static_cast<int>(from),
                        bytes_of_copies, &p.op),
           "receive");
}

void mpi_endpoint::serve(unsigned peer, const frame& f) {
    std::vector<skerry_mpi_part> mine;
    mine.reserve(f.head.count);
    for (unsigned i = 0; i < f.head.count; ++i) {
        mine.push_back({reinterpret_cast<void*>(f.parts[i].there), f.parts[i].bytes});
    }
    if (f.head.kind == frame_kind::pull) {
        serving& s = serving_.emplace_back(serving{{}, opened(std::move(mine))});
        expect(mpi_.send(s.from.parts().data(), static_cast<unsigned>(s.from.parts().size()), peer, bytes_of_copies,
                         &s.op),
               "send");
        return;
    }
    std::unique_ptr<frame> back = fresh();
    back->head.kind = frame_kind::pull;
    back->head.count = f.head.count;
    for (unsigned i = 0; i < f.head.count; ++i) {
        back->parts[i] = {f.parts[i].here, f.parts[i].there, f.parts[i].bytes};
    }
    begin_pull(peer, std::move(mine), f.head.copy, copies_.end());
    send_open(peer);
    send(peer, std::move(back));
}

void mpi_endpoint::part_over(unsigned peer, std::list<whole>::iterator of, bool arrived) {
    --peers_[peer].under_way;
    of->arrived = of->arrived && arrived;
    if (--of->parts == 0) {
        finished_.push_back({of->done, of->arrived});
        copies_.erase(of);
    }
}

void mpi_endpoint::pulled(const pulling& p, bool arrived) {
    if (p.push == 0) {
        part_over(p.from, p.of, arrived);
    } else if (arrived && !peers_[p.from].left) {
        std::unique_ptr<frame> f = fresh();
        f->head.kind = frame_kind::pushed;
        f->head.copy = p.push;
        send_open(p.from);
        send(p.from, std::move(f));
    }
}

// The peer has left. What it had accepted before that has been sent: it waits for that before it says so.
void mpi_endpoint::forget(unsigned peer) {
    peer_side& p = peers_[peer];
    p.left = true;
    ++gone_;
    ++left_untold_;
    p.open.reset();
    for (bool& refused : p.refused) {
        refusals_ -= refused ? 1U : 0U;
        refused = false;
    }
    for (auto at = pulling_.begin(); at != pulling_.end();) {
        if (at->from != peer) {
            ++at;
            continue;
        }
        int over = 0;
        unsigned from = 0;
        std::uint64_t bytes = 0;
        expect(mpi_.test(&at->op, &over, &from, &bytes), "receive");
        if (over == 0) {
            expect(mpi_.cancel(&at->op), "cancel a receive");
        }
        pulled(*at, over != 0);
        at = pulling_.erase(at);
    }
    while (!p.pushing.empty()) {
        const auto of = p.pushing.front().of;
        p.pushing.pop_front();
        part_over(peer, of, false);
    }
    while (!p.waiting.empty()) {
        const auto of = p.waiting.front().of;
        p.waiting.pop_front();
        ++p.under_way;
        part_over(peer, of, false);
    }
}

std::optional<completion> mpi_endpoint::completed() {
    const std::lock_guard lock(calls_);
    if (finished_.empty()) {
        return std::nullopt;
    }
    const completion oldest = finished_.front();
    finished_.pop_front();
    return oldest;
}

} // namespace skerry::inline SKERRY_ABI::fabric::mpi
