// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of the message network: what is under way between each ordered pair of cores. Times are when something can
// be seen at the place where it is kept; the functions are the engine's (messages.cpp, copies.cpp).
//
// Invariants
//  1. used == flying.size() + returning.size(), but for messages that a script lost: their credits are lost too.
//  2. Times in `flying` and in `returning` never decrease: a pair's way is constant, and sends and takes are in order.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/messages.hpp"

namespace skerry_sim::detail {

inline constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::max();

// First in, first out. The engine's own: the program's queues are instrumented, and the linker would not tell.
template <class T>
class line_up {
  public:
    [[nodiscard]] bool empty() const noexcept { return first_ == items_.size(); }
    [[nodiscard]] std::size_t size() const noexcept { return items_.size() - first_; }
    [[nodiscard]] const T& front() const noexcept { return items_[first_]; }
    // In a host_section.
    void push(const T& item) {
        if (first_ > most_behind && 2 * first_ >= items_.size()) {
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        items_.push_back(item);
    }
    void pop() noexcept { ++first_; }
    void clear() noexcept {
        items_.clear();
        first_ = 0;
    }

  private:
    static constexpr std::size_t most_behind = 32;

    std::vector<T> items_;
    std::size_t first_ = 0;
};

struct flight {
    std::int64_t arrives;
    packet message;
};

struct message_lane {
    line_up<flight> flying;
    line_up<std::int64_t> returning; // credits
    unsigned used = 0;               // credits that are not with the sender
    bool refused = false;            // the last send found none
};

// From one core to another.
struct message_channel {
    message_lane lanes[message_lanes];
    bool told = false; // the receiver knows of the sender's end
};

struct copy_under_way {
    unsigned peer;
    bool push;
    std::vector<copy_piece> pieces;
    copy_token token;
    std::int64_t over;
};

struct message_station {
    end_of_core ended = end_of_core::none;
    unsigned group = 0; // which cores know each other; 0: never attached
    std::int64_t ended_at = 0;
    std::int64_t kicked_at = no_time;
    std::int64_t transfer_free = 0; // when the transfer engine is
    std::vector<copy_under_way> copies;
    line_up<finished_copy> finished;
    std::uint64_t sent = 0; // messages
    bool holds = false;     // a message that a script lets the next one overtake
    unsigned held_to = 0;
    unsigned held_lane = 0;
    packet held{};
};

struct message_network {
    std::vector<message_station> stations;
    std::vector<message_channel> channels; // from * cores + to
    unsigned groups = 0;
};

} // namespace skerry_sim::detail
