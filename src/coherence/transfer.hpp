// SPDX-License-Identifier: Apache-2.0
#pragma once

// Contents on a `copied` edge: memory here for what one copy of the fabric is about to bring.
//
// Thread safety: any thread.

#include <span>

#include <skerry/detail/base/abi.hpp>

#include "fabric/fabric.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Memory for contents of objects whose regions are another process's, for who only reads or writes those objects; an
// unpacked region has it. Errors: std::invalid_argument (outside of the arena), std::bad_alloc.
void open_for(std::span<const fabric::extent> contents);

} // namespace skerry::inline SKERRY_ABI::detail
