// SPDX-License-Identifier: Apache-2.0

#include <cstdarg>
#include <cstdio>
#include <exception>
#include <string>

#include <event_machine/api/event_machine_error.h>
#include <event_machine/helper/event_machine_helper.h>

#include "base/panic.hpp"
#include "frontend/event/event_log.hpp"
#include "frontend/event/event_machine.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constinit machine::atomic<em_error_handler_t> global_handler{nullptr};

em_status_t print(em_status_t error, em_escope_t scope, va_list args) noexcept {
    char text[440];
    static_cast<void>(em_error_format_string(text, sizeof text, EM_EO_UNDEF, error, scope, args));
    char line[480];
    std::snprintf(line, sizeof line, "skerry: %s\n", text);
    log_events(EM_LOG_ERR, line);
    return error;
}

em_status_t handle(em_status_t error, em_escope_t scope, va_list args) noexcept {
    const execution_object* const eo = this_event_thread.inside;
    em_error_handler_t handler = eo != nullptr ? eo->on_error.load(memory_order::acquire) : nullptr;
    if (handler == nullptr) {
        handler = global_handler.load(memory_order::acquire);
    }
    const em_status_t result = handler != nullptr
                                   ? handler(eo != nullptr ? eo->handle : EM_EO_UNDEF, error, scope, args)
                                   : print(error, scope, args);
    if (result != EM_ERROR && EM_ERROR_IS_FATAL(result)) {
        fatal("an error handler of the event machine says that error ", result, " is fatal");
    }
    return result;
}

} // namespace

em_status_t event_error(em_status_t error, em_escope_t scope, ...) noexcept {
    va_list args;
    va_start(args, scope);
    const em_status_t result = handle(error, scope, args);
    va_end(args);
    return result;
}

em_status_t event_error_of_program(em_status_t error, em_escope_t scope, va_list args) noexcept {
    return handle(error, scope, args);
}

void handle_event_errors(em_error_handler_t handler) noexcept { global_handler.store(handler, memory_order::release); }

void tell_callback_thrown() noexcept {
    try {
        throw;
    } catch (const std::exception& e) {
        static_cast<void>(event_error(EM_ERR_LIB_FAILED, EM_ESCOPE_DISPATCH,
                                      "event machine: a callback or hook has thrown: %s", e.what()));
    } catch (...) {
        static_cast<void>(event_error(EM_ERR_LIB_FAILED, EM_ESCOPE_DISPATCH,
                                      "event machine: a callback or hook has thrown what is no std::exception"));
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
