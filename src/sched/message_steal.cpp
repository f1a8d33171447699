// SPDX-License-Identifier: Apache-2.0

#include "sched/message_steal.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/thread.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::size_t poll_budget = 64;
// The first words of a message: the ticket, and how many bytes the parcel has.
constexpr std::size_t head_words = 2;
constexpr std::size_t head_room = (fabric::message_words - head_words) * sizeof(std::uint64_t);
constexpr std::size_t full_room = fabric::message_words * sizeof(std::uint64_t);
// Tickets that nobody needs for so long are called back. Sooner would cost three messages whenever a worker has waited
// for a moment.
constexpr std::uint64_t excess_ns = 500'000;

// What fails while messages are moved ends the process: what they tell would be lost.
template <class Move>
void or_end(Move&& move) noexcept {
    try {
        move();
    } catch (const std::bad_alloc&) {
        fatal("out of memory for a task between two processes");
    } catch (const std::exception& e) {
        fatal("a task between two processes: ", e.what());
    }
}

} // namespace

message_steal::message_steal(std::unique_ptr<fabric::endpoint> f, holder& above, trace_buffer<machine>* track)
    : above_(above),
      fabric_(std::move(f)),
      self_(fabric_->describe().self),
      peers_(fabric_->describe().peers),
      trace_(track),
      with_(peers_) {
    fabric_->on_message(*this);
    if (fabric_->describe().failure_detection) {
        fabric_->on_failure([this](const fabric::failure& end) {
            with_[end.peer].gone = true;
            above_.lost(end);
        });
    }
}

message_steal::~message_steal() = default;

// --- sending --------------------------------------------------------------------------------------------------------

void message_steal::send(unsigned to, fabric::kind k, tag t, std::uint64_t ticket, std::span<const std::byte> bytes) {
    fabric::message m;
    m.tag = static_cast<std::uint16_t>(t);
    m.words[0] = ticket;
    m.words[1] = bytes.size();
    std::size_t now = std::min(bytes.size(), head_room);
    if (now != 0) {
        std::memcpy(&m.words[head_words], bytes.data(), now);
    }
    with_[to].outbox.push_back({k, m});
    while (now < bytes.size()) {
        const std::size_t n = std::min(bytes.size() - now, full_room);
        fabric::message part;
        part.tag = static_cast<std::uint16_t>(tag::more);
        std::memcpy(&part.words[0], bytes.data() + now, n);
        with_[to].outbox.push_back({k, part});
        now += n;
    }
    flush();
}

// What there is credit for. The order within a kind is that of the box.
void message_steal::flush() {
    for (unsigned p = 0; p < peers_; ++p) {
        std::deque<letter>& box = with_[p].outbox;
        std::array<bool, fabric::kinds> stuck{};
        for (auto at = box.begin(); at != box.end() && !(stuck[0] && stuck[1]);) {
            bool& blocked = stuck[static_cast<std::size_t>(at->kind)];
            if (!blocked) {
                const fabric::post_result r = fabric_->post(p, at->kind, at->message);
                blocked = r == fabric::post_result::full;
                if (!blocked) { // to somebody gone: nobody waits for it
                    at = box.erase(at);
                    continue;
                }
            }
            ++at;
        }
    }
}

namespace {

void tell_transfer(trace_sink<machine> track, std::uint64_t word, std::span<const fabric::extent> extents,
                   std::uint16_t route) noexcept {
    if (track.on()) {
        std::uint64_t bytes = 0;
        for (const fabric::extent& e : extents) {
            bytes += e.bytes;
        }
        track.transfer(word, bytes, route);
    }
}

} // namespace

void message_steal::copy(unsigned peer, fabric::direction way, std::span<const fabric::extent> extents,
                         std::uint64_t word) {
    tell_transfer(trace_, word, extents, trace_route(peer, way == fabric::direction::push));
    fabric_->copy(peer, way, extents, {nullptr, word});
}

bool message_steal::fetch(unsigned peer, std::span<const fabric::extent> extents, trace_sink<machine> track) {
    const auto word = reinterpret_cast<std::uint64_t>(extents.data()); // of no other transfer that goes on
    tell_transfer(track, word, extents, trace_route(peer, false));
    const bool arrived = fabric_->fetch(peer, extents);
    track.arrive(word);
    return arrived;
}

void message_steal::done(unsigned victim, std::uint64_t ticket, const parcel& what) {
    --here_;
    send(victim, fabric::kind::request, tag::done, ticket, what);
}

