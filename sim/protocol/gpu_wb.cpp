// SPDX-License-Identifier: Apache-2.0

// GPU-WB (Wang et al., Sec. II): a reader drops what may be old, a writer writes dirty bytes back when it is told to.
//
// | event | what happens |
// |---|---|
// | load, bytes missing | the line is fetched and merged around the dirty bytes |
// | store | the line is allocated without a fetch, its bytes are dirty |
// | atomic | own dirty bytes of the word go down, own copy of it goes, the access is done in the shared cache |
// | evict, publish | dirty bytes go down; publish keeps the line, clean |
// | discard | clean bytes go, dirty ones stay |

#include <algorithm>

#include "sim/engine.hpp"
#include "sim/protocol/reader_invalidates.hpp"

namespace skerry_sim::detail {

namespace {

class gpu_wb_caches final : public reader_invalidates {
  public:
    using reader_invalidates::reader_invalidates;

    void store(core& c, std::uint64_t address, unsigned size, std::uint32_t pc) override {
        const std::uint64_t line = address >> line_shift;
        const std::uint32_t frame_line = shared_.line_of(address);
        way* w = shared_.find(c, frame_line);
        if (w == nullptr) {
            shared_.order(c); // the line that goes may write back
            ++c.counts.store_misses;
            w = &shared_.take_way(c, line, frame_line);
        } else {
            shared_.touch(c, *w);
        }
        bool unwatched = true;
        if (shared_.tracking()) {
            shared_.before_store(c, *w, byte_mask(address, size), address, size, pc);
            unwatched = engine::alone(shared_.record(frame_line), c.id);
        }
        w->dirty |= byte_mask(address, size);
        shared_.admit(c, *w, unwatched);
    }

    void publish(core& c, std::uint64_t begin, std::uint64_t end) override {
        shared_.order(c);
        ++c.counts.publishes;
        const std::int64_t start = c.clock();
        std::int64_t issued = start + 1;
        std::int64_t acknowledged = issued;
        for (way& w : c.ways) {
            const std::uint64_t bytes = w.line == no_line ? 0 : engine::overlap(w.line, begin, end);
            if (bytes == 0) {
                continue;
            }
            shared_.refuse_writes(c, w);
            const std::uint64_t go = w.dirty & bytes;
            if (go == 0) {
                continue;
            }
            if (w.swapped) {
                shared_.swap_out(c, w);
            }
            acknowledged = std::max(acknowledged, shared_.write_back(c, w, go, issued++));
            w.valid |= go;
            w.dirty &= ~go;
            ++c.counts.lines_published;
        }
        c.spend(acknowledged - start);
    }
};

} // namespace

const protocol_kind gpu_wb{
    .name = "gpu-wb",
    .kept_by_hardware = false,
    .buffers_writes = false,
    .make = [](engine& shared) -> std::unique_ptr<protocol> { return std::make_unique<gpu_wb_caches>(shared); }};

} // namespace skerry_sim::detail
