// SPDX-License-Identifier: Apache-2.0
#pragma once

// A leaf marked APPS_VECTOR_CLONES is compiled for the baseline and for AVX2 with FMA; the loader picks one. Without
// that a distribution's baseline build would compare both variants with leaves at a quarter of the machine's speed.
// The sanitizers' run time is not up yet when the loader asks, so their builds have the baseline only.
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define APPS_VECTOR_CLONES
#endif
#endif
#ifndef APPS_VECTOR_CLONES
#define APPS_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#endif
#else
#define APPS_VECTOR_CLONES
#endif
