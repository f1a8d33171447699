// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/reader_invalidates.hpp"

#include "sim/engine.hpp"

namespace skerry_sim::detail {

std::int64_t reader_invalidates::fill(core& c, way& w, std::int64_t /*begin*/, std::int64_t end) {
    if (shared_.tracking()) {
        shared_.arrive(c, w, ~(w.valid | w.dirty));
    }
    return end;
}

const void* reader_invalidates::atomic(core& c, std::uint64_t address, unsigned size, atomic_kind kind,
                                       std::uint32_t pc) {
    const std::uint64_t bytes = byte_mask(address, size);
    const std::uint32_t frame_line = shared_.line_of(address);
    if (way* const w = shared_.find(c, frame_line)) { // the core's own copy goes first
        shared_.refuse(c, *w);
        if (w->swapped) {
            shared_.swap_out(c, *w);
        }
        if ((w->dirty & bytes) != 0) {
            shared_.write_back(c, *w, w->dirty & bytes, c.clock());
        }
        shared_.take_away(c, *w, bytes);
    }
    const void* const value = shared_.tracking() && kind != atomic_kind::store
                                  ? shared_.look_at_shared(c, address, frame_line, bytes, pc)
                                  : reinterpret_cast<const void*>(address);
    const std::int64_t begin = c.clock();
    c.spend(shared_.memory().round_trip(shared_.at(c), frame_line, begin, engine::atomic_operand,
                                        engine::atomic_operand, true) -
            begin);
    return value;
}

void reader_invalidates::evict(core& c, way& w, bool keep_dirty) {
    if (w.swapped) {
        shared_.swap_out(c, w);
    }
    if (w.dirty != 0 && keep_dirty) {
        shared_.write_back(c, w, w.dirty, c.clock());
    }
}

void reader_invalidates::discard(core& c, std::uint64_t begin, std::uint64_t end) {
    shared_.order(c);
    ++c.counts.discards;
    for (way& w : c.ways) {
        const std::uint64_t bytes = w.line == no_line ? 0 : engine::overlap(w.line, begin, end);
        if (bytes == 0) {
            continue;
        }
        shared_.refuse(c, w);
        if ((w.valid & bytes) == 0) {
            continue;
        }
        ++c.counts.lines_discarded;
        if (w.swapped) {
            shared_.swap_out(c, w);
        }
        // A byte that was published is clean and goes; a dirty one stays. `valid` may still name bytes dirtied since.
        w.valid &= ~bytes;
        w.stale &= w.valid | w.dirty;
        if ((w.valid | w.dirty) == 0) {
            shared_.drop(c, w, false);
        }
    }
    c.spend(1);
}

bool reader_invalidates::forget(core& c, way& w, std::uint64_t bytes) {
    if (w.swapped) {
        shared_.swap_out(c, w);
    }
    w.valid &= ~bytes;
    w.dirty &= ~bytes;
    w.stale &= ~bytes;
    return (w.valid | w.dirty) == 0;
}

const unsigned char* reader_invalidates::read_beside(core& source, std::uint64_t address, unsigned size,
                                                     std::uint32_t frame_line) {
    const std::uint64_t bytes = byte_mask(address, size);
    shared_.each(shared_.record(frame_line).holders, [&](core& o) {
        way& w = *shared_.find(o, frame_line);
        shared_.refuse_writes(o, w); // so that `dirty` is complete
        if (w.swapped) {
            shared_.swap_out(o, w);
        }
    });
    if (way* const w = shared_.find(source, frame_line); w != nullptr && (w->dirty & bytes) != 0) {
        const std::uint64_t go = w->dirty & bytes;
        shared_.write_back(source, *w, go, static_cast<core*>(current)->clock());
        w->valid |= go;
        w->dirty &= ~go;
    }
    return shared_.tracking() ? shared_.look_at_shared(source, address, frame_line, bytes, 0)
                              : reinterpret_cast<const unsigned char*>(address);
}

void reader_invalidates::write_beside(core& target, std::uint64_t address, const unsigned char* from, unsigned size,
                                      std::uint32_t frame_line) {
    shared_.each(shared_.record(frame_line).holders, [&](core& o) {
        way& w = *shared_.find(o, frame_line);
        shared_.refuse(o, w);
        if (w.swapped) {
            shared_.swap_out(o, w);
        }
    });
    if (way* const w = shared_.find(target, frame_line)) {
        shared_.take_away(target, *w, byte_mask(address, size));
    }
    if (shared_.tracking()) {
        shared_.write_shared(target, address, from, size, frame_line, 0);
    } else {
        __builtin_memcpy(reinterpret_cast<unsigned char*>(address), from, size);
    }
}

} // namespace skerry_sim::detail
