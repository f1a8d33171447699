// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is heard in a call: the samples of G.711, the tones of keys in them, and keys that are told as events
// (RFC 2833).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace apps::packets {

std::int16_t mu_law(std::uint8_t code); ///< 14 bits of G.711, as 16
std::int16_t a_law(std::uint8_t code);  ///< 13 bits of G.711, as 16

/// The key whose two tones are most of what is heard, or 0: eight Goertzel filters decide. `type`: type_mu_law or
/// type_a_law. Fewer than 80 samples, or more than 8,000, are not searched: tones cannot be told apart, or are many.
char tone_in(std::span<const std::byte> payload, std::uint8_t type);

/// The key of an event in the payload of type_keys; 0: none that a telephone has.
char key_in(std::span<const std::byte> payload);

} // namespace apps::packets
