// SPDX-License-Identifier: Apache-2.0
// Needs one function of the library. Compiled for another machine policy (-DSKERRY_ABI=v1_model) it must not find it.
#include <skerry/runtime.hpp>

int main() { return skerry::options::from_environment().workers == 1 ? 1 : 0; }
