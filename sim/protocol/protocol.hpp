// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contract between the engine and the protocol of the private caches. One protocol is one file beside this one;
// only the reader of machine descriptions names it. Shared code (sim/cache.cpp, staleness.cpp) has the ways, the filter
// and the bookkeeping of old values; a protocol decides what an event does with the bytes of a line.
//
// Thread safety: one thread, as of the engine. Functions marked "switches" may run other cores before they return.

#include <cstdint>
#include <memory>

namespace skerry_sim::detail {

class engine;
class protocol;
struct core;
struct way;

enum class atomic_kind { load, store, update };

// Static data: what is known of a protocol before there is a machine.
struct protocol_kind {
    const char* name;      // as machine descriptions spell it
    bool kept_by_hardware; // no copy is ever old: publishing and discarding are nothing
    bool buffers_writes;   // the description has to say how many (l1.write_buffer)
    std::unique_ptr<protocol> (*make)(engine& shared);
};

class protocol {
  public:
    protocol() = default;
    protocol(const protocol&) = delete;
    protocol& operator=(const protocol&) = delete;
    virtual ~protocol() = default;

    // A load has missed. Its line has a way, and the line's bytes, asked for at `begin`, arrive at `end`. The result is
    // when the load may go on.
    virtual std::int64_t fill(core& c, way& w, std::int64_t begin, std::int64_t end) = 0;

    // A store to bytes of one line, which the filter could not answer. Switches.
    virtual void store(core& c, std::uint64_t address, unsigned size, std::uint32_t pc) = 0;

    // An atomic access, in order, to bytes of one line; the value that it finds is at the result. No other core runs
    // between the return and the write of an update or a store.
    virtual const void* atomic(core& c, std::uint64_t address, unsigned size, atomic_kind kind, std::uint32_t pc) = 0;

    // The line leaves this cache. `keep_dirty`: what only this cache has goes down first. The engine empties the way.
    virtual void evict(core& c, way& w, bool keep_dirty) = 0;

    // What the core has written becomes readable for others; what it may hold of others' old bytes goes. Switch.
    virtual void publish(core& c, std::uint64_t begin, std::uint64_t end) = 0;
    virtual void discard(core& c, std::uint64_t begin, std::uint64_t end) = 0;

    // These bytes are nobody's any more; true: then nothing is left of the line here. Nothing is written back.
    virtual bool forget(core& c, way& w, std::uint64_t bytes) = 0;

    // All ways were emptied: whatever else there is begins anew. Cores may be waiting inside of store() meanwhile.
    virtual void make_cold() {}

    // A transfer engine reads or writes bytes of one line beside the caches, for a core (sim/copies.cpp). The line has
    // a record. The result of the first holds until the next store or write-back.
    virtual const unsigned char* read_beside(core& source, std::uint64_t address, unsigned size,
                                             std::uint32_t frame_line) = 0;
    virtual void write_beside(core& target, std::uint64_t address, const unsigned char* from, unsigned size,
                              std::uint32_t frame_line) = 0;
};

extern const protocol_kind gpu_wb;
extern const protocol_kind gpu_wt;
extern const protocol_kind mesi;

} // namespace skerry_sim::detail
