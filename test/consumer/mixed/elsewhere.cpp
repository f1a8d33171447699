// SPDX-License-Identifier: Apache-2.0
#include "sums.hpp"

long mixed::sum_elsewhere(unsigned n) { return sum(n); }
