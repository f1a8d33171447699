// SPDX-License-Identifier: Apache-2.0

// The private caches and their two protocols (sim/README.md has the table).

#include <algorithm>

#include "sim/engine.hpp"

namespace skerry_sim::detail {

namespace {

// Messages, in bytes.
constexpr unsigned head = 8;
constexpr unsigned whole = head + line_bytes;
constexpr unsigned atomic_operand = 16;

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
    if (coherent_) {
        return;
    }
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

void engine::drop(core& c, way& w, bool write_dirty) {
    refuse(c, w);
    line_record& record = frames_.record(w.frame_line);
    if (coherent_) {
        if (w.state == line_state::modified && write_dirty) {
            memory_.post(at(c), w.frame_line, c.clock(), whole);
            recall_evicted();
        }
        if (record.owner == static_cast<std::int32_t>(c.id)) {
            record.owner = -1;
        }
    } else {
        if (w.swapped) {
            swap_out(c, w);
        }
        if (w.dirty != 0 && write_dirty) {
            write_back(c, w, w.dirty, c.clock());
        }
    }
    record.holders &= ~(std::uint64_t{1} << c.id);
    w = way{};
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
            store(c, address, part, pc);
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
        std::int64_t end = memory_.round_trip(at(c), frame_line, begin, head, whole, true);
        if (coherent_) {
            recall_evicted();
            after_coherent_load(c, *w, end, begin);
        } else if (tracking_) {
            arrive(c, *w, ~(w->valid | w->dirty));
        }
        w->valid = ~std::uint64_t{0};
        c.spend(end - begin);
    } else {
        touch(c, *w);
    }
    if ((w->stale & bytes) != 0) [[unlikely]] {
        read_stale(c, *w, bytes, pc);
    }
    admit(c, *w, coherent_ ? w->state == line_state::modified : false);
}

void engine::store(core& c, std::uint64_t address, unsigned size, std::uint32_t pc) {
    const std::uint64_t line = address >> line_shift;
    const std::uint32_t frame_line = frames_.line_of(line);
    if (coherent_) {
        store_coherent(c, line, frame_line);
        return;
    }
    way* w = find(c, frame_line);
    if (w == nullptr) {
        order(c); // the line that goes may write back
        ++c.counts.store_misses;
        w = &take_way(c, line, frame_line);
    } else {
        touch(c, *w);
    }
    bool unwatched = true;
    if (tracking_) {
        before_store(c, *w, byte_mask(address, size), address, size, pc);
        unwatched = alone(frames_.record(frame_line), c.id);
    }
    w->dirty |= byte_mask(address, size);
    admit(c, *w, unwatched);
}

// ---- MESI. The directory is exact and stands in the shared cache, which holds every line that a private cache has.

void engine::after_coherent_load(core& c, way& w, std::int64_t& end, std::int64_t begin) {
    line_record& record = frames_.record(w.frame_line);
    if (record.owner >= 0 && record.owner != static_cast<std::int32_t>(c.id)) {
        // The bank forwards the request; the owner answers the reader.
        const core& owner = cores_[static_cast<unsigned>(record.owner)];
        end += memory_.to_bank(at(owner), w.frame_line) + memory_.between(at(owner), at(c)) -
               memory_.to_bank(at(c), w.frame_line);
        end = std::max(end, begin + 4);
    }
    const bool only = alone(record, c.id);
    w.state = only ? line_state::exclusive : line_state::shared;
    others(record, c.id, [&](core& o) {
        way& copy = *find(o, w.frame_line);
        refuse_writes(o, copy);
        copy.state = line_state::shared;
    });
    record.owner = only ? static_cast<std::int32_t>(c.id) : -1;
}

void engine::store_coherent(core& c, std::uint64_t line, std::uint32_t frame_line) {
    way* w = find(c, frame_line);
    if (w == nullptr || w->state == line_state::shared) {
        order(c);
        w = find(c, frame_line);
    }
    if (w == nullptr || w->state == line_state::shared) {
        ++c.counts.store_misses;
        const std::int64_t begin = c.clock();
        const bool fetch = w == nullptr;
        if (fetch) {
            w = &take_way(c, line, frame_line);
        }
        std::int64_t end = memory_.round_trip(at(c), frame_line, begin, head, fetch ? whole : head, fetch);
        recall_evicted();
        line_record& record = frames_.record(frame_line);
        std::int64_t slowest = 0;
        others(record, c.id, [&](core& o) {
            slowest = std::max(slowest, 2 * memory_.to_bank(at(o), frame_line));
            way& copy = *find(o, frame_line);
            refuse(o, copy);
            copy = way{};
        });
        record.holders = std::uint64_t{1} << c.id;
        record.owner = static_cast<std::int32_t>(c.id);
        end += slowest;
        c.spend(end - begin);
    }
    touch(c, *w);
    w->state = line_state::modified;
    w->valid = ~std::uint64_t{0};
    admit(c, *w, true);
}

// The shared cache is inclusive: what it drops leaves the private caches too.
void engine::recall_evicted() {
    const std::uint32_t gone = memory_.evicted();
    if (gone == shared_memory::nothing) {
        return;
    }
    line_record& record = frames_.record(gone);
    each(record.holders, [&](core& o) {
        way& copy = *find(o, gone);
        refuse(o, copy);
        copy = way{};
    });
    record.holders = 0;
    record.owner = -1;
}

// ---- Accesses to the shared cache.

const void* engine::begin_atomic(core& c, std::uint64_t address, unsigned size, atomic_kind kind, std::uint32_t pc) {
    ++c.counts.atomics;
    --c.budget;
    auto* const host = reinterpret_cast<const void*>(address);
    order(c);
    if (coherent_) {
        access(c, address, size, kind != atomic_kind::load, pc);
        return host;
    }
    const std::uint64_t bytes = byte_mask(address, size);
    const std::uint32_t frame_line = frames_.line_of(address >> line_shift);
    if (way* const w = find(c, frame_line)) {
        refuse(c, *w);
        if (w->swapped) {
            swap_out(c, *w);
        }
        if ((w->dirty & bytes) != 0) {
            write_back(c, *w, w->dirty & bytes, c.clock());
        }
        w->valid &= ~bytes;
        w->dirty &= ~bytes;
        w->stale &= ~bytes;
        if ((w->valid | w->dirty) == 0) {
            drop(c, *w, false);
        }
    }
    const void* const value =
        tracking_ && kind != atomic_kind::store ? look_at_shared(c, address, frame_line, bytes, pc) : host;
    const std::int64_t begin = c.clock();
    c.spend(memory_.round_trip(at(c), frame_line, begin, atomic_operand, atomic_operand, true) - begin);
    return value;
}

void engine::write_atomic(core& c, std::uint64_t address, const void* value, unsigned size, std::uint32_t pc) {
    auto* const host = reinterpret_cast<unsigned char*>(address);
    if (__builtin_memcmp(host, value, size) != 0) {
        ++changes_;
    }
    if (tracking_) {
        const std::uint64_t bytes = byte_mask(address, size);
        const std::uint32_t frame_line = frames_.line_of(address >> line_shift);
        make_stale(c, address >> line_shift, frame_line, bytes);
        note_writer(frame_line, address, size, c.id, pc);
        line_record& record = frames_.record(frame_line);
        record.lost &= ~bytes;
        if (record.image != 0) {
            const auto* const from = static_cast<const unsigned char*>(value);
            for (unsigned i = 0; i < size; ++i) {
                image_of(record)[address % line_bytes + i] = from[i];
                host[i] = from[i];
            }
            drop_image_if_latest(record, frame_line);
            return;
        }
    }
    const auto* const from = static_cast<const unsigned char*>(value);
    for (unsigned i = 0; i < size; ++i) {
        host[i] = from[i];
    }
}

// ---- Publishing and discarding.

namespace {

// Bytes of a line that lie in a range.
std::uint64_t overlap(std::uint64_t line, std::uint64_t begin, std::uint64_t end) noexcept {
    const std::uint64_t first = std::max(line << line_shift, begin);
    const std::uint64_t last = std::min((line << line_shift) + line_bytes, end);
    return first < last ? byte_mask(first, last - first) : 0;
}

std::uint64_t end_of(std::uint64_t begin, std::uint64_t size) noexcept {
    return size > ~begin ? ~std::uint64_t{0} : begin + size;
}

} // namespace

void engine::publish(core& c, std::uint64_t begin, std::uint64_t size) {
    if (coherent_) {
        return;
    }
    order(c);
    ++c.counts.publishes;
    const std::uint64_t end = end_of(begin, size);
    const std::int64_t start = c.clock();
    std::int64_t issued = start + 1;
    std::int64_t acknowledged = issued;
    for (way& w : c.ways) {
        const std::uint64_t bytes = w.line == no_line ? 0 : overlap(w.line, begin, end);
        if (bytes == 0) {
            continue;
        }
        refuse_writes(c, w);
        const std::uint64_t go = w.dirty & bytes;
        if (go == 0) {
            continue;
        }
        const bool swapped = w.swapped;
        if (swapped) {
            swap_out(c, w);
        }
        acknowledged = std::max(acknowledged, write_back(c, w, go, issued++));
        w.valid |= go;
        w.dirty &= ~go;
        ++c.counts.lines_published;
    }
    c.spend(acknowledged - start);
}

void engine::discard(core& c, std::uint64_t begin, std::uint64_t size) {
    if (coherent_) {
        return;
    }
    order(c);
    ++c.counts.discards;
    const std::uint64_t end = end_of(begin, size);
    for (way& w : c.ways) {
        const std::uint64_t bytes = w.line == no_line ? 0 : overlap(w.line, begin, end);
        if (bytes == 0) {
            continue;
        }
        refuse(c, w);
        if ((w.valid & bytes) == 0) {
            continue;
        }
        ++c.counts.lines_discarded;
        if (w.swapped) {
            swap_out(c, w);
        }
        // A byte that was published is clean and goes; a dirty one stays. `valid` may still name bytes dirtied since.
        w.valid &= ~bytes;
        w.stale &= w.valid | w.dirty;
        if ((w.valid | w.dirty) == 0) {
            drop(c, w, false);
        }
    }
    c.spend(1);
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
            if (w.swapped) {
                swap_out(o, w);
            }
            w.valid &= ~bytes;
            w.dirty &= ~bytes;
            w.stale &= ~bytes;
            if (coherent_ ? bytes == ~std::uint64_t{0} : (w.valid | w.dirty) == 0) {
                if (record.owner == static_cast<std::int32_t>(o.id)) {
                    record.owner = -1;
                }
                record.holders &= ~(std::uint64_t{1} << o.id);
                w = way{};
            } else if (coherent_) {
                w.valid = ~std::uint64_t{0};
            }
        });
        record.lost &= ~bytes;
        if (record.image != 0) {
            drop_image_if_latest(record, frame_line);
        }
    }
}

} // namespace skerry_sim::detail
