// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>

namespace skerry::inline SKERRY_ABI {

// How a group's tasks ended.
enum class group_status : std::uint8_t {
    complete,  // all that was begun has run
    cancelled, // the group, or one around it, was cancelled; some of it may have been skipped
};

// Thrown by a construct that is cut short because a group around it was cancelled: it has begun nothing since, and what
// had begun has ended. A task of the group ends by it, and the group drops it. A future whose task was skipped throws
// it to whoever asks for the result.
class SKERRY_EXPORT cancelled : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override {
        return "skerry: a group around this was cancelled, or one of its tasks has thrown";
    }
};

} // namespace skerry::inline SKERRY_ABI
