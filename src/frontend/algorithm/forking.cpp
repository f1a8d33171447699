// SPDX-License-Identifier: Apache-2.0

#include <exception>
#include <optional>

#include <skerry/detail/frontend/algorithm/fold.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/sched/join.hpp>
#include <skerry/detail/sched/named_section.hpp>

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// For a loop of a thread without a slot. With one worker it runs in place and would take none, so a watchdog would not
// see it; where there is one, it takes a slot first, if it can: a loop that needs one says why there is none.
class seen_loop {
  public:
    seen_loop() noexcept {
        // relaxed: it says nothing about other memory
        if (current_page == nullptr && sections_wanted.load(memory_order::relaxed) != sections::unwanted) {
            try {
                region_.emplace();
            } catch (const std::exception&) {
                return;
            }
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
