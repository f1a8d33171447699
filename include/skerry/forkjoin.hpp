// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fork and join: branches and loops. The algorithms built on them are in <skerry/algorithm.hpp>.

#include <skerry/parallel_for.hpp>
#include <skerry/parallel_invoke.hpp>
