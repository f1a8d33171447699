// SPDX-License-Identifier: Apache-2.0

// Messages, credits, kicks and ends: what a core does here it does in order, and what it causes elsewhere has the time
// at which it can be seen there. A core that waits has its turn at the first of these times (next_news); whoever causes
// a new one moves the turn forward (arouse). Between a look and the block no other core runs, so no news is missed.

#include "sim/messages.hpp"

#include <algorithm>
#include <utility>

#include "base/panic.hpp"
#include "sim/engine.hpp"

namespace skerry_sim {

namespace detail {

namespace {

constexpr std::int64_t longest = std::int64_t{1} << 56; // what a ready_tree's key holds

} // namespace

message_station& engine::station(const core& c) {
    if (c.id >= network_.stations.size() || network_.stations[c.id].group == 0) {
        skerry::detail::panic("sim: core ", c.id, " is not attached to the message network");
    }
    return network_.stations[c.id];
}

message_channel& engine::channel(const core& from, const core& to) noexcept {
    return network_.channels[std::size_t{from.id} * size() + to.id];
}

core& engine::peer(const core& c, unsigned id) {
    if (id >= size() || network_.stations[id].group != station(c).group) {
        skerry::detail::panic("sim: core ", c.id, " names core ", id, ", which was not attached with it");
    }
    return cores_[id];
}

unsigned engine::slots(unsigned lane) const noexcept {
    return lane == 0 ? fabric().request_slots : fabric().reply_slots;
}

void engine::attach(core& c, std::span<const unsigned> ids) {
    order(c);
    const host_section host;
    network_.stations.resize(size());
    network_.channels.resize(std::size_t{size()} * size());
    ++network_.groups;
    for (const unsigned id : ids) {
        if (!machine_.fabric || id >= size()) {
            skerry::detail::panic("sim: there is no core ", id, " with a message network");
        }
        message_station& s = network_.stations[id];
        if (s.group != 0 && s.ended == end_of_core::none) {
            skerry::detail::panic("sim: core ", id, " is attached to the message network already");
        }
        s = message_station{};
        s.group = network_.groups;
        for (const unsigned other : ids) {
            network_.channels[std::size_t{id} * size() + other] = message_channel{};
            network_.channels[std::size_t{other} * size() + id] = message_channel{};
        }
    }
}

void engine::end_station(core& c, end_of_core how) {
    if (c.id >= network_.stations.size() || network_.stations[c.id].group == 0 ||
        network_.stations[c.id].ended != end_of_core::none) {
        return;
    }
    network_.stations[c.id].ended = how;
    network_.stations[c.id].ended_at = c.clock();
    for (core& o : cores_) {
        arouse(o, end_known(c, o));
    }
    set_limit(c);
}

void engine::detach(core& c) {
    station(c);
    order(c);
    end_station(c, end_of_core::left);
}

std::int64_t engine::end_known(const core& ended, const core& here) const noexcept {
    const message_station& s = network_.stations[ended.id];
    return s.ended == end_of_core::none ? no_time
                                        : s.ended_at + fabric().way(ended.id, here.id) +
                                              (s.ended == end_of_core::killed ? fabric().failure_cycles : 0);
}

void engine::arouse(core& o, std::int64_t at) {
    if (o.doing == activity::receiving) {
        ready_.set(o.id, std::min(ready_tree::key(std::max(at, o.clock()), o.id), ready_.of(o.id)));
    }
}

// ---- Messages.

void engine::launch_message(core& from, core& to, unsigned lane, const packet& message) {
    message_lane& l = channel(from, to).lanes[lane];
    const std::int64_t arrives = from.clock() + fabric().way(from.id, to.id);
    {
        const host_section host;
        l.flying.push({arrives, message});
    }
    ++l.used;
    arouse(to, arrives);
}

send_result engine::send(core& c, unsigned id, unsigned lane, const packet& message) {
    core& to = peer(c, id);
    message_station& mine = station(c);
    c.spend(fabric().post_cycles);
    order(c);
    const message_fault* const fault =
        set_.fault.what != message_fault::none && set_.fault.from == c.id ? &set_.fault : nullptr;
    if (fault != nullptr && fault->what == message_fault::one_lane) {
        lane = 0;
    }
    if (c.clock() >= end_known(to, c)) {
        return send_result::gone;
    }
    message_lane& l = channel(c, to).lanes[lane];
    while (!l.returning.empty() && l.returning.front() <= c.clock()) {
        l.returning.pop();
        --l.used;
    }
    l.refused = l.used == slots(lane);
    if (l.refused) {
        return send_result::full;
    }
    ++changes_;
    ++mine.sent;
    const auto what = fault != nullptr && fault->number == mine.sent ? fault->what : message_fault::none;
    if (what == message_fault::lost) {
        ++l.used;
    } else if (what == message_fault::overtaken) {
        mine.holds = true;
        mine.held_to = id;
        mine.held_lane = lane;
        mine.held = message;
    } else {
        launch_message(c, to, lane, message);
        if (what == message_fault::doubled) {
            launch_message(c, to, lane, message);
        }
        if (mine.holds && mine.held_to == id && mine.held_lane == lane) {
            mine.holds = false;
            launch_message(c, to, lane, mine.held);
        }
    }
    set_limit(c);
    return send_result::sent;
}

void engine::look_for_messages(core& c) {
    station(c);
    c.spend(fabric().poll_cycles);
    order(c);
}

bool engine::receive(core& c, unsigned id, unsigned lane, packet& into) {
    core& from = peer(c, id);
    order(c);
    message_lane& l = channel(from, c).lanes[lane];
    if (l.flying.empty() || l.flying.front().arrives > c.clock()) {
        return false;
    }
    into = l.flying.front().message;
    l.flying.pop();
    const std::int64_t back = c.clock() + fabric().way(c.id, id);
    {
        const host_section host;
        l.returning.push(back);
    }
    if (l.refused) {
        arouse(from, back);
    }
    c.spend(fabric().poll_cycles);
    set_limit(c);
    return true;
}

// ---- Ends.

bool engine::is_gone(core& c, unsigned id) {
    const core& o = peer(c, id);
    order(c);
    return c.clock() >= end_known(o, c);
}

end_of_core engine::how_ended(core& c, unsigned id) {
    core& o = peer(c, id);
    if (!is_gone(c, id)) {
        return end_of_core::none;
    }
    const message_channel& from = channel(o, c);
    const bool unread = !from.lanes[0].flying.empty() || !from.lanes[1].flying.empty();
    return unread ? end_of_core::none : network_.stations[id].ended;
}

void engine::note_end(core& c, unsigned id) {
    channel(peer(c, id), c).told = true;
    finish_copies(c); // of those to this peer nothing is left
}

// ---- Waiting.

void engine::kick(core& c, unsigned id) {
    core& o = peer(c, id);
    c.spend(fabric().post_cycles);
    order(c);
    const std::int64_t at = c.clock() + fabric().way(c.id, id);
    network_.stations[id].kicked_at = std::min(network_.stations[id].kicked_at, at);
    arouse(o, at);
    set_limit(c);
}

// When there will be something to wait for, as far as it is under way.
std::int64_t engine::next_news(core& c) {
    const message_station& mine = station(c);
    std::int64_t next = mine.finished.empty() ? mine.kicked_at : 0;
    for (const copy_under_way& copy : mine.copies) {
        next = std::min(next, copy.over);
    }
    for (const core& o : cores_) {
        const message_channel& in = channel(o, c);
        if (network_.stations[o.id].group != mine.group || in.told) {
            continue;
        }
        next = std::min(next, end_known(o, c));
        for (unsigned lane = 0; lane < message_lanes; ++lane) {
            if (!in.lanes[lane].flying.empty()) {
                next = std::min(next, in.lanes[lane].flying.front().arrives);
            }
            const message_lane& out = channel(c, o).lanes[lane];
            if (out.refused && !out.returning.empty()) {
                next = std::min(next, out.returning.front());
            }
        }
    }
    return next;
}

// Kicks and room are news once.
void engine::forget_news(core& c) {
    message_station& mine = station(c);
    if (mine.kicked_at <= c.clock()) {
        mine.kicked_at = no_time;
    }
    for (const core& o : cores_) {
        for (message_lane& out : channel(c, o).lanes) {
            if (out.refused && !out.returning.empty() && out.returning.front() <= c.clock()) {
                out.refused = false;
            }
        }
    }
}

bool engine::wait_for_news(core& c, std::uint64_t deadline) {
    const std::int64_t until = deadline < std::uint64_t{longest} ? static_cast<std::int64_t>(deadline) : no_time;
    due(c);
    for (;;) {
        order(c);
        const std::int64_t next = next_news(c);
        if (next <= c.clock()) {
            forget_news(c);
            return true;
        }
        if (until <= c.clock()) {
            return false;
        }
        std::int64_t turn = std::min({next, until, c.dies_at});
        if (c.pending_from >= 0) {
            turn = std::min(turn, c.pending_at);
        }
        c.doing = activity::receiving;
        ready_.set(c.id, turn >= longest ? ready_tree::never : ready_tree::key(std::max(turn, c.clock()), c.id));
        block(c);
        c.doing = activity::running;
        if (c.clock() >= c.dies_at) {
            die(c);
        }
        due(c);
    }
}

// ---- Death.

void engine::die(core& c) {
    order(c);
    c.dies_at = c.clock(); // and a later thread here does not live
    for (way& w : c.ways) {
        if (w.line == no_line) {
            continue;
        }
        refuse(c, w);
        const std::uint32_t frame_line = w.frame_line;
        const std::uint64_t unwritten = tracking_ ? w.dirty : 0;
        drop(c, w, false);
        frames_.record(frame_line).lost |= unwritten;
    }
    end_station(c, end_of_core::killed);
    {
        const host_section host;
        c.at_exit.clear();
    }
    c.in_handler = false;
    c.pending_from = -1;
    for (core& o : cores_) {
        if (o.doing == activity::interrupting && o.other == c.id) {
            answer(o, false, c.clock() + memory_.between(at(c), at(o)));
        }
    }
    end_thread(c);
}

core& attached_here(const char* what) {
    if (current == nullptr) {
        skerry::detail::panic("skerry_sim::", what, "() outside a simulation");
    }
    return static_cast<core&>(*current);
}

} // namespace detail

using detail::attached_here;
using detail::core;

bool has_messages() { return attached_here("has_messages").owner->has_messages(); }
unsigned message_slots(unsigned lane) { return attached_here("message_slots").owner->slots(lane); }

void attach_cores(std::span<const unsigned> ids) {
    core& c = attached_here("attach_cores");
    c.owner->attach(c, ids);
}

void detach_core() {
    core& c = attached_here("detach_core");
    c.owner->detach(c);
}

send_result send(unsigned to, unsigned lane, const packet& message) {
    core& c = attached_here("send");
    return c.owner->send(c, to, lane, message);
}

void look_for_messages() {
    core& c = attached_here("look_for_messages");
    c.owner->look_for_messages(c);
}

bool receive(unsigned from, unsigned lane, packet& into) {
    core& c = attached_here("receive");
    return c.owner->receive(c, from, lane, into);
}

end_of_core end_of(unsigned id) {
    core& c = attached_here("end_of");
    return c.owner->how_ended(c, id);
}

void note_end(unsigned id) {
    core& c = attached_here("note_end");
    c.owner->note_end(c, id);
}

bool is_gone(unsigned id) {
    core& c = attached_here("is_gone");
    return c.owner->is_gone(c, id);
}

void start_copy(unsigned id, bool push, copy_pieces piece, const void* context, std::size_t count, copy_token token) {
    core& c = attached_here("start_copy");
    std::vector<copy_piece> pieces;
    {
        const detail::host_section host;
        pieces.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            pieces.push_back(piece(context, i));
        }
    }
    c.owner->start_copy(c, id, push, std::move(pieces), token);
}

void finish_copies() {
    core& c = attached_here("finish_copies");
    c.owner->finish_copies(c);
}

std::optional<finished_copy> take_finished_copy() {
    core& c = attached_here("take_finished_copy");
    return c.owner->take_finished_copy(c);
}

void kick_core(unsigned id) {
    core& c = attached_here("kick_core");
    c.owner->kick(c, id);
}

bool wait_for_news(std::uint64_t deadline) {
    core& c = attached_here("wait_for_news");
    return c.owner->wait_for_news(c, deadline);
}

void die() {
    core& c = attached_here("die");
    c.owner->die(c);
}

} // namespace skerry_sim
