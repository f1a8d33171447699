// SPDX-License-Identifier: Apache-2.0
#pragma once

// The endpoint of every back end whose endpoints share a segment: this process's own, or several processes'.
//
// A slot's note is what numbering.hpp puts there.
//
// Thread safety: as fabric.hpp says. Shared words: the rings, the bells, and the stations' states (F1 -> F2).
//
// Invariants
//  1. A peer's state is read before its rings are looked at, so what it posted before it ended is handed over before
//     its end is told.
//  2. A peer is `told` once it is over, its rings are empty and its copies are finished or failed; then it is skipped.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/futex.hpp"
#include "fabric/direct.hpp"
#include "fabric/fabric.hpp"
#include "fabric/numbering.hpp"
#include "fabric/ring.hpp"
#include "fabric/segment.hpp"
#include "fabric/staging.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

// Which rings an endpoint is made of. A test puts broken ones in their place.
template <class M>
struct sound_rings {
    using writer = ring_writer<M, message_body>;
    using reader = ring_reader<M, message_body>;
    // The ring that messages of a kind go through.
    static constexpr kind lane(kind k) noexcept { return k; }
};

template <class M, class Rings = sound_rings<M>>
class ring_endpoint : public endpoint {
  public:
    // `about` names the back end, self and peers; credits and nap are filled in.
    ring_endpoint(const segment<M>& shared, capabilities about) : shared_(shared), about_(about), peers_(about.peers) {
        about_.request_credits = request_slots;
        about_.reply_credits = reply_slots;
        about_.nap = true;
        for (unsigned i = 0; i < about_.peers; ++i) {
            link<M>& out = shared_.link(about_.self, i);
            link<M>& in = shared_.link(i, about_.self);
            peers_[i].out = {writer(out.requests, request_slots, out.request_count),
                             writer(out.replies, reply_slots, out.reply_count)};
            peers_[i].in = {reader(in.requests, request_slots, in.request_count),
                            reader(in.replies, reply_slots, in.reply_count)};
        }
        shared_.station(about_.self).state.store(presence::here, detail::memory_order::release);
    }
    // For endpoints that do not share addresses. `processes`: the system's number of each peer whose memory this one
    // reaches, 0 of the others. Precondition: the segment has room for staging.
    ring_endpoint(const segment<M>& shared, const capabilities& about, std::vector<std::uint32_t> processes)
        : ring_endpoint(shared, about) {
        staging_.emplace(shared_, about_.self);
        direct_.emplace(shared_, std::move(processes));
    }

    ~ring_endpoint() override {
        shared_.station(about_.self).state.store(presence::left, detail::memory_order::release); // F1 -> F2
        for (unsigned i = 0; i < about_.peers; ++i) {
            shared_.station(i).bell.ring();
        }
    }

    [[nodiscard]] const capabilities& describe() const noexcept override { return about_; }

    void on_message(receiver& to) override { receiver_ = &to; }

    void on_failure(const std::function<void(const failure&)>& handler) override {
        if (!about_.failure_detection) {
            endpoint::on_failure(handler);
        }
        failed_ = handler;
    }

    [[nodiscard]] post_result post(unsigned to, kind k, const message& m) override {
        peer_side& p = side(to);
        if (over(shared_.station(to).state.load(
                detail::memory_order::relaxed))) { // relaxed: nothing is read of the peer
            return post_result::gone;
        }
        const std::uint32_t note = p.numbers.next(m.tag, k);
        message_body body;
        std::copy(std::begin(m.words), std::end(m.words), std::begin(body.words));
        if (!p.out[index(Rings::lane(k))].push(note, body)) {
            p.refused[index(k)] = true;
            return post_result::full;
        }
        p.refused[index(k)] = false;
        p.numbers.sent(k);
        shared_.station(to).bell.ring();
        return post_result::sent;
    }

    std::size_t poll(std::size_t budget) override {
        if (polling_) {
            detail::panic("fabric: poll() inside a receiver");
        }
        polling_ = true;
        const leave_poll at_end{polling_};
        if (direct_) {
            direct_->step(finished_, *staging_);
        }
        std::size_t handled = 0;
        for (unsigned i = 0; i < about_.peers; ++i) {
            const unsigned from = first_ + i < about_.peers ? first_ + i : first_ + i - about_.peers;
            handled += serve(from, budget - handled);
        }
        first_ = first_ + 1 < about_.peers ? first_ + 1 : 0;
        return handled;
    }

