// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a program on a simulated machine can ask of its message network (the machine's [fabric]): 64-byte messages with
// credits, copies by a transfer engine in each core, kicks, and the news of others' ends. sim/fabric makes the
// library's contract of it. Including this needs no instrumentation.
//
// All but the first three are a panic on a core that is not attached, or with a peer that was not attached with it.
// Every call is in the order of simulated time: what others did before the caller's clock has been done. Thread safety:
// called by the thread of a simulated core, which is the core meant unless one is named.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace skerry_sim {

inline constexpr unsigned message_lanes = 2; // 0: requests; 1: replies
inline constexpr unsigned packet_words = 8;

struct packet {
    std::uint64_t words[packet_words];
};

enum class send_result : std::uint8_t { sent, full, gone };

// How a peer's being there ended, as far as the news of it has come.
enum class end_of_core : std::uint8_t { none, left, killed };

struct copy_piece {
    void* here;
    void* there;
    std::size_t bytes;
};

// Piece number i of a copy. A function, so that asking needs no memory of the simulated heap.
using copy_pieces = copy_piece (*)(const void* context, std::size_t i);

struct copy_token {
    void* context;
    std::uint64_t word;
};

struct finished_copy {
    copy_token token;
    bool arrived; // false: the peer was gone before
};

// Whether this machine has a message network.
bool has_messages();
unsigned message_slots(unsigned lane);

// These cores know each other from now on, with all credits and nothing under way. Panics if one is attached already.
void attach_cores(std::span<const unsigned> cores);
// The caller's end is given up: what has not been taken is lost, and peers hear of it.
void detach_core();

send_result send(unsigned to, unsigned lane, const packet& message);

// One look at the network; what has come can be taken for poll_cycles more each.
void look_for_messages();
bool receive(unsigned from, unsigned lane, packet& into);

// How `peer` ended, once this is known here and all that it sent before was taken.
end_of_core end_of(unsigned peer);
// From now on the end of `peer` is no news.
void note_end(unsigned peer);
// Whether `peer` is known to have ended.
bool is_gone(unsigned peer);

// The transfer engine reads and writes the memory of both cores as it is behind the private cache of the one whose it
// is: what that cache holds dirty of the source is written back, what it holds of the target leaves it.
void start_copy(unsigned peer, bool push, copy_pieces piece, const void* context, std::size_t count, copy_token token);
// Moves the bytes of copies that are over.
void finish_copies();
std::optional<finished_copy> take_finished_copy();

void kick_core(unsigned core);
// True: a kick, a message, the end of a copy or of a peer, or room where a send found none. False: the clock has
// reached `deadline`.
bool wait_for_news(std::uint64_t deadline);

// The caller's core dies here, as from a bolt: nothing is published, no destructor runs. Who joins its thread goes on.
[[noreturn]] void die();

} // namespace skerry_sim
