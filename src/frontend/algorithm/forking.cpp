// SPDX-License-Identifier: Apache-2.0

#include <optional>

#include <skerry/detail/frontend/algorithm/fold.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/sched/join.hpp>
#include <skerry/detail/sched/named_section.hpp>

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// For a loop of a thread without a slot. With one worker it runs in place and would take none, so a watchdog would not
// see it; where there is one, it takes a slot first.
class seen_loop {
  public:
    // Errors: as region_guard.
    seen_loop() {
        // relaxed: it says nothing about other memory
        if (current_page == nullptr && sections_wanted.load(memory_order::relaxed) != sections::unwanted) {
            region_.emplace();
        }
    }

  private:
    std::optional<region_guard> region_;
};

} // namespace

void run_automatically(const run_call& run, std::uint64_t count) {
    const seen_loop seen;
    run_cut<forking>(run, count);
}

void fold_automatically(folded& sum, std::uint64_t count) {
    const seen_loop seen;
    fold_cut<forking>(sum, count);
}

void run_both(const function_ref<>& f, const function_ref<>& g) {
    fork_both([&f] { f(); }, [&g] { g(); });
}

} // namespace skerry::inline SKERRY_ABI::detail
