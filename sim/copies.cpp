// SPDX-License-Identifier: Apache-2.0

// The transfer engine of each core. A copy takes its time when it is started; its bytes move when its end is noticed
// by the core that asked. Nobody may look at them in between: that the token is back is how they are known to be there.
//
//  1. One engine a core, one extent after the other: an extent keeps it busy for its bytes.
//  2. The last byte has then a way to the peer before it (a pull: the request; a push: the byte) and one behind it.
//  3. The source is read where a write-back goes, after the source core's dirty bytes went there; so a third core's
//     unpublished bytes are missed, and that is reported as a stale read.
//  4. The target is written there too, after the target core's copies left its cache. A third core's are stale.

#include <algorithm>
#include <utility>

#include "sim/engine.hpp"

namespace skerry_sim::detail {

namespace {

unsigned char* host_byte(std::uint64_t address) noexcept { return reinterpret_cast<unsigned char*>(address); }

} // namespace

void engine::start_copy(core& c, unsigned id, bool push, std::vector<copy_piece>&& pieces, copy_token token) {
    const core& o = peer(c, id);
    message_station& mine = station(c);
    const fabric_description& f = fabric();
    order(c);
    std::int64_t over = c.clock();
    for (const copy_piece& p : pieces) {
        if (p.bytes != 0) {
            c.spend(f.copy_start_cycles);
            mine.transfer_free =
                std::max(mine.transfer_free, c.clock()) +
                static_cast<std::int64_t>((p.bytes + f.copy_bytes_per_cycle - 1) / f.copy_bytes_per_cycle);
            over = mine.transfer_free + 2 * f.way(c.id, id);
        }
    }
    order(c);
    const bool gone = c.clock() >= end_known(o, c);
    const host_section host;
    if (gone) {
        mine.finished.push({token, false});
    } else {
        mine.copies.push_back({id, push, std::move(pieces), token, over});
    }
}

void engine::finish_copies(core& c) {
    message_station& mine = station(c);
    order(c);
    for (;;) {
        std::size_t first = mine.copies.size();
        for (std::size_t i = 0; i < mine.copies.size(); ++i) {
            copy_under_way& copy = mine.copies[i];
            if (c.clock() >= end_known(cores_[copy.peer], c)) {
                copy.over = std::min(copy.over, c.clock());
            }
            if (copy.over <= c.clock() && (first == mine.copies.size() || copy.over < mine.copies[first].over)) {
                first = i;
            }
        }
        if (first == mine.copies.size()) {
            return;
        }
        copy_under_way& copy = mine.copies[first];
        // Who left has taken its memory along.
        const bool arrived = network_.stations[copy.peer].ended == end_of_core::none;
        if (arrived) {
            core& o = cores_[copy.peer];
            for (const copy_piece& p : copy.pieces) {
                const auto here = reinterpret_cast<std::uint64_t>(p.here);
                const auto there = reinterpret_cast<std::uint64_t>(p.there);
                copy_bytes(copy.push ? c : o, copy.push ? here : there, copy.push ? o : c, copy.push ? there : here,
                           p.bytes);
            }
        }
        const host_section host;
        mine.finished.push({copy.token, arrived});
        mine.copies.erase(mine.copies.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

std::optional<finished_copy> engine::take_finished_copy(core& c) {
    message_station& mine = station(c);
    if (mine.finished.empty()) {
        return std::nullopt;
    }
    const finished_copy oldest = mine.finished.front();
    mine.finished.pop();
    return oldest;
}

// In pieces that lie within a line on both sides.
void engine::copy_bytes(core& source, std::uint64_t from, core& target, std::uint64_t to, std::size_t bytes) {
    while (bytes != 0) {
        const std::uint64_t part =
            std::min({std::uint64_t{bytes}, line_bytes - from % line_bytes, line_bytes - to % line_bytes});
        unsigned char values[line_bytes];
        read_behind(source, from, values, static_cast<unsigned>(part));
        write_behind(target, to, values, static_cast<unsigned>(part));
        from += part;
        to += part;
        bytes -= part;
    }
}

void engine::read_behind(core& source, std::uint64_t address, unsigned char* into, unsigned size) {
    std::uint32_t frame_line = 0;
    const unsigned char* const values = frames_.known(address >> line_shift, frame_line)
                                            ? protocol_->read_beside(source, address, size, frame_line)
                                            : host_byte(address);
    __builtin_memcpy(into, values, size);
}

void engine::write_behind(core& target, std::uint64_t address, const unsigned char* from, unsigned size) {
    std::uint32_t frame_line = 0;
    if (frames_.known(address >> line_shift, frame_line)) {
        protocol_->write_beside(target, address, from, size, frame_line);
    } else {
        __builtin_memcpy(host_byte(address), from, size);
    }
}

} // namespace skerry_sim::detail
