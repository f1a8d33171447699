// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the protocols have in common in which a reader drops what may be old, rather than a writer everybody's copies
// (Wang et al., Table I), and in which nobody owns a line: atomic accesses are done in the shared cache. Bytes are
// present one by one; `valid` are clean, `dirty` are not.

#include <cstdint>

#include "sim/protocol/protocol.hpp"

namespace skerry_sim::detail {

class reader_invalidates : public protocol {
  public:
    explicit reader_invalidates(engine& shared) : shared_(shared) {}

    std::int64_t fill(core& c, way& w, std::int64_t begin, std::int64_t end) override;
    const void* atomic(core& c, std::uint64_t address, unsigned size, atomic_kind kind, std::uint32_t pc) override;
    void evict(core& c, way& w, bool keep_dirty) override;
    void discard(core& c, std::uint64_t begin, std::uint64_t end) override;
    bool forget(core& c, way& w, std::uint64_t bytes) override;
    const unsigned char* read_beside(core& source, std::uint64_t address, unsigned size,
                                     std::uint32_t frame_line) override;
    void write_beside(core& target, std::uint64_t address, const unsigned char* from, unsigned size,
                      std::uint32_t frame_line) override;

  protected:
    engine& shared_;
};

} // namespace skerry_sim::detail
