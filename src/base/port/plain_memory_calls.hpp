// SPDX-License-Identifier: Apache-2.0
#pragma once

// The including file's calls of memcpy, memmove and memset are calls of plain_memory.hpp's: those that are written, and
// those that a compiler makes of loops, of copies and of zeroed records, which no option forbids. So the assembler is
// the one who renames them. Preconditions: the file defines none of the three, and is compiled without link-time
// optimisation (which makes one file of many).

asm(".set memcpy, skerry_plain_memcpy\n\t"
    ".set memmove, skerry_plain_memmove\n\t"
    ".set memset, skerry_plain_memset");
