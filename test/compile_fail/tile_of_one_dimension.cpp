// SPDX-License-Identifier: Apache-2.0
// expect: skerry: a tile has 2 or 3 dimensions; of one dimension it is a std::span
#include <skerry/tile.hpp>

skerry::tile<int, 1> t;
