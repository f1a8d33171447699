// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inline namespace carries the layout version of everything a caller inlines (the deque page above all) and the
// machine policy that it was compiled for. Objects of two layouts or two policies therefore differ in every mangled
// name and cannot be linked together by mistake. The shared library's soname carries the same version.
#ifndef SKERRY_ABI
#ifdef SKERRY_MACHINE_SIM
#define SKERRY_ABI v1_sim
#else
#define SKERRY_ABI v1_native
#endif
#endif

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "skerry: a big-endian machine is refused: no test has ever run on one"
#endif
