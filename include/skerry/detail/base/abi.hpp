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

// One message and no more: Clang ends at a fatal one, and GCC has nothing to say of a `throw` where it has exceptions.
#if !defined(__cpp_exceptions)
#if defined(__clang__)
#pragma clang diagnostic fatal "-W#warnings"
#warning "skerry: compile without -fno-exceptions: what a task throws arrives where somebody waits for it"
#else
#error "skerry: compile without -fno-exceptions: what a task throws arrives where somebody waits for it"
#pragma GCC optimize("exceptions")
#endif
#endif

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "skerry: a big-endian machine is refused: no test has ever run on one"
#endif
