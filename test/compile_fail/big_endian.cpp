// SPDX-License-Identifier: Apache-2.0
// expect: skerry: a big-endian machine is refused: no test has ever run on one
#undef __BYTE_ORDER__
#define __BYTE_ORDER__ __ORDER_BIG_ENDIAN__
#include <skerry/skerry.hpp>
