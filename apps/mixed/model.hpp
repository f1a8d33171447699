// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tasks of the program compute, and what the program as a whole must have computed.

#include "program.hpp"
#include "support/random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace apps::mixed {

/// Cells of each lane; the lanes do the same on their own data.
inline constexpr std::size_t cells_per_lane = 4;

struct plan {
    std::size_t lanes;
    std::size_t items;  ///< numbers of a lane
    std::size_t rounds; ///< of work on a number
    std::uint64_t seed;
};

inline std::uint64_t worked(std::uint64_t value, std::size_t rounds) {
    for (; rounds != 0; --rounds) value = scatter(value);
    return value;
}

inline std::uint64_t item(const plan& p, std::size_t lane, std::size_t i) {
    return random_at(p.seed, lane * p.items + i);
}

/// Where an exception comes from.
enum class place : std::uint8_t { task, branch, right_branch, async, future, group, finish };

inline constexpr std::array<std::string_view, 7> place_names{
    "task", "branch", "branch on the right", "async", "future", "group", "finish"};

inline std::string named(place where, std::size_t lane) {
    return std::string(place_names[static_cast<std::size_t>(where)]) + " of lane " + std::to_string(lane);
}

/// The exceptions that the tasks throw. Only their texts are looked at: no more arrives from another process.
class intended : public std::runtime_error {
  public:
    intended(place where, std::size_t lane) : std::runtime_error(named(where, lane)) {}
};

/// What a stage has left: a line that says what arrived at its wait, and the lanes' cells in a hash.
struct outcome {
    std::string stage;
    std::string arrived; ///< the text of the exception; empty if there was none
    std::uint64_t hash;

    friend bool operator==(const outcome&, const outcome&) = default;
};

std::uint64_t hash_of(std::span<const std::uint64_t> values);

/// What every correct run leaves, by plain loops.
std::vector<outcome> expected(const plan& p);

verdict compare(std::span<const outcome> found, const plan& p);

} // namespace apps::mixed
