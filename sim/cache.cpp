// SPDX-License-Identifier: Apache-2.0

// The private caches: their ways, and the filter of the hooks' fast path. What an access does to a line is its
// protocol's (sim/protocol).

#include <algorithm>

#include "sim/engine.hpp"

namespace skerry_sim::detail {

namespace {

unsigned count(std::uint64_t bytes) noexcept { return static_cast<unsigned>(__builtin_popcountll(bytes)); }

} // namespace

// ---- The filter of the hooks' fast path.

// Tells the way what the fast path has dirtied.
void engine::collect(core& c, unsigned slot) noexcept {
    const std::uint64_t bytes = c.dirty[slot];
    if (bytes == 0) {
        return;
    }
    way& w = c.ways[c.write_way[slot]];
    c.dirty[slot] = 0;
    w.dirty |= bytes;
    if (!tracking_) {
        return;
    }
    writer_record& writers = frames_.writer(w.frame_line);
    for (unsigned g = 0; g < granules; ++g) {
        if (((bytes >> (4 * g)) & 15) != 0) {
            writers.pc[g] = c.writer[slot][g];
            writers.core[g] = static_cast<std::uint8_t>(c.id);
        }
    }
}

void engine::close_writes(core& c, unsigned slot) noexcept {
    collect(c, slot);
    c.write_line[slot] = no_line;
}

void engine::refuse_writes(core& c, const way& w) noexcept {
    const unsigned slot = w.line % filter_slots;
    if (c.write_line[slot] == w.line) {
        close_writes(c, slot);
    }
}

void engine::refuse(core& c, const way& w) noexcept {
    const unsigned slot = w.line % filter_slots;
    refuse_writes(c, w);
    if (c.read_line[slot] == w.line) {
        c.read_line[slot] = no_line;
    }
}

// The line was just touched and is the newest of its set; lines of one set share a slot, so the filter knows no other.
void engine::admit(core& c, way& w, bool writable) noexcept {
    const unsigned slot = w.line % filter_slots;
    if (c.write_line[slot] != w.line || w.stale != 0) {
        close_writes(c, slot);
    }
    const bool readable = w.stale == 0 && (w.valid | w.dirty) == ~std::uint64_t{0};
    c.read_line[slot] = readable ? w.line : no_line;
    if (writable && w.stale == 0) {
        c.write_line[slot] = w.line;
        c.write_way[slot] = index(c, w);
    }
}

// ---- Ways.

way* engine::find(core& c, std::uint32_t frame_line) noexcept {
    way* const set = &c.ways[std::size_t{frame_line & set_mask_} * associativity_];
    for (way* w = set; w != set + associativity_; ++w) {
        if (w->line != no_line && w->frame_line == frame_line) {
            return w;
        }
    }
    return nullptr;
}

way& engine::take_way(core& c, std::uint64_t line, std::uint32_t frame_line) {
    way* const set = &c.ways[std::size_t{frame_line & set_mask_} * associativity_];
    way* victim = set;
    for (way* w = set; w != set + associativity_ && victim->line != no_line; ++w) {
        if (w->line == no_line || c.used[index(c, *w)] < c.used[index(c, *victim)]) {
            victim = w;
        }
    }
    if (victim->line != no_line) {
        drop(c, *victim, true);
    }
    victim->line = line;
    victim->frame_line = frame_line;
    frames_.record(frame_line).holders |= std::uint64_t{1} << c.id;
    touch(c, *victim);
    return *victim;
}

void engine::drop(core& c, way& w, bool keep_dirty) {
    refuse(c, w);
    protocol_->evict(c, w, keep_dirty);
    frames_.record(w.frame_line).holders &= ~(std::uint64_t{1} << c.id);
    w = way{};
}

void engine::take_away(core& c, way& w, std::uint64_t bytes) {
    w.valid &= ~bytes;
    w.dirty &= ~bytes;
    w.stale &= ~bytes;
    if ((w.valid | w.dirty) == 0) {
        drop(c, w, false);
    }
}

std::int64_t engine::write_back(core& c, way& w, std::uint64_t bytes, std::int64_t time) {
    if (tracking_) {
        track_write_back(c, w, bytes);
    }
    return memory_.post(at(c), w.frame_line, time, head + count(bytes));
}

// ---- Accesses.

void engine::access(core& c, std::uint64_t address, std::uint64_t size, bool is_store, std::uint32_t pc) {
    while (size != 0) {
        const auto part = static_cast<unsigned>(std::min<std::uint64_t>(size, line_bytes - address % line_bytes));
        if (is_store) {
            protocol_->store(c, address, part, pc);
        } else {
            load(c, address, part, pc);
        }
        address += part;
        size -= part;
    }
}

void engine::load(core& c, std::uint64_t address, unsigned size, std::uint32_t pc) {
    const std::uint64_t line = address >> line_shift;
    const std::uint64_t bytes = byte_mask(address, size);
    const std::uint32_t frame_line = frames_.line_of(line);
    way* w = find(c, frame_line);
    if (w != nullptr) {
        if (c.write_line[line % filter_slots] == line) {
            collect(c, line % filter_slots); // so that `dirty` is complete
        }
    }
    if (w == nullptr || (bytes & ~(w->valid | w->dirty)) != 0) {
        order(c);
        w = find(c, frame_line);
        ++c.counts.load_misses;
        const std::int64_t begin = c.clock();
        if (w == nullptr) {
            w = &take_way(c, line, frame_line);
        } else {
            touch(c, *w);
        }
        const std::int64_t arrival = memory_.round_trip(at(c), frame_line, begin, head, whole, true);
        const std::int64_t end = protocol_->fill(c, *w, begin, arrival);
        w->valid = ~std::uint64_t{0};
        c.spend(end - begin);
    } else {
        touch(c, *w);
    }
    if ((w->stale & bytes) != 0) [[unlikely]] {
        read_stale(c, *w, bytes, pc);
    }
    admit(c, *w, w->state == line_state::modified);
}

// ---- Accesses to the shared cache.

const void* engine::begin_atomic(core& c, std::uint64_t address, unsigned size, atomic_kind kind, std::uint32_t pc) {
    ++c.counts.atomics;
    --c.budget;
    if (outside_) {
        return reinterpret_cast<const void*>(address);
    }
    order(c);
    return protocol_->atomic(c, address, size, kind, pc);
}

void engine::write_atomic(core& c, std::uint64_t address, const void* value, unsigned size, std::uint32_t pc) {
    auto* const host = reinterpret_cast<unsigned char*>(address);
    if (__builtin_memcmp(host, value, size) != 0) {
        ++changes_;
    }
    if (tracking_) {
        write_shared(c, address, static_cast<const unsigned char*>(value), size, frames_.line_of(address >> line_shift),
                     pc);
        return;
    }
    __builtin_memcpy(host, value, size);
}

// ---- Publishing and discarding.

// Bytes of a line that lie in a range.
std::uint64_t engine::overlap(std::uint64_t line, std::uint64_t begin, std::uint64_t end) noexcept {
    const std::uint64_t first = std::max(line << line_shift, begin);
    const std::uint64_t last = std::min((line << line_shift) + line_bytes, end);
    return first < last ? byte_mask(first, last - first) : 0;
}

namespace {

std::uint64_t end_of(std::uint64_t begin, std::uint64_t size) noexcept {
    return size > ~begin ? ~std::uint64_t{0} : begin + size;
}

} // namespace

void engine::publish(core& c, std::uint64_t begin, std::uint64_t size) {
    if (!outside_) {
        protocol_->publish(c, begin, end_of(begin, size));
    }
}

void engine::discard(core& c, std::uint64_t begin, std::uint64_t size) {
    if (!outside_) {
        protocol_->discard(c, begin, end_of(begin, size));
    }
}

void engine::forget(std::uint64_t begin, std::uint64_t size) {
    const std::uint64_t end = end_of(begin, size);
    for (std::uint64_t line = begin >> line_shift; line << line_shift < end; ++line) {
        std::uint32_t frame_line = 0;
        if (!frames_.known(line, frame_line)) {
            line |= frames::lines_per_page - 1;
            continue;
        }
        line_record& record = frames_.record(frame_line);
        const std::uint64_t bytes = overlap(line, begin, end);
        each(record.holders, [&](core& o) {
            way& w = *find(o, frame_line);
            refuse(o, w);
            if (protocol_->forget(o, w, bytes)) {
                record.holders &= ~(std::uint64_t{1} << o.id);
                w = way{};
            }
        });
        record.lost &= ~bytes;
        if (record.image != 0) {
            drop_image_if_latest(record, frame_line);
        }
    }
}

} // namespace skerry_sim::detail
