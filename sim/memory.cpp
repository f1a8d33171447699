// SPDX-License-Identifier: Apache-2.0
#include "sim/memory.hpp"

namespace skerry_sim::detail {

shared_memory::shared_memory(const machine_description& machine, std::uint64_t seed)
    : machine_(machine),
      columns_(static_cast<int>(machine.cores.columns)),
      rows_(static_cast<int>((machine.cores.count + machine.cores.columns - 1) / machine.cores.columns)),
      hop_(machine.network.channel_cycles + machine.network.router_cycles),
      sets_(machine.l2.bank_bytes / 64 / machine.l2.ways),
      slots_(std::size_t{machine.l2.banks} * sets_ * machine.l2.ways),
      bank_free_(machine.l2.banks),
      dram_free_(machine.l2.banks),
      noise_(seed * 0x9E37'79B9'7F4A'7C15) {}

bool shared_memory::touch(std::uint32_t frame_line) noexcept {
    const std::uint32_t bank = frame_line % machine_.l2.banks;
    const std::uint32_t set = frame_line / machine_.l2.banks % sets_;
    slot* const first = &slots_[(std::size_t{bank} * sets_ + set) * machine_.l2.ways];
    slot* victim = first;
    ++clock_;
    for (slot* s = first; s != first + machine_.l2.ways; ++s) {
        if (s->frame_line == frame_line) {
            s->used = clock_;
            return true;
        }
        if (s->used < victim->used) {
            victim = s;
        }
    }
    ++misses_;
    evicted_ = victim->frame_line;
    *victim = {frame_line, clock_};
    return false;
}

std::int64_t shared_memory::round_trip(place from, std::uint32_t frame_line, std::int64_t time, unsigned request,
                                       unsigned response, bool fetch) {
    const std::uint32_t bank = frame_line % machine_.l2.banks;
    const std::int64_t way = to_bank(from, frame_line);
    std::int64_t at = time + way + flits(request);
    if (noise_ != 0) {
        noise_ ^= noise_ << 13;
        noise_ ^= noise_ >> 7;
        noise_ ^= noise_ << 17;
        at += static_cast<std::int64_t>(noise_ >> 40 & 7);
    }
    at = at > bank_free_[bank] ? at : bank_free_[bank];
    bank_free_[bank] = at + 1 + (request + response) / 32; // a bank moves 32 bytes a cycle
    at += machine_.l2.cycles;
    evicted_ = nothing;
    if (!touch(frame_line) && fetch) {
        const std::int64_t begin = at > dram_free_[bank] ? at : dram_free_[bank];
        dram_free_[bank] = begin + machine_.dram.line_cycles;
        at = begin + machine_.dram.cycles;
    }
    return at + way + flits(response);
}

} // namespace skerry_sim::detail
