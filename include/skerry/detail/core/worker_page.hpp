// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/cache_line.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/base/port/watched.hpp>
#include <skerry/detail/base/watched_library.hpp>
#include <skerry/detail/core/task_header.hpp>
#include <skerry/detail/sync/deque_page.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The line that a fork and a join touch; its layout is part of the binary interface. A worker of src/sched begins with
// it.
struct alignas(cache_line) worker_page : deque_page<machine, task_header> {
    // Of the task that runs now. Owner only.
    const context* ctx = nullptr;
    // What a task that is forked now says instead of it: task_header. Owner only.
    std::uintptr_t nesting = 0;
};
static_assert(sizeof(worker_page) == cache_line);

// The slot that the calling thread holds, null outside a parallel region. initial-exec: one load, no call, also in a
// shared library and in one that is opened at run time (it takes 8 bytes of the reserve that loaders keep for this).
extern SKERRY_EXPORT constinit thread_local worker_page* current_page [[gnu::__tls_model__("initial-exec")]];

#if defined(SKERRY_ACCESSES_ARE_WATCHED) && !defined(SKERRY_MACHINE_SIM)
// Who includes this needs the library. Other headers with calls into it include this one for that alone.
[[gnu::__used__]] inline const bool library_is_watched =
    fsanitize_thread_needs_a_library_built_with_it__cmake_preset_minimal_tsan__see_docs_guide_sanitizers;
#endif

} // namespace skerry::inline SKERRY_ABI::detail
