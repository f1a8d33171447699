// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace skerry::model {

// What the policy says in place of names_kept() (src/deps/names_kept.hpp). A world sets it before its threads begin.
inline std::size_t names_kept_by_worlds = std::size_t{1} << 14;

} // namespace skerry::model
