// SPDX-License-Identifier: Apache-2.0
#pragma once

// What programs of declared accesses include: the choice of the elision, tasks with accesses, and regions.

#include "support/elision.hpp"

#if !SKERRY_APP_SERIAL
#include <skerry/dataflow.hpp>
#endif
#include <skerry/access.hpp>
#include <skerry/region.hpp>