    void copy(unsigned peer, direction way, std::span<const extent> extents, token done) override {
        static_cast<void>(side(peer));
        const bool empty = std::all_of(extents.begin(), extents.end(), [](const extent& e) { return e.bytes == 0; });
        if (over(shared_.station(peer).state.load(detail::memory_order::relaxed))) { // relaxed: as in post
            finished_.push_back({done, false});
        } else if (!empty && staging_ && peer != about_.self) {
            if (direct_->reaches(peer)) {
                direct_->begin(peer, way, extents, done);
                try {
                    direct_->step(finished_, *staging_);
                } catch (const std::bad_alloc&) {
                    // It is begun; poll() goes on with it.
                }
            } else {
                staging_->begin(peer, way, extents, done);
            }
            staging_->step(peer, finished_);
        } else {
            finished_.push_back({done, true});
            for (const extent& e : extents) {
                if (e.bytes != 0) {
                    void* const there = reinterpret_cast<void*>(e.there);
                    std::memmove(way == direction::pull ? e.here : there, way == direction::pull ? there : e.here,
                                 e.bytes);
                }
            }
        }
    }

    [[nodiscard]] bool fetch(unsigned peer, std::span<const extent> extents) override {
        static_cast<void>(side(peer));
        if (!about_.fetch) {
            return endpoint::fetch(peer, extents);
        }
        if (direct_ && peer != about_.self) {
            return direct_->fetch(peer, extents);
        }
        for (const extent& e : extents) {
            if (e.bytes != 0) {
                std::memmove(e.here, reinterpret_cast<const void*>(e.there), e.bytes);
            }
        }
        return true;
    }

    [[nodiscard]] std::optional<completion> completed() override {
        if (finished_.empty()) {
            return std::nullopt;
        }
        const completion oldest = finished_.front();
        finished_.pop_front();
        return oldest;
    }

    void kick(unsigned peer) override {
        static_cast<void>(side(peer));
        shared_.station(peer).bell.kick();
    }

    bool wait(std::uint64_t deadline_ns, turn* mine) override {
        if (polling_) {
            detail::panic("fabric: wait() inside a receiver");
        }
        fabric::bell<M>& own = shared_.station(about_.self).bell;
        for (;;) {
            if (own.take_kick() || something()) {
                return true;
            }
            const std::uint64_t now = port::now_ns();
            if (now >= deadline_ns) {
                return false;
            }
            std::uint64_t left = deadline_ns == port::forever ? port::forever : deadline_ns - now;
            if (any_refused()) {
                left = std::min(left, look_for_room_ns);
            }
            bool news = false; // kept: looking takes a kick, and room that has come, off
            own.sleep([&] { return news = own.take_kick() || something(); }, left, lending(mine));
            if (news) {
                return true;
            }
        }
    }

    bool nap(std::uint64_t deadline_ns) override {
        for (std::uint64_t now = port::now_ns(); now < deadline_ns; now = port::now_ns()) {
            if (shared_.station(about_.self)
                    .bell.nap(deadline_ns == port::forever ? port::forever : deadline_ns - now)) {
                return true;
            }
        }
        return false;
    }

    // What a peer does rings, and is not meant.
    [[nodiscard]] bool left_over() override {
        if (!finished_.empty() || any_refused()) {
            return true;
        }
        if (!staging_) {
            return false;
        }
        bool more = direct_->ready();
        for (unsigned i = 0; i < about_.peers && !more; ++i) {
            more = i != about_.self && !peers_[i].told && staging_->left_over(i);
        }
        return more;
    }

  protected:
    // Queues a token for completed().
    void finish(token done, bool arrived) { finished_.push_back({done, arrived}); }

  private:
    using writer = typename Rings::writer;
    using reader = typename Rings::reader;

    // The reader of a ring does not look whether its writer waits for room: that would cost it a fence per message. The
    // writer looks for itself.
    static constexpr std::uint64_t look_for_room_ns = 100'000;

    struct peer_side {
        std::array<writer, kinds> out;
        std::array<reader, kinds> in;
        numbering numbers;
        std::array<bool, kinds> refused{}; // the last post found the ring full
        bool told = false;
    };

    struct leave_poll {
        bool& polling;
        ~leave_poll() { polling = false; }
    };

