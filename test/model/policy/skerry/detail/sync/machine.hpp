// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stands before include/ on the include path of the scheduler's model: the same name, the explorer's policy.

#ifdef SKERRY_MODEL_MANYCORE
#include <manycore.hpp>
#else
#include <machine.hpp>
#endif

namespace skerry::inline SKERRY_ABI::detail {

#ifdef SKERRY_MODEL_MANYCORE
using machine = model::manycore;
#else
using machine = model::patient_machine;
#endif

} // namespace skerry::inline SKERRY_ABI::detail