void message_steal::close_all() noexcept {
    driver_.lock();
    or_end([this] {
        for (unsigned p = 0; p < peers_; ++p) {
            if (p != self_) {
                send(p, fabric::kind::request, tag::close, 0, {});
            }
        }
        // A process that does not take its messages is dead or gone in the end, and its box is emptied then.
        while (std::ranges::any_of(with_, [](const correspondence& c) { return !c.outbox.empty(); })) {
            fabric_->poll(poll_budget);
            flush();
            port::yield();
        }
    });
    let_go();
}

void message_steal::leave() noexcept {
    driver_.lock(); // for good: nobody drives any more
    fabric_->leave();
}

// --- receiving ------------------------------------------------------------------------------------------------------

void message_steal::receive(unsigned from, fabric::kind k, const fabric::message& m) {
    correspondence::half& half = with_[from].incoming[static_cast<std::size_t>(k)];
    const auto what = static_cast<tag>(m.tag);
    const std::byte* first = reinterpret_cast<const std::byte*>(&m.words[0]);
    std::size_t room = full_room;
    if (what != tag::more) {
        half.first = what;
        half.ticket = m.words[0];
        half.bytes = m.words[1];
        half.so_far.clear();
        half.so_far.reserve(half.bytes);
        first += head_words * sizeof(std::uint64_t);
        room = head_room;
    }
    const std::size_t n = std::min(room, half.bytes - half.so_far.size());
    half.so_far.insert(half.so_far.end(), first, first + n);
    if (half.so_far.size() == half.bytes) {
        complete(from, k);
    }
}

void message_steal::complete(unsigned from, fabric::kind k) {
    const correspondence::half& half = with_[from].incoming[static_cast<std::size_t>(k)];
    switch (half.first) {
    case tag::want:
        with_[from].tickets.push_back(
            {half.ticket, half.so_far.empty() || half.so_far[0] == std::byte{0} ? wish::any : wish::own});
        waiting_.fetch_add(1, memory_order::relaxed);
        break;
    case tag::unwant:
        if (std::erase_if(with_[from].tickets, [&](const want_note& n) { return n.ticket == half.ticket; }) != 0) {
            waiting_.fetch_sub(1, memory_order::relaxed);
            send(from, fabric::kind::reply, tag::dropped, half.ticket, {});
        }
        break;
    case tag::dropped: forget(from, half.ticket); break;
    case tag::grant:
        forget(from, half.ticket);
        ++here_;
        taken_.fetch_add(1, memory_order::relaxed);
        above_.take(from, half.ticket, half.so_far);
        break;
    case tag::done: above_.ended(from, half.ticket, half.so_far); break;
    case tag::close: above_.closing(); break;
    case tag::more: panic("message_steal: a part of a message without its beginning");
    }
}

// --- driving --------------------------------------------------------------------------------------------------------

// True: something was granted.
bool message_steal::grant(unsigned p) {
    std::deque<want_note>& tickets = with_[p].tickets;
    std::array<bool, wishes> nothing{};
    for (auto at = tickets.begin(); at != tickets.end(); ++at) {
        bool& none = nothing[static_cast<std::size_t>(at->what)];
        if (none) {
            continue;
        }
        const want_note note = *at;
        const std::optional<parcel> what = above_.give(p, note.ticket, note.what);
        if (what) {
            tickets.erase(at);
            granted_.fetch_add(1, memory_order::relaxed);
            waiting_.fetch_sub(1, memory_order::relaxed);
            send(p, fabric::kind::reply, tag::grant, note.ticket, *what);
            return true;
        }
        none = true;
        nothing[static_cast<std::size_t>(wish::own)] = true; // what is not there at all is not there of its own
    }
    return false;
}

// Victim: grants what there is, to one after the other.
void message_steal::serve() {
    for (unsigned in_vain = 0; in_vain < peers_;) {
        const unsigned p = first_served_;
        first_served_ = p + 1 < peers_ ? p + 1 : 0;
        in_vain = !with_[p].gone && grant(p) ? 0 : in_vain + 1;
    }
}

void message_steal::forget(unsigned p, std::uint64_t ticket) {
    std::erase_if(with_[p].out, [&](const asked& a) { return a.ticket == ticket; });
}

