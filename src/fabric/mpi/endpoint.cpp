// SPDX-License-Identifier: Apache-2.0
#include "fabric/mpi/endpoint.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/futex.hpp"
#include "base/port/thread.hpp"

namespace skerry::inline SKERRY_ABI::fabric::mpi {

namespace {

// MPI has nothing to sleep on. So long is what came at worst not seen, and so short at first.
constexpr std::uint64_t longest_nap_ns = 1'000'000;
constexpr std::uint64_t first_nap_ns = 50'000;
constexpr std::uint64_t copying_nap_ns = 10'000;

capabilities about(unsigned self, unsigned ranks, unsigned credits) noexcept {
    capabilities result;
    result.name = "mpi";
    result.self = self;
    result.peers = ranks;
    result.request_credits = credits;
    result.reply_credits = credits;
    result.bulk_copy = true;
    result.copy_needs_peer = true;
    result.kick = true;
    result.nap = true;
    return result;
}

} // namespace

mpi_endpoint::mpi_endpoint(const skerry_mpi_calls& calls, unsigned self, unsigned ranks)
    : mpi_(calls),
      about_(about(self, ranks, credits)),
      peers_(ranks) {
    for (unsigned slot = 0; slot < receives; ++slot) {
        begin_receive(slot);
    }
}

mpi_endpoint::peer_side& mpi_endpoint::side(unsigned peer) noexcept {
    if (peer >= about_.peers) {
        detail::panic("fabric: there is no peer ", peer, " among ", about_.peers);
    }
    return peers_[peer];
}

void mpi_endpoint::expect(int error, const char* what) const noexcept {
    if (error != 0) {
        char text[256];
        mpi_.text(error, text, sizeof text);
        detail::fatal(mpi_.library, " could not ", what, ": ", text);
    }
}

// --- frames ---------------------------------------------------------------------------------------------------------

void mpi_endpoint::begin_receive(unsigned slot) {
    const skerry_mpi_part room{&slots_[slot], frame_bytes};
    expect(mpi_.receive(&room, 1, -1, frames, &slot_ops_[slot]), "receive");
}

std::unique_ptr<frame> mpi_endpoint::fresh() {
    if (free_.empty()) {
        return std::make_unique<frame>();
    }
    std::unique_ptr<frame> f = std::move(free_.back());
    free_.pop_back();
    f->head = {};
    return f;
}

void mpi_endpoint::send(unsigned peer, std::unique_ptr<frame> f) {
    peer_side& p = peers_[peer];
    f->head.number = p.sent++;
    for (std::size_t k = 0; k < kinds; ++k) {
        f->head.back[k] = static_cast<std::uint16_t>(std::exchange(p.owed[k], 0U));
    }
    flight& going = in_flight_.emplace_back(flight{{}, std::move(f)});
    const skerry_mpi_part all{going.what.get(), going.what->bytes()};
    expect(mpi_.send(&all, 1, peer, frames, &going.op), "send");
}

void mpi_endpoint::send_open(unsigned peer) {
    if (peers_[peer].open != nullptr) {
        send(peer, std::move(peers_[peer].open));
    }
}

void mpi_endpoint::send_all_open() {
    for (unsigned i = 0; i < about_.peers; ++i) {
        send_open(i);
    }
}

// The sender may have none left, or few.
void mpi_endpoint::give_back(unsigned peer) {
    peer_side& p = peers_[peer];
    if (peer == about_.self || p.left) {
        return;
    }
    for (std::size_t k = 0; k < kinds; ++k) {
        if (p.owed[k] >= credits / 2 || (p.owed[k] != 0 && p.owed[k] + p.inbox[k].size() == credits)) {
            if (p.open == nullptr) {
                p.open = fresh();
            }
            return; // it goes with what is sent next
        }
    }
}

void mpi_endpoint::take(unsigned from, std::size_t bytes, const frame& f) {
    peer_side& p = side(from);
    if (bytes < sizeof(frame_head) || f.head.count > parts_in_a_frame || f.bytes() != bytes) {
        detail::panic("fabric: a frame of ", bytes, " bytes from rank ", from, " was cut or is none");
    }
    if (f.head.number != p.due) {
        detail::panic("fabric: frame ", f.head.number, " from rank ", from, " came where ", p.due, " was due");
    }
    ++p.due;
    for (std::size_t k = 0; k < kinds; ++k) {
        p.credit[k] += f.head.back[k];
        if (p.refused[k] && f.head.back[k] != 0) {
            room_again_ = true;
        }
    }
    if (f.head.kick) {
        bell_.kick();
    }
    switch (f.head.kind) {
    case frame_kind::messages: take_messages(from, f); break;
    case frame_kind::pull:
    case frame_kind::push:
        if (!leaving_) { // else it hears that we have left
            serve(from, f);
        }
        break;
    case frame_kind::pushed: {
        const auto over = std::ranges::find(p.pushing, f.head.copy, &part::number);
        if (over != p.pushing.end()) {
            const auto of = over->of;
            p.pushing.erase(over);
            part_over(from, of, true);
            begin_parts(from);
        }
        break;
    }
    case frame_kind::left: forget(from); break;
    }
}

void mpi_endpoint::take_messages(unsigned from, const frame& f) {
    peer_side& p = peers_[from];
    for (unsigned i = 0; i < f.head.count; ++i) {
        const message& m = f.messages[i];
        const auto k = static_cast<kind>(m.sequence);
        if (index(k) >= kinds || p.inbox[index(k)].size() == credits) {
            detail::panic("fabric: rank ", from, " has sent more messages than it had credits");
        }
        p.inbox[index(k)].push_back(m);
        ++unread_;
    }
}

// --- messages -------------------------------------------------------------------------------------------------------

// A message's stamp is its note, and its sequence the kind, until it is delivered.
post_result mpi_endpoint::post(unsigned to, kind k, const message& m) {
    const std::lock_guard lock(calls_);
    peer_side& p = side(to);
    if (p.left || over_) {
        return post_result::gone;
    }
    if (p.credit[index(k)] == 0) {
        send_open(to);
        progress(); // some may have come
    }
    if (p.left) {
        return post_result::gone;
    }
    if (p.credit[index(k)] == 0) {
        refusals_ += p.refused[index(k)] ? 0U : 1U;
        p.refused[index(k)] = true;
        return post_result::full;
    }
    refusals_ -= p.refused[index(k)] ? 1U : 0U;
    p.refused[index(k)] = false;
    message sent = m;
    sent.stamp = p.numbers.next(m.tag, k);
    sent.sequence = static_cast<std::uint16_t>(k);
    if (to == about_.self) {
        p.inbox[index(k)].push_back(sent);
        ++unread_;
    } else {
        if (p.open == nullptr) {
            p.open = fresh();
        }
        p.open->messages[p.open->head.count++] = sent;
        if (p.open->head.count == messages_in_a_frame) {
            send_open(to);
        }
    }
    --p.credit[index(k)];
    p.numbers.sent(k);
    return post_result::sent;
}

void mpi_endpoint::flush() {
    const std::lock_guard lock(calls_);
    if (!over_) {
        send_all_open();
    }
}

// False: there was none.
bool mpi_endpoint::deliver(unsigned from, kind k) {
    message m;
    {
        const std::lock_guard lock(calls_);
        peer_side& p = peers_[from];
        std::deque<message>& in = p.inbox[index(k)];
        if (in.empty()) {
            return false;
        }
        m = in.front();
        in.pop_front();
        --unread_;
        if (from == about_.self) {
            ++p.credit[index(k)];
            room_again_ = room_again_ || p.refused[index(k)];
        } else {
            ++p.owed[index(k)];
        }
        p.numbers.check(from, k, m.stamp);
    }
    m.sequence = numbering::number_of(m.stamp);
    if (receiver_ == nullptr) {
        detail::panic("fabric: a message came before on_message()");
    }
    receiver_->receive(from, k, m);
    return true;
}

std::size_t mpi_endpoint::poll(std::size_t budget) {
    if (polling_) {
        detail::panic("fabric: poll() inside a receiver");
    }
    polling_ = true;
    const leave_poll at_end{polling_};
    bool any = false;
    {
        const std::lock_guard lock(calls_);
        progress();
        left_untold_ = 0;
        any = unread_ != 0;
    }
    std::size_t handled = 0;
    for (unsigned i = 0; any && i < about_.peers; ++i) {
        const unsigned from = first_ + i < about_.peers ? first_ + i : first_ + i - about_.peers;
        for (const kind k : {kind::reply, kind::request}) {
            while (handled < budget && deliver(from, k)) {
                ++handled;
            }
        }
    }
    first_ = first_ + 1 < about_.peers ? first_ + 1 : 0;
    const std::lock_guard lock(calls_);
    for (unsigned i = 0; i < about_.peers; ++i) {
        give_back(i);
        send_open(i);
    }
    return handled;
}

// --- driving --------------------------------------------------------------------------------------------------------

// Takes what has come, and sees what has gone. True: a frame or the bytes of a copy have come.
bool mpi_endpoint::progress() {
    if (over_) {
        return false;
    }
    bool came = false;
    int over = 1;
    unsigned from = 0;
    std::uint64_t bytes = 0;
    for (;;) {
        const unsigned slot = next_slot_;
        expect(mpi_.test(&slot_ops_[slot], &over, &from, &bytes), "receive");
        if (over == 0) {
            break;
        }
        next_slot_ = (slot + 1) % receives;
        take(from, bytes, slots_[slot]);
        begin_receive(slot);
        came = true;
    }
    for (auto at = pulling_.begin(); at != pulling_.end();) {
        expect(mpi_.test(&at->op, &over, &from, &bytes), "receive");
        if (over == 0) {
            ++at;
            continue;
        }
        const unsigned peer = at->from;
        pulled(*at, true);
        at = pulling_.erase(at);
        begin_parts(peer);
        came = true;
    }
    for (auto at = serving_.begin(); at != serving_.end();) {
        expect(mpi_.test(&at->op, &over, &from, &bytes), "send");
        at = over != 0 ? serving_.erase(at) : std::next(at);
    }
    while (!in_flight_.empty()) {
        expect(mpi_.test(&in_flight_.front().op, &over, &from, &bytes), "send");
        if (over == 0) {
            break;
        }
        free_.push_back(std::move(in_flight_.front().what));
        in_flight_.pop_front();
    }
    return came;
}

bool mpi_endpoint::copies_go_on() const noexcept { return !pulling_.empty() || !serving_.empty() || !copies_.empty(); }

bool mpi_endpoint::something() noexcept {
    return unread_ != 0 || !finished_.empty() || left_untold_ != 0 || std::exchange(room_again_, false);
}

void mpi_endpoint::kick(unsigned peer) {
    if (peer == about_.self) {
        bell_.kick();
        return;
    }
    const std::lock_guard lock(calls_);
    peer_side& p = side(peer);
    if (p.left || over_ || leaving_) {
        return;
    }
    if (p.open == nullptr) {
        p.open = fresh();
    }
    p.open->head.kick = true;
    send_open(peer);
}

bool mpi_endpoint::wait(std::uint64_t deadline_ns, turn* mine) {
    if (polling_) {
        detail::panic("fabric: wait() inside a receiver");
    }
    for (std::uint64_t nap_ns = first_nap_ns;; nap_ns = std::min(2 * nap_ns, longest_nap_ns)) {
        bool copying = false;
        {
            const std::lock_guard lock(calls_);
            send_all_open();
            progress();
            if (bell_.take_kick() || something()) {
                return true;
            }
            copying = copies_go_on();
        }
        const std::uint64_t now = port::now_ns();
        if (now >= deadline_ns) {
            return false;
        }
        bool kicked = false;
        bell_.sleep([&] { return kicked = bell_.take_kick(); },
                    std::min(copying ? copying_nap_ns : nap_ns, deadline_ns - now), lending(mine));
        if (kicked) {
            return true;
        }
    }
}

bool mpi_endpoint::nap(std::uint64_t deadline_ns) {
    for (std::uint64_t now = port::now_ns(); now < deadline_ns; now = port::now_ns()) {
        if (bell_.nap(std::min(deadline_ns - now, longest_nap_ns))) {
            return true;
        }
        if (calls_.try_lock()) { // for a kick from elsewhere, if nobody drives
            const std::lock_guard lock(calls_, std::adopt_lock);
            progress();
        }
    }
    return false;
}

bool mpi_endpoint::left_over() {
    const std::lock_guard lock(calls_);
    return !finished_.empty() || refusals_ != 0 || copies_go_on();
}

// Four steps: our copies end, while others' are served; no more are served, and those that are end; everybody hears
// that we leave; everybody else does. Ranks that will not leave any more have died, and their launcher ends this one.
void mpi_endpoint::leave() noexcept {
    const auto until = [this](auto&& done) {
        for (;;) {
            progress();
            if (done()) {
                return;
            }
            calls_.unlock();
            port::sleep_ns(copying_nap_ns);
            calls_.lock();
        }
    };
    const std::lock_guard lock(calls_);
    if (over_) {
        return;
    }
    send_all_open();
    until([this] { return copies_.empty(); });
    leaving_ = true;
    until([this] { return serving_.empty() && pulling_.empty(); });
    for (unsigned i = 0; i < about_.peers; ++i) {
        if (i != about_.self) {
            send_open(i);
            std::unique_ptr<frame> f = fresh();
            f->head.kind = frame_kind::left;
            send(i, std::move(f));
        }
    }
    until([this] { return in_flight_.empty() && gone_ == about_.peers - 1; });
    for (skerry_mpi_operation& op : slot_ops_) {
        expect(mpi_.cancel(&op), "cancel a receive");
    }
    over_ = true;
    expect(mpi_.end(), "end");
}

} // namespace skerry::inline SKERRY_ABI::fabric::mpi
