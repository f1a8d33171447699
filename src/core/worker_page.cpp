// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/core/worker_page.hpp>

namespace skerry::inline SKERRY_ABI::detail {

constinit thread_local worker_page* current_page [[gnu::tls_model("initial-exec")]] = nullptr;

} // namespace skerry::inline SKERRY_ABI::detail
