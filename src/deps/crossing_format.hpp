// SPDX-License-Identifier: Apache-2.0
#pragma once

// What goes over a crossing, as bytes: the parcel of a task that goes, and the end of one that was away.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/access.hpp>
#include <skerry/detail/deps/crossing_type.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

#include "coherence/parcel.hpp"
#include "sched/message_steal.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// The head of a parcel; the accesses, the names of parts among them, the objects besides, and the closure follow.
struct parcel_head {
    std::uint32_t type;
    std::uint32_t accesses;
    std::uint32_t pulls;
    std::uint32_t others;  // ranges that only have to be accessible
    std::uint32_t regions; // parcels of regions' bookkeeping, each with the region's number
    std::uint32_t hops;
    std::uint32_t may_keep; // 1: home brings what the task writes when it needs it
    std::uint32_t unused;
    std::uint64_t name; // of the task, as an offset in the program; 0: none
};
struct range {
    std::uintptr_t first;
    std::size_t bytes;
};
enum class ending : std::uint32_t {
    done,
    kept, // done, and what it wrote stays until home brings it
    failed,
    unbegun, // it comes back as it went
};
struct end_head {
    ending how;
    std::uint32_t text_bytes;
    std::uint64_t tasks;   // that this process has run since it began
    std::uint64_t taken;   // of those, begun in another
    std::uint32_t regions; // parcels of the regions that the task wrote
    std::uint32_t pulls;   // what home fetches: contents of those regions
};

inline range range_of(std::span<const std::byte> s) noexcept {
    return {reinterpret_cast<std::uintptr_t>(s.data()), s.size()};
}

inline std::string text_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

// The bookkeeping of a region.
struct packed_home {
    std::uint64_t region;
    parcel bytes;
};
inline void put(byte_writer& out, const packed_home& p) {
    out.put(p.region);
    out.put(std::uint64_t{p.bytes.size()});
    out.put_bytes(p.bytes);
}
// The region whose bookkeeping comes next in a message, and that as unpack_region() takes it.
struct read_home {
    region_id region;
    std::span<const std::byte> bytes;
};
inline read_home get_home(byte_reader& in) {
    const region_id id{in.get<std::uint64_t>()};
    return {id, in.take(in.get<std::uint64_t>())};
}

// What was packed has not gone: the regions are this process's as before. Errors: as unpack_region().
inline void take_back(std::span<const packed_home> packed) {
    for (const packed_home& p : packed) {
        if (!written_here(region_id{p.region})) {
            unpack_region(p.bytes);
        }
    }
}

// The bookkeeping of the regions among the accesses. Errors: as pack_region(); nothing has changed.
inline std::vector<packed_home> pack_regions(std::span<const access> accesses) {
    std::vector<packed_home> packed;
    packed.reserve(accesses.size());
    try {
        for (const access& a : accesses) {
            if (a.kind == access_kind::region) {
                packed.push_back(
                    {a.first, pack_region(region_id{a.first}, true, writes(a.mode) ? handing::over : handing::copy)});
            }
        }
    } catch (...) {
        take_back(packed);
        throw;
    }
    return packed;
}

inline std::vector<access> accesses_of(const dependent_task& task) {
    std::vector<access> all;
    for (const access_node& n : task.all_nodes()) {
        all.push_back(n.what);
    }
    return all;
}

inline void* pointer(std::uintptr_t address) noexcept { return reinterpret_cast<void*>(address); }

} // namespace skerry::inline SKERRY_ABI::detail
