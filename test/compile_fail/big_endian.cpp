// SPDX-License-Identifier: Apache-2.0
// expect: skerry: a big-endian machine is refused: no test has ever run on one
// flags: -U__BYTE_ORDER__
// flags: -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__
#include <skerry/skerry.hpp>
