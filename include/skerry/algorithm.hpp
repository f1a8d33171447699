// SPDX-License-Identifier: Apache-2.0
#pragma once

// All algorithms. Each takes an iterator pair or a range with random access, std's order of arguments and std's
// meaning; parallel_for_each and the reductions also take what has no random access.

#include <skerry/find.hpp>
#include <skerry/parallel_for.hpp>
#include <skerry/reduce.hpp>
#include <skerry/scan.hpp>
#include <skerry/sort.hpp>
#include <skerry/transform.hpp>
