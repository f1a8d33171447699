// SPDX-License-Identifier: Apache-2.0
// The work of the events in a plain loop.
#include "events/events.hpp"

namespace bench::events {

namespace {

result measure(const settings& how) {
    result got{"cycles/event", {}, {}};
    std::uint64_t value = 1;
    for (unsigned i = 0; i < how.repetitions; ++i) {
        how.meet();
        const std::uint64_t begin = cycles();
        for (std::uint64_t n = 0; n < work_window; ++n) {
            value = work(value);
        }
        got.samples.push_back(static_cast<double>(cycles() - begin) / static_cast<double>(work_window));
    }
    keep(value);
    return got;
}

} // namespace

workload measured() { return {"events", {"work"}, 1, measure, "cycles/event"}; }

} // namespace bench::events
