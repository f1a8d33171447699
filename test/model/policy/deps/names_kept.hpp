// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stands before the runtime's own: as many as a world says.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

#include "../../names_of_worlds.hpp"

namespace skerry::inline SKERRY_ABI::detail {

inline std::size_t names_kept() noexcept { return model::names_kept_by_worlds; }

} // namespace skerry::inline SKERRY_ABI::detail
