// SPDX-License-Identifier: Apache-2.0
#define EVERYTHING_SERIAL
#include "everything.cpp"
