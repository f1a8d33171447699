// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/frontend/algorithm/fold.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>

namespace skerry::inline SKERRY_ABI::detail {

void run_automatically(const run_call& run, std::uint64_t count) { run_cut<forking>(run, count); }

void fold_automatically(folded& sum, std::uint64_t count) { fold_cut<forking>(sum, count); }

void run_both(const function_ref<>& f, const function_ref<>& g) {
    fork([&f] { f(); }, [&g] { g(); });
}

} // namespace skerry::inline SKERRY_ABI::detail