// `settled`: there have been too many for a while.
void message_steal::adjust(unsigned p, wish w, unsigned goal, bool settled) {
    unsigned out = 0;
    for (asked& a : with_[p].out) {
        if (a.what == w && !a.dropping && ++out > goal && settled) {
            a.dropping = true;
            send(p, fabric::kind::request, tag::unwant, a.ticket, {});
        }
    }
    for (; out < goal; ++out) {
        with_[p].out.push_back({next_ticket_, w, false});
        send(p, fabric::kind::request, tag::want, next_ticket_++, std::as_bytes(std::span(&w, 1)));
    }
}

// Thief: as many tickets as there is room for.
void message_steal::want() {
    for (unsigned p = 0; p < peers_; ++p) {
        correspondence& c = with_[p];
        if (p == self_ || c.gone) {
            continue;
        }
        const appetite goals = above_.wants(p);
        appetite out{};
        for (const asked& a : c.out) {
            out[static_cast<std::size_t>(a.what)] += a.dropping ? 0 : 1;
        }
        const bool excess = out[0] > goals[0] || out[1] > goals[1];
        const std::uint64_t now = excess ? port::now_ns() : 0;
        c.excess_since = !excess ? 0 : c.excess_since != 0 ? c.excess_since : now;
        const bool settled = excess && now - c.excess_since > excess_ns;
        adjust(p, wish::any, goals[static_cast<std::size_t>(wish::any)], settled);
        adjust(p, wish::own, goals[static_cast<std::size_t>(wish::own)], settled);
    }
}

void message_steal::tell_of_copies() {
    while (const std::optional<fabric::completion> over = fabric_->completed()) {
        something_ = true;
        trace_.arrive(over->done.word);
        above_.copied(over->done.word, over->arrived);
    }
}

void message_steal::drive() {
    driven_at_.store(port::ticks(), memory_order::relaxed);
    flush();
    something_ = fabric_->poll(poll_budget) != 0 || something_;
    tell_of_copies();
    above_.errands();
    tell_of_copies(); // those that needed no peer are over already
    serve();
    want();
    fabric_->flush();
}

void message_steal::drive_or_end() noexcept {
    called_.store(false, memory_order::relaxed);
    machine::full_fence(); // before the look at what the callers have left
    or_end([this] { drive(); });
    if (resting_ && fabric_->left_over()) { // D3
        wake();
    }
}

bool message_steal::poll() noexcept {
    called_.store(true, memory_order::relaxed); // D1
    machine::full_fence();                      // D1 before the look at the lock
    return glance().value_or(false);            // whoever drives sees the call at D2
}

std::optional<bool> message_steal::glance() noexcept {
    if (!driver_.try_lock()) {
        return std::nullopt;
    }
    something_ = false;
    drive_or_end();
    polled_at_.store(driven_at_.load(memory_order::relaxed), memory_order::relaxed);
    const bool came = something_;
    let_go();
    return came;
}

// Bounded by the calls: each is of somebody who went on to do something else.
void message_steal::let_go() noexcept {
    for (;;) {
        driver_.unlock();
        machine::full_fence();                                             // the unlock before D2: pairs with D1
        if (!called_.load(memory_order::relaxed) || !driver_.try_lock()) { // D2
            return;
        }
        drive_or_end();
    }
}

void message_steal::wake() noexcept { fabric_->kick(self_); }

void message_steal::urge() noexcept {
    for (unsigned p = 0; p < peers_; ++p) {
        if (p != self_) {
            fabric_->kick(p);
        }
    }
}

struct message_steal::lent_while_resting final : fabric::turn {
    explicit lent_while_resting(message_steal& all) noexcept : steal(all) {}
    void lend() noexcept override {
        steal.resting_ = true;
        steal.let_go();
    }
    void take_back() noexcept override {
        steal.driver_.lock();
        steal.resting_ = false;
    }
    message_steal& steal;
};

void message_steal::wait(std::uint64_t deadline_ns) noexcept {
    driver_.lock();
    drive_or_end();
    lent_while_resting mine(*this);
    fabric_->wait(deadline_ns, &mine);
    drive_or_end();
    let_go();
}

void message_steal::nap(std::uint64_t deadline_ns) noexcept {
    driver_.lock();
    if (!fabric_->left_over()) {
        lent_while_resting mine(*this);
        mine.lend();
        const bool urged = fabric_->nap(deadline_ns);
        mine.take_back();
        if (!urged) {
            let_go();
            return;
        }
    }
    drive_or_end();
    let_go();
}

} // namespace skerry::inline SKERRY_ABI::detail
