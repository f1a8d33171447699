// SPDX-License-Identifier: Apache-2.0
#include <atomic>

int main() { return 0; }
