// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/event_log.hpp"

#include <cstdio>

#include <skerry/detail/sync/machine.hpp>

#include "base/port/process.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {
using plain_log_function = int (*)(em_log_level_t, const char*, ...); // em_log_func_t without its attribute
constinit machine::atomic<plain_log_function> log_function{nullptr};
} // namespace

void log_events_by(em_log_func_t function) noexcept { log_function.store(function, memory_order::release); }

void log_events(em_log_level_t level, const char* text) noexcept {
    if (const plain_log_function function = log_function.load(memory_order::acquire)) {
        static_cast<void>(function(level, "%s", text));
    } else if (level == EM_LOG_ERR) {
        port::write_stderr(text);
    } else {
        static_cast<void>(std::fputs(text, stdout));
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
