// SPDX-License-Identifier: Apache-2.0

// GPU-WT (Wang et al., Sec. II): a reader drops what may be old, and every write goes through to the shared cache, so
// nothing is ever dirty here.
//
// | event | what happens |
// |---|---|
// | load, bytes missing | the line is fetched |
// | store | goes down; a copy that is here is brought up to date, none is made |
// | atomic | own copy of the word goes, the access is done in the shared cache |
// | evict | nothing |
// | publish | waits for the writes that are on their way |
// | discard | all bytes go |
//
// A store does not wait for its write, unless as many as the write buffer holds are on their way. They leave the buffer
// in their order.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/engine.hpp"
#include "sim/protocol/reader_invalidates.hpp"

namespace skerry_sim::detail {

namespace {

// When each of the last writes has arrived, as many as may be on their way.
class write_buffer {
  public:
    explicit write_buffer(unsigned writes) : arrivals_(writes) {}

    std::int64_t next_free() const noexcept { return arrivals_[next_]; }
    std::int64_t all_arrived() const noexcept { return last_; }
    void enter(std::int64_t arrival) noexcept {
        last_ = std::max(last_, arrival);
        arrivals_[next_] = last_;
        next_ = next_ + 1 == arrivals_.size() ? 0 : next_ + 1;
    }
    void make_empty() noexcept {
        std::fill(arrivals_.begin(), arrivals_.end(), 0);
        last_ = 0;
    }

  private:
    std::vector<std::int64_t> arrivals_;
    std::size_t next_ = 0;
    std::int64_t last_ = 0;
};

class gpu_wt_caches final : public reader_invalidates {
  public:
    explicit gpu_wt_caches(engine& shared)
        : reader_invalidates(shared),
          buffers_(shared.machine().cores.count, write_buffer(shared.machine().l1.write_buffer)) {}

    void store(core& c, std::uint64_t address, unsigned size, std::uint32_t pc) override {
        write_buffer& buffer = buffers_[c.id];
        c.wait_until(buffer.next_free());
        shared_.order(c);
        const std::uint32_t frame_line = shared_.line_of(address);
        way* const w = shared_.find(c, frame_line);
        if (shared_.tracking()) {
            shared_.before_write_through(c, w, address, size, frame_line, pc);
        }
        if (w == nullptr) {
            ++c.counts.store_misses;
        } else {
            w->valid |= byte_mask(address, size);
            shared_.touch(c, *w);
            shared_.admit(c, *w, false);
        }
        buffer.enter(shared_.memory().post(engine::at(c), frame_line, c.clock(), engine::head + size));
    }

    void publish(core& c, std::uint64_t /*begin*/, std::uint64_t /*end*/) override {
        shared_.order(c);
        ++c.counts.publishes;
        c.spend(1);
        c.wait_until(buffers_[c.id].all_arrived());
    }

    void make_cold() override {
        for (write_buffer& b : buffers_) {
            b.make_empty();
        }
    }

  private:
    std::vector<write_buffer> buffers_;
};

} // namespace

const protocol_kind gpu_wt{
    .name = "gpu-wt",
    .kept_by_hardware = false,
    .buffers_writes = true,
    .make = [](engine& shared) -> std::unique_ptr<protocol> { return std::make_unique<gpu_wt_caches>(shared); }};

} // namespace skerry_sim::detail
