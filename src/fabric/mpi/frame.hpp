// SPDX-License-Identifier: Apache-2.0
#pragma once

// What goes in one message of MPI's, but for the bytes of copies: several messages of ours to one rank, or what a copy
// needs. Small enough that an MPI sends it without waiting for the receiver.
//
// Each frame has its number within its pair, and says how long it is, so a transport that breaks its word is found at
// the first wrong frame.

#include <cstddef>
#include <cstdint>

#include "fabric/fabric.hpp"

namespace skerry::inline SKERRY_ABI::fabric::mpi {

enum class frame_kind : std::uint8_t {
    messages, // `count` of them; perhaps none, for what the head says alone
    pull,     // send me the bytes of these parts, on the channel of copies
    push,     // take from me the bytes of these parts: pull them, and say `pushed`
    pushed,   // what you had me take by this number has come
    left,     // no more frames from me
};

struct alignas(message_bytes) frame_head {
    std::uint32_t number = 0;
    std::uint16_t count = 0; // messages or parts
    frame_kind kind = frame_kind::messages;
    bool kick = false;
    std::uint16_t back[kinds]{}; // credits that the sender gives back
    std::uint64_t copy = 0;      // pull, push, pushed
    std::uint64_t unused[5]{};
};
static_assert(sizeof(frame_head) == message_bytes);

// Of a copy. What is pulled lies at `there` with who gets the frame; what is pushed comes from `here`, with its sender.
struct frame_part {
    std::uint64_t there = 0;
    std::uint64_t here = 0;
    std::uint64_t bytes = 0;
};

// Open MPI sends up to 4096 bytes at once between processes of one machine, with a head of its own.
inline constexpr std::size_t frame_bytes = 62 * message_bytes;
inline constexpr std::size_t messages_in_a_frame = frame_bytes / message_bytes - 1;
inline constexpr std::size_t parts_in_a_frame = (frame_bytes - sizeof(frame_head)) / sizeof(frame_part);

struct frame {
    frame_head head;
    union {
        message messages[messages_in_a_frame];
        frame_part parts[parts_in_a_frame];
    };

    frame() noexcept : messages{} {}
    // How many bytes of it are sent.
    [[nodiscard]] std::size_t bytes() const noexcept {
        const bool copies = head.kind == frame_kind::pull || head.kind == frame_kind::push;
        return sizeof(frame_head) + head.count * (copies ? sizeof(frame_part) : sizeof(message));
    }
};
static_assert(sizeof(frame) == frame_bytes);

} // namespace skerry::inline SKERRY_ABI::fabric::mpi
