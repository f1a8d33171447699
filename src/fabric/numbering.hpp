// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a message carries beside the caller's words, so that a transport that breaks its word is found at the first
// wrong message, in every build: its kind, and its number among those of its pair and kind. The receiver counts too; it
// costs an addition and a comparison.
//
//   note:  31..16  the caller's tag      15  a reply      14..0  number modulo 2^15

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/panic.hpp"
#include "fabric/fabric.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

constexpr std::size_t index(kind k) noexcept { return static_cast<std::size_t>(k); }

// Thread safety: none; both ends of a pair have one each.
class numbering {
  public:
    static constexpr std::uint16_t number_mask = 0x7fff;

    static std::uint16_t tag_of(std::uint32_t note) noexcept { return static_cast<std::uint16_t>(note >> tag_shift); }
    static std::uint16_t number_of(std::uint32_t note) noexcept {
        return static_cast<std::uint16_t>(note & number_mask);
    }

    // The note of the next message to the peer, until sent() says that it has gone.
    [[nodiscard]] std::uint32_t next(std::uint16_t tag, kind k) const noexcept {
        return (std::uint32_t{tag} << tag_shift) | (k == kind::reply ? reply_bit : 0) | out_[index(k)];
    }
    void sent(kind k) noexcept { out_[index(k)] = (out_[index(k)] + 1) & number_mask; }

    // Panics unless the note is that of the next message from the peer where messages of this kind come in. Inlined,
    // since the simulated network uses it without hooks: a function of its own could be linked from an object that has
    // them.
    [[gnu::always_inline]] void check(unsigned from, kind lane, std::uint32_t note) {
        const kind is = (note & reply_bit) != 0 ? kind::reply : kind::request;
        const std::uint16_t number = number_of(note);
        std::uint16_t& due = due_[index(lane)];
        if (is != lane) {
            detail::panic("fabric: a ", name_of(is), " from peer ", from, " took the credit of a ", name_of(lane));
        }
        if (number != due) {
            const std::uint16_t ahead = static_cast<std::uint16_t>(number - due) & number_mask;
            detail::panic(
                "fabric: ", name_of(lane), " ", number, " from peer ", from, " came where ", due,
                " was due: ", ahead <= number_mask / 2 ? "a message was lost or overtaken" : "a message came again");
        }
        due = static_cast<std::uint16_t>(due + 1) & number_mask;
    }

  private:
    static constexpr std::uint32_t reply_bit = 0x8000;
    static constexpr unsigned tag_shift = 16;

    std::array<std::uint16_t, kinds> out_{};
    std::array<std::uint16_t, kinds> due_{};
};

} // namespace skerry::inline SKERRY_ABI::fabric
