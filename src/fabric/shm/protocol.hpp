// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the launcher and the processes agree on before anything else: the first bytes of the shared memory, and the
// names of the variables that lead to it.
//
// Thread safety: `magic` to `processes` are constant once a process runs; `place_count` and `places` are process 0's
// until its step is `arrived`; a hello belongs to who has put its number into it first, until its step says that it is
// written (H1 -> H2).

#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/cache_line.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "base/port/futex.hpp"
#include "base/port/reserve.hpp"
#include "fabric/segment.hpp"

namespace skerry::inline SKERRY_ABI::fabric::shm {

inline constexpr const char* rank_variable = "SKERRY_RANK";
inline constexpr const char* ranks_variable = "SKERRY_RANKS";
inline constexpr const char* descriptor_variable = "SKERRY_FABRIC_FD";

// The machine, with futexes that wake other processes.
struct across_processes : detail::machine {
    static void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
        port::futex_wait_shared(&word, expected);
    }
    static void futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout) noexcept {
        port::futex_wait_shared(&word, expected, timeout);
    }
    static void futex_wake(atomic<std::uint32_t>& word, int count) noexcept { port::futex_wake_shared(&word, count); }
};

// How far a process has come in the handshake.
enum class step : std::uint32_t {
    none,
    arrived,  // all but `reserved` is written; of process 0, places too
    answered, // reserved is written
};

struct alignas(detail::cache_line) hello {
    across_processes::atomic<shm::step> step{shm::step::none};
    std::uint32_t reserved = 0; // bit i: place i is free here, and reserved
    std::uint64_t table_hash = 0;
    std::uint64_t table_entries = 0;
    std::uint64_t code = 0;
    across_processes::atomic<std::uint32_t> process{0}; // the system's number of the one who joined; 0: nobody has
    std::uint32_t sample = 0; // what lies at that address of its private memory, until it has ended
    std::uint64_t sample_at = 0;
};

inline constexpr std::uint64_t magic_number = 0x79727265'6b736d68; // "hmskerry"
inline constexpr unsigned most_processes = 64;

struct control {
    std::uint64_t magic = 0;
    std::uint64_t layout = 0;
    std::uint32_t processes = 0;
    std::uint32_t place_count = 0;
    port::arena_place places[port::most_arena_places]{};
    hello hellos[most_processes];
};

// Differs wherever two builds would read the shared memory differently. The first number counts changes of meaning.
constexpr std::uint64_t layout_of_this_build() noexcept {
    std::uint64_t mixed = 0xcbf2'9ce4'8422'2325;
    for (const std::uint64_t part :
         {std::uint64_t{4}, std::uint64_t{message_bytes}, std::uint64_t{request_slots}, std::uint64_t{reply_slots},
          std::uint64_t{bulk_slots}, std::uint64_t{block_bytes}, std::uint64_t{blocks_per_link},
          std::uint64_t{sizeof(control)}, std::uint64_t{sizeof(station<across_processes>)},
          std::uint64_t{sizeof(link<across_processes>)}}) {
        mixed = (mixed ^ part) * 0x100'0000'01b3;
    }
    return mixed;
}

inline constexpr std::size_t control_bytes = (sizeof(control) + 4095) / 4096 * 4096;

constexpr std::size_t shared_bytes(unsigned processes) noexcept {
    return control_bytes + segment<across_processes>::bytes(processes, true);
}

inline segment<across_processes> segment_of(void* shared, unsigned processes) noexcept {
    return {static_cast<std::byte*>(shared) + control_bytes, processes};
}

} // namespace skerry::inline SKERRY_ABI::fabric::shm
