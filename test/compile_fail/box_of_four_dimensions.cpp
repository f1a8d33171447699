// SPDX-License-Identifier: Apache-2.0
// expect: N <= 3
#include <skerry/forkjoin.hpp>

skerry::box<4>* p = nullptr;
