// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/core/worker_page.hpp>

namespace skerry::inline SKERRY_ABI::detail {

constinit thread_local worker_page* current_page [[gnu::tls_model("initial-exec")]] = nullptr;

#if defined(SKERRY_ACCESSES_ARE_WATCHED) && !defined(SKERRY_MACHINE_SIM)
constinit const bool
    fsanitize_thread_needs_a_library_built_with_it__cmake_preset_minimal_tsan__see_docs_guide_sanitizers = true;
#endif

} // namespace skerry::inline SKERRY_ABI::detail
