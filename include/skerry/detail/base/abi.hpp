// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inline namespace carries the layout version of everything a caller inlines (the deque page above all) and the
// machine policy that it was compiled for. Objects of two layouts or two policies therefore differ in every mangled
// name and cannot be linked together by mistake. The shared library's soname carries the same version. The same holds
// of std's containers, which are others with _GLIBCXX_DEBUG; that name is what the linker says.
#ifndef SKERRY_ABI
#ifdef SKERRY_MACHINE_SIM
#define SKERRY_ABI v1_sim
#elif defined(_GLIBCXX_DEBUG)
#define SKERRY_ABI v1_native_GLIBCXX_DEBUG_needs_a_library_built_with_it__see_docs_guide_sanitizers
#else
#define SKERRY_ABI v1_native
#endif
#endif

// A file that nobody has, and so one message and no more: compilers go on behind an #error, and have much to say of
// each `throw`.
#if !defined(__cpp_exceptions)
#define SKERRY_NEEDS_EXCEPTIONS                                                                                        \
    "skerry: compile without -fno-exceptions: what a task throws arrives where somebody waits for it"
#include SKERRY_NEEDS_EXCEPTIONS
#endif

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "skerry: a big-endian machine is refused: no test has ever run on one"
#endif
