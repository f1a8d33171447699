// SPDX-License-Identifier: Apache-2.0
#pragma once

// Packets of RTP, and what of one source was lost and how evenly the rest came (RFC 3550).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace apps::packets {

inline constexpr std::uint8_t type_mu_law = 0;
inline constexpr std::uint8_t type_a_law = 8;
inline constexpr std::uint8_t type_keys = 101;
inline constexpr std::uint32_t rtp_rate = 8000; ///< ticks of a timestamp in a second, of all three

struct rtp_packet {
    std::uint8_t type = 0;
    std::uint16_t sequence = 0;
    std::uint32_t timestamp = 0;
    std::uint32_t source = 0;
    std::span<const std::byte> payload;
};

/// Nothing: the payload of UDP is none of version 2 and the three types, or is too short for what its header says.
std::optional<rtp_packet> rtp_of(std::span<const std::byte> udp);

/// One source's packets, counted as appendices A.1, A.3 and A.8 of RFC 3550 do. The first packet makes the source a
/// valid one. If the numbers begin anew, what was lost before is kept.
class rtp_source {
  public:
    enum class place : std::uint8_t {
        next,    ///< no number that came was higher
        late,    ///< or the same once more
        begun,   ///< the first one, or that of a new beginning
        ignored, ///< far from all others, so it may be no packet of the source
    };
    place count(std::uint16_t sequence);
    /// For the jitter, of each packet that is not ignored. `arrival`, `timestamp`: in the same ticks.
    void arrives(std::uint32_t arrival, std::uint32_t timestamp);

    std::uint64_t received() const { return received_before_ + received_; }
    /// Less than 0: some came twice.
    std::int64_t lost() const;
    std::uint32_t jitter() const { return jitter_ >> 4; } ///< in ticks

    bool operator==(const rtp_source&) const = default;

  private:
    void begin(std::uint16_t sequence);
    std::uint64_t expected() const { return std::uint64_t{cycles_} + highest_ - first_ + 1; }

    std::uint64_t received_ = 0; // since the numbers began
    std::uint64_t received_before_ = 0;
    std::uint64_t expected_before_ = 0;
    std::uint64_t cycles_ = 0; // 65,536 for each time that the numbers went round
    std::uint32_t jitter_ = 0; // times 16
    std::uint32_t transit_ = 0;
    std::uint32_t expected_after_jump_ = 0; // no number, 65,536, if there was none
    std::uint16_t first_ = 0;
    std::uint16_t highest_ = 0;
    bool began_ = false;
    bool arrived_ = false;
};

} // namespace apps::packets