    peer_side& side(unsigned peer) noexcept {
        if (peer >= about_.peers) {
            detail::panic("fabric: there is no peer ", peer, " among ", about_.peers);
        }
        return peers_[peer];
    }

    std::size_t serve(unsigned from, std::size_t budget) {
        peer_side& p = peers_[from];
        if (p.told) {
            return 0;
        }
        fabric::station<M>& station = shared_.station(from);
        const presence state = station.state.load(detail::memory_order::acquire); // F2 <- F1
        std::size_t handled = drain(from, kind::reply, budget);
        handled += drain(from, kind::request, budget - handled);
        const bool moved = staging_ && from != about_.self && staging_->step(from, finished_);
        if (over(state) && handled < budget && !moved && !unread(from) && its_turn(from, state)) {
            p.told = true;
            if (staging_) {
                direct_->forget(from, finished_);
                staging_->forget(from, finished_);
            }
            handled += tell(from, state, station.number.load(detail::memory_order::relaxed)); // relaxed: F2 covers it
        }
        return handled;
    }

    // Whether all that failed before this one have been told. They are seen: one thread writes all such ends, each by
    // F1, and `state` came by F2.
    [[nodiscard]] bool its_turn(unsigned peer, presence state) const noexcept {
        if (!failed(state)) {
            return true;
        }
        const std::uint32_t before = shared_.station(peer).before.load(detail::memory_order::relaxed); // F2 covers it
        for (unsigned i = 0; i < about_.peers; ++i) {
            const station<M>& other = shared_.station(i);
            if (!peers_[i].told && failed(other.state.load(detail::memory_order::acquire)) && // F2 <- F1
                other.before.load(detail::memory_order::relaxed) < before) {                  // relaxed: F2 covers it
                return false;
            }
        }
        return true;
    }

    std::size_t tell(unsigned peer, presence state, std::int32_t number) {
        if (state == presence::left || !about_.failure_detection) {
            return 0;
        }
        if (failed_) {
            failed_({peer, state == presence::killed, number});
        }
        return 1;
    }

    std::size_t drain(unsigned from, kind lane, std::size_t budget) {
        reader& in = peers_[from].in[index(lane)];
        std::size_t handled = 0;
        std::uint32_t note = 0;
        message_body body;
        while (handled < budget && in.pop(note, body)) {
            peers_[from].numbers.check(from, lane, note);
            ++handled;
            message m;
            m.sequence = numbering::number_of(note);
            m.tag = numbering::tag_of(note);
            std::copy(std::begin(body.words), std::end(body.words), std::begin(m.words));
            if (receiver_ == nullptr) {
                detail::panic("fabric: a message came before on_message()");
            }
            receiver_->receive(from, lane, m);
        }
        return handled;
    }

    [[nodiscard]] bool unread(unsigned from) const noexcept {
        return peers_[from].in[0].ready() || peers_[from].in[1].ready() || (staging_ && staging_->unread(from));
    }

    [[nodiscard]] bool any_refused() const noexcept {
        return std::any_of(peers_.begin(), peers_.end(),
                           [](const peer_side& p) { return p.refused[0] || p.refused[1]; });
    }

    [[nodiscard]] bool room_again(peer_side& p) noexcept {
        for (const kind k : {kind::request, kind::reply}) {
            if (p.refused[index(k)] && p.out[index(Rings::lane(k))].has_room()) {
                p.refused[index(k)] = false;
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool something() noexcept {
        if (!finished_.empty() || (direct_ && direct_->ready())) {
            return true;
        }
        for (unsigned i = 0; i < about_.peers; ++i) {
            peer_side& p = peers_[i];
            if (p.told) {
                continue;
            }
            const presence state = shared_.station(i).state.load(detail::memory_order::acquire); // F2 <- F1
            if (over(state) || unread(i) || room_again(p) || (staging_ && i != about_.self && staging_->ready(i))) {
                return true;
            }
        }
        return false;
    }

    segment<M> shared_;
    capabilities about_;
    std::vector<peer_side> peers_;
    std::optional<fabric::staging<M>> staging_;
    std::optional<fabric::direct<M>> direct_; // with staging_
    std::deque<completion> finished_;
    receiver* receiver_ = nullptr;
    std::function<void(const failure&)> failed_;
    unsigned first_ = 0; // whom poll() serves first
    bool polling_ = false;
};

} // namespace skerry::inline SKERRY_ABI::fabric
