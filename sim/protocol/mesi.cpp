// SPDX-License-Identifier: Apache-2.0

// MESI: a writer makes everybody else drop the line first, so no copy is ever old. The directory is exact and stands in
// the shared cache, which holds every line that a private cache has.
//
// | event | what happens |
// |---|---|
// | load miss | fetch; an owner elsewhere answers instead of the bank; all holders share, a single one is exclusive |
// | store | shared or absent: everybody else's copy goes; then the line is modified |
// | atomic | as a load or a store, in the private cache |
// | evict | a modified line goes down |
// | the shared cache drops a line | so does everybody |
// | publish, discard | nothing |

#include <algorithm>

#include "sim/engine.hpp"
#include "sim/protocol/protocol.hpp"

namespace skerry_sim::detail {

namespace {

class mesi_caches final : public protocol {
  public:
    explicit mesi_caches(engine& shared) : shared_(shared) {}

    std::int64_t fill(core& c, way& w, std::int64_t begin, std::int64_t end) override {
        recall_evicted();
        line_record& record = shared_.record(w.frame_line);
        if (record.owner >= 0 && record.owner != static_cast<std::int32_t>(c.id)) {
            // The bank forwards the request; the owner answers the reader.
            const core& owner = shared_.core_of(static_cast<unsigned>(record.owner));
            const shared_memory& memory = shared_.memory();
            end += memory.to_bank(engine::at(owner), w.frame_line) + memory.between(engine::at(owner), engine::at(c)) -
                   memory.to_bank(engine::at(c), w.frame_line);
            end = std::max(end, begin + 4);
        }
        const bool only = engine::alone(record, c.id);
        w.state = only ? line_state::exclusive : line_state::shared;
        shared_.others(record, c.id, [&](core& o) {
            way& copy = *shared_.find(o, w.frame_line);
            shared_.refuse_writes(o, copy);
            copy.state = line_state::shared;
        });
        record.owner = only ? static_cast<std::int32_t>(c.id) : -1;
        return end;
    }

    void store(core& c, std::uint64_t address, unsigned /*size*/, std::uint32_t /*pc*/) override {
        const std::uint64_t line = address >> line_shift;
        const std::uint32_t frame_line = shared_.line_of(address);
        way* w = shared_.find(c, frame_line);
        if (w == nullptr || w->state == line_state::shared) {
            shared_.order(c);
            w = shared_.find(c, frame_line);
        }
        if (w == nullptr || w->state == line_state::shared) {
            ++c.counts.store_misses;
            const std::int64_t begin = c.clock();
            const bool fetch = w == nullptr;
            if (fetch) {
                w = &shared_.take_way(c, line, frame_line);
            }
            std::int64_t end = shared_.memory().round_trip(engine::at(c), frame_line, begin, engine::head,
                                                           fetch ? engine::whole : engine::head, fetch);
            recall_evicted();
            line_record& record = shared_.record(frame_line);
            std::int64_t slowest = 0;
            shared_.others(record, c.id, [&](core& o) {
                slowest = std::max(slowest, 2 * shared_.memory().to_bank(engine::at(o), frame_line));
                empty(o, frame_line);
            });
            record.holders = std::uint64_t{1} << c.id;
            record.owner = static_cast<std::int32_t>(c.id);
            end += slowest;
            c.spend(end - begin);
        }
        shared_.touch(c, *w);
        w->state = line_state::modified;
        w->valid = ~std::uint64_t{0};
        shared_.admit(c, *w, true);
    }

    const void* atomic(core& c, std::uint64_t address, unsigned size, atomic_kind kind, std::uint32_t pc) override {
        shared_.access(c, address, size, kind != atomic_kind::load, pc);
        return reinterpret_cast<const void*>(address);
    }

    void evict(core& c, way& w, bool keep_dirty) override {
        if (w.state == line_state::modified && keep_dirty) {
            shared_.memory().post(engine::at(c), w.frame_line, c.clock(), engine::whole);
            recall_evicted();
        }
        line_record& record = shared_.record(w.frame_line);
        if (record.owner == static_cast<std::int32_t>(c.id)) {
            record.owner = -1;
        }
    }

    void publish(core& /*c*/, std::uint64_t /*begin*/, std::uint64_t /*end*/) override {}
    void discard(core& /*c*/, std::uint64_t /*begin*/, std::uint64_t /*end*/) override {}

    bool forget(core& c, way& w, std::uint64_t bytes) override {
        if (bytes != ~std::uint64_t{0}) {
            return false; // whole lines or nothing
        }
        line_record& record = shared_.record(w.frame_line);
        if (record.owner == static_cast<std::int32_t>(c.id)) {
            record.owner = -1;
        }
        return true;
    }

    const unsigned char* read_beside(core& /*source*/, std::uint64_t address, unsigned /*size*/,
                                     std::uint32_t /*frame_line*/) override {
        return reinterpret_cast<const unsigned char*>(address);
    }

    void write_beside(core& /*target*/, std::uint64_t address, const unsigned char* from, unsigned size,
                      std::uint32_t frame_line) override {
        empty_all(frame_line);
        __builtin_memcpy(reinterpret_cast<unsigned char*>(address), from, size);
    }

  private:
    void empty(core& o, std::uint32_t frame_line) {
        way& copy = *shared_.find(o, frame_line);
        shared_.refuse(o, copy);
        copy = way{};
    }
    void empty_all(std::uint32_t frame_line) {
        line_record& record = shared_.record(frame_line);
        shared_.each(record.holders, [&](core& o) { empty(o, frame_line); });
        record.holders = 0;
        record.owner = -1;
    }
    // The shared cache is inclusive: what it drops leaves the private caches too.
    void recall_evicted() {
        const std::uint32_t gone = shared_.memory().evicted();
        if (gone != shared_memory::nothing) {
            empty_all(gone);
        }
    }

    engine& shared_;
};

} // namespace

const protocol_kind mesi{
    .name = "mesi",
    .kept_by_hardware = true,
    .buffers_writes = false,
    .make = [](engine& shared) -> std::unique_ptr<protocol> { return std::make_unique<mesi_caches>(shared); }};

} // namespace skerry_sim::detail
