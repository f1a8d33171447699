// SPDX-License-Identifier: Apache-2.0

// Which copies are old, and what they hold.
//
//  1. A store marks its bytes stale in every other private copy. Emulation keeps their old values with the copy.
//  2. The first store to a line saves the shared cache's values (the image), which a fill needs while the line is
//  dirty.
//  3. A fill marks stale what is dirty elsewhere, or was lost by 4. Emulation takes these bytes from the image.
//  4. A write-back moves its bytes into the image; stale ones among them overwrite newer ones there: those are lost.
//  5. A read of a stale byte is reported. Emulation swaps the line's stale bytes with host memory for as long as this
//     core runs, so that code without hooks sees them too.
//  6. A store without a hook changes host memory and no image. An access to the shared cache therefore takes from the
//     image only the bytes that are old there. To a byte that is old somewhere such a store may be lost.

#include "sim/engine.hpp"

namespace skerry_sim::detail {

namespace {

constexpr std::size_t most_sites = 1000;

unsigned char* host_line(std::uint64_t line) noexcept { return reinterpret_cast<unsigned char*>(line << line_shift); }

template <class F>
void each_byte(std::uint64_t bytes, F f) {
    for (; bytes != 0; bytes &= bytes - 1) {
        f(static_cast<unsigned>(__builtin_ctzll(bytes)));
    }
}

} // namespace

void engine::swap(core& c, way& w) noexcept {
    unsigned char* const host = host_line(w.line);
    old_values& old = c.old[index(c, w)];
    each_byte(w.stale, [&](unsigned b) {
        const unsigned char kept = old.bytes[b];
        old.bytes[b] = host[b];
        host[b] = kept;
    });
}

// Ends the swapping of a line. Only the running core's lines stand swapped in host memory.
void engine::swap_out(core& c, way& w) {
    if (&c == static_cast<core*>(current)) {
        swap(c, w);
    }
    w.swapped = false;
    const std::uint32_t at = index(c, w);
    for (std::uint32_t& entry : c.swaps) {
        if (entry == at) {
            entry = c.swaps.back();
            c.swaps.pop_back();
            return;
        }
    }
}

void engine::note_writer(std::uint32_t frame_line, std::uint64_t address, unsigned size, unsigned writer,
                         std::uint32_t pc) {
    writer_record& record = frames_.writer(frame_line);
    const unsigned first = static_cast<unsigned>(address % line_bytes) / 4;
    const unsigned last = (static_cast<unsigned>(address % line_bytes) + size - 1) / 4;
    for (unsigned g = first; g <= last; ++g) {
        record.pc[g] = pc;
        record.core[g] = static_cast<std::uint8_t>(writer);
    }
}

void engine::make_stale(core& writer, std::uint64_t line, std::uint32_t frame_line, std::uint64_t bytes) {
    others(frames_.record(frame_line), writer.id, [&](core& o) {
        way& copy = *find(o, frame_line);
        refuse(o, copy);
        const std::uint64_t fresh = bytes & (copy.valid | copy.dirty) & ~copy.stale;
        copy.stale |= fresh;
        if (emulate_) {
            old_values& old = o.old[index(o, copy)];
            each_byte(fresh, [&](unsigned b) { old.bytes[b] = host_line(line)[b]; });
        }
    });
}

void engine::make_image(line_record& record, std::uint64_t line) {
    if (free_images_.empty()) {
        const host_section host;
        images_.emplace_back();
        free_images_.reserve(images_.capacity());
        record.image = static_cast<std::uint32_t>(images_.size());
    } else {
        record.image = free_images_.back();
        free_images_.pop_back();
    }
    __builtin_memcpy(image_of(record), host_line(line), line_bytes);
}

void engine::drop_image_if_latest(line_record& record, std::uint32_t frame_line) {
    bool dirty = record.lost != 0;
    each(record.holders, [&](core& o) {
        const way& copy = *find(o, frame_line);
        refuse_writes(o, copy);
        dirty = dirty || copy.dirty != 0;
    });
    if (!dirty) {
        const host_section host;
        free_images_.push_back(record.image);
        record.image = 0;
    }
}

void engine::before_store(core& c, way& w, std::uint64_t bytes, std::uint64_t address, unsigned size,
                          std::uint32_t pc) {
    if (w.swapped) {
        swap_out(c, w);
    }
    line_record& record = frames_.record(w.frame_line);
    if (!alone(record, c.id)) {
        make_stale(c, w.line, w.frame_line, bytes);
    }
    if (emulate_ && record.image == 0) {
        make_image(record, w.line);
    }
    w.stale &= ~bytes;
    refuse_writes(c, w); // earlier stores of the fast path have to be noted before this one
    note_writer(w.frame_line, address, size, c.id, pc);
}

void engine::before_write_through(core& c, way* w, std::uint64_t address, unsigned size, std::uint32_t frame_line,
                                  std::uint32_t pc) {
    const std::uint64_t bytes = byte_mask(address, size);
    if (w != nullptr) {
        if (w->swapped) {
            swap_out(c, *w);
        }
        w->stale &= ~bytes;
    }
    make_stale(c, address >> line_shift, frame_line, bytes);
    note_writer(frame_line, address, size, c.id, pc);
}

void engine::write_shared(core& writer, std::uint64_t address, const unsigned char* from, unsigned size,
                          std::uint32_t frame_line, std::uint32_t pc) {
    const std::uint64_t bytes = byte_mask(address, size);
    make_stale(writer, address >> line_shift, frame_line, bytes);
    note_writer(frame_line, address, size, writer.id, pc);
    line_record& record = frames_.record(frame_line);
    record.lost &= ~bytes;
    __builtin_memcpy(reinterpret_cast<unsigned char*>(address), from, size);
    if (record.image != 0) {
        __builtin_memcpy(image_of(record) + address % line_bytes, from, size);
        drop_image_if_latest(record, frame_line);
    }
}

void engine::arrive(core& c, way& w, std::uint64_t fresh) {
    if (w.swapped) {
        swap_out(c, w);
    }
    line_record& record = frames_.record(w.frame_line);
    std::uint64_t old = record.lost & fresh;
    others(record, c.id, [&](core& o) {
        const way& copy = *find(o, w.frame_line);
        refuse_writes(o, copy); // from now on its stores have somebody to tell
        old |= copy.dirty & ~copy.stale & fresh;
    });
    w.stale |= old;
    if (emulate_ && old != 0) {
        old_values& kept = c.old[index(c, w)];
        each_byte(old, [&](unsigned b) { kept.bytes[b] = image_of(record)[b]; });
    }
}

void engine::track_write_back(core& c, way& w, std::uint64_t bytes) {
    line_record& record = frames_.record(w.frame_line);
    record.lost = (record.lost & ~bytes) | (bytes & w.stale);
    if (record.image == 0) {
        return;
    }
    const unsigned char* const host = host_line(w.line);
    const old_values& old = c.old[index(c, w)];
    each_byte(bytes, [&](unsigned b) { image_of(record)[b] = (w.stale >> b & 1) != 0 ? old.bytes[b] : host[b]; });
    const std::uint64_t dirty = w.dirty;
    w.dirty &= ~bytes;
    drop_image_if_latest(record, w.frame_line);
    w.dirty = dirty;
}

void engine::read_stale(core& c, way& w, std::uint64_t bytes, std::uint32_t pc) {
    note_stale(c, w.line, w.frame_line, w.stale & bytes, pc);
    if (emulate_ && !w.swapped) {
        w.swapped = true;
        c.swaps.push_back(index(c, w));
        swap(c, w);
    }
}

const unsigned char* engine::look_at_shared(core& c, std::uint64_t address, std::uint32_t frame_line,
                                            std::uint64_t bytes, std::uint32_t pc) {
    line_record& record = frames_.record(frame_line);
    std::uint64_t old = record.lost & bytes;
    others(record, c.id, [&](core& o) {
        const way& copy = *find(o, frame_line);
        refuse_writes(o, copy);
        old |= copy.dirty & ~copy.stale & bytes;
    });
    const std::uint64_t line = address >> line_shift;
    if (old != 0) {
        note_stale(c, line, frame_line, old, pc);
    }
    if (record.image == 0) {
        return host_line(line) + address % line_bytes;
    }
    each_byte(bytes & ~old, [&](unsigned b) { image_of(record)[b] = host_line(line)[b]; });
    return image_of(record) + address % line_bytes;
}

void engine::note_stale(core& c, std::uint64_t line, std::uint32_t frame_line, std::uint64_t bytes, std::uint32_t pc) {
    if (c.allow_stale != 0) {
        ++c.counts.stale_reads_allowed;
        return;
    }
    ++c.counts.stale_reads;
    const auto first = static_cast<unsigned>(__builtin_ctzll(bytes));
    const writer_record& writers = frames_.writer(frame_line);
    const site_key key{pc, writers.pc[first / 4]};
    const host_section host;
    const auto [at, fresh] = site_index_.try_emplace(key, sites_.size());
    if (!fresh) {
        ++sites_[at->second].first.count;
        return;
    }
    if (sites_.size() == most_sites) {
        site_index_.erase(at);
        return;
    }
    stale_site first_seen;
    first_seen.count = 1;
    first_seen.reading_core = c.id;
    first_seen.writing_core = writers.core[first / 4];
    first_seen.cycle = static_cast<std::uint64_t>(c.clock());
    first_seen.address = host_line(line) + first;
    first_seen.bytes = static_cast<unsigned>(__builtin_popcountll(bytes));
    sites_.push_back({key, first_seen});
}

} // namespace skerry_sim::detail
