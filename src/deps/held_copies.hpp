// SPDX-License-Identifier: Apache-2.0
#pragma once

// What home knows of the others' memory: which bytes a process holds in the current version, and which of those it
// keeps, that is, has written and not sent. They are nowhere else, so whoever needs them brings them first.
//
// Thread safety: one thread at a time; the crossing has the lock. Bringing is done under it, so nobody finds bytes not
// kept that have not come yet.
//
// Invariant: a byte is kept by at most one process.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/access.hpp>
#include <skerry/detail/sync/machine.hpp>
#include <skerry/detail/trace/writer.hpp>

#include "deps/byte_ranges.hpp"
#include "fabric/fabric.hpp"
#include "sched/message_steal.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Errors of all that is not noexcept: std::bad_alloc.
class held_copies {
  public:
    static constexpr unsigned nobody = ~0U;

    held_copies(message_steal& steal, unsigned processes) : steal_(steal), both_(processes), kept_(processes) {}

    [[nodiscard]] bool contains(unsigned p, std::uintptr_t first, std::size_t bytes) const;
    // Calls f(first byte, bytes) for what the process lacks of this range, by address.
    template <class F>
    void for_each_missing(unsigned p, std::uintptr_t first, std::size_t bytes, F f) const {
        both_[p].for_each_missing(
            first, bytes, [this, p, f](std::uintptr_t at, std::size_t n) { kept_[p].for_each_missing(at, n, f); });
    }

    // It holds them, and so does home.
    void insert(unsigned p, std::uintptr_t first, std::size_t bytes) { both_[p].insert(first, bytes); }
    // It has written them, and home has an older version. Precondition: nobody else keeps them.
    void keep(unsigned p, std::uintptr_t first, std::size_t bytes) { kept_[p].insert(first, bytes); }
    // A task that may write them goes there: what it keeps of them is appended to `lent` and not kept any more.
    void lend(unsigned p, const access& a, std::vector<fabric::extent>& lent);

    [[nodiscard]] bool keep_nothing() const noexcept;
    // Copies what others than `but` keep of it to here. False: a process does not let itself be read any more; what has
    // not come is still kept. `track`: the calling thread's.
    [[nodiscard]] bool bring(std::uintptr_t first, std::size_t bytes, unsigned but, trace_sink<machine> track);
    // Of a region: all that is kept.
    [[nodiscard]] bool bring(const access& a, unsigned but, trace_sink<machine> track);
    [[nodiscard]] bool bring_all(trace_sink<machine> track);
    // At most so many bytes of what is kept. False: there is nothing, or it cannot be read.
    [[nodiscard]] bool bring_some(std::size_t most, trace_sink<machine> track);

    // What others than `but` hold of it is older now, if they do not keep it; of a region: all.
    void forget(std::uintptr_t first, std::size_t bytes, unsigned but);
    void forget(const access& a, unsigned but);
    // Likewise what a process holds, or all do, but for what is kept.
    void forget_all_of(unsigned p) noexcept { both_[p].clear(); }
    void forget_all() noexcept;

  private:
    template <class ForEachPiece>
    [[nodiscard]] bool bring_pieces(ForEachPiece&& for_each_piece, unsigned but, trace_sink<machine> track);
    [[nodiscard]] bool fetch(unsigned p, std::span<const fabric::extent> what, trace_sink<machine> track);

    message_steal& steal_;
    std::vector<byte_ranges> both_; // of each process: what home has, too
    std::vector<byte_ranges> kept_; // what home does not have; it may be in the other set as well
};

} // namespace skerry::inline SKERRY_ABI::detail
