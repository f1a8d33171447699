// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stands before include/ on the include path of the scheduler's model: the same name, the explorer's policy.

#include <machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

using machine = model::patient_machine;

} // namespace skerry::inline SKERRY_ABI::detail
