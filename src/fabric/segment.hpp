// SPDX-License-Identifier: Apache-2.0
#pragma once

// The words that the endpoints of one machine share: a station for each, and a link for each ordered pair. They lie in
// one piece of memory, of this process or of several; a position in it means the same to all, an address need not.
//
// Layout, each part on cache lines of its own: station[n], link[n * n] (from * n + to), and, where copies are staged,
// blocks[n * n].
//
// Thread safety: constant after construction. What the words mean, and who writes them, is said where they are.

#include <cstddef>
#include <cstdint>
#include <new>

#include <skerry/detail/base/cache_line.hpp>

#include "fabric/bell.hpp"
#include "fabric/fabric.hpp"
#include "fabric/ring.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

inline constexpr std::uint32_t request_slots = 256;
inline constexpr std::uint32_t reply_slots = 256;
inline constexpr std::uint32_t bulk_slots = 64;
// A block stays in a core's second-level cache while it is handed over.
inline constexpr std::size_t block_bytes = std::size_t{64} * 1024;
inline constexpr std::uint32_t blocks_per_link = 8;

// What a message carries beside its stamp and note.
struct message_body {
    std::uint64_t words[message_words]{};
};

// Where an endpoint is in its life. Written by it (here, left) and by whoever saw its process end (exited, killed).
enum class presence : std::uint32_t { absent, here, left, exited, killed };

constexpr bool over(presence p) noexcept { return p >= presence::left; }
constexpr bool failed(presence p) noexcept { return p > presence::left; }

template <class M>
struct station {
    alignas(detail::cache_line) fabric::bell<M> bell;
    alignas(detail::cache_line) typename M::template atomic<presence> state{presence::absent};
    typename M::template atomic<std::int32_t> number{0};  // exited, killed: of what; written before the state
    typename M::template atomic<std::uint32_t> before{0}; // exited, killed: how many had so before it; likewise
};

template <class M>
struct link {
    using slot = ring_slot<M, message_body>;

    slot requests[request_slots];
    slot replies[reply_slots];
    slot bulk[bulk_slots]; // the fabric's own messages, for copies
    ring_count<M> request_count;
    ring_count<M> reply_count;
    ring_count<M> bulk_count;
    ring_count<M> block_count; // blocks that the receiver has emptied
};

template <class M>
class segment {
  public:
    segment() = default;
    // `begin` lies on a cache line; bytes() of memory follow, all zero.
    segment(std::byte* begin, unsigned endpoints) noexcept : begin_(begin), endpoints_(endpoints) {}

    static constexpr std::size_t bytes(unsigned endpoints, bool staged) noexcept {
        const std::size_t pairs = std::size_t{endpoints} * endpoints;
        return endpoints * sizeof(fabric::station<M>) +
               pairs * (sizeof(fabric::link<M>) + (staged ? blocks_per_link * block_bytes : 0));
    }

    [[nodiscard]] unsigned endpoints() const noexcept { return endpoints_; }

    // Nothing is constructed here: zero is the first state of every word, and the kernel gives zeroed memory. Touching
    // all of it would cost a many-process program memory that it never uses.
    [[nodiscard]] fabric::station<M>& station(unsigned i) const noexcept {
        return *std::launder(static_cast<fabric::station<M>*>(static_cast<void*>(begin_)) + i);
    }
    [[nodiscard]] fabric::link<M>& link(unsigned from, unsigned to) const noexcept {
        void* const links = begin_ + endpoints_ * sizeof(fabric::station<M>);
        return *std::launder(static_cast<fabric::link<M>*>(links) + pair(from, to));
    }
    // Precondition: copies are staged.
    [[nodiscard]] std::byte* block(unsigned from, unsigned to, std::uint32_t i) const noexcept {
        std::byte* const blocks = begin_ + bytes(endpoints_, false);
        return blocks + (pair(from, to) * blocks_per_link + i % blocks_per_link) * block_bytes;
    }

  private:
    [[nodiscard]] std::size_t pair(unsigned from, unsigned to) const noexcept {
        return std::size_t{from} * endpoints_ + to;
    }

    std::byte* begin_ = nullptr;
    unsigned endpoints_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::fabric
