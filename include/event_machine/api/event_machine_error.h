/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_ERROR_H_
#define EVENT_MACHINE_ERROR_H_

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* `eo`: the execution object whose function the calling thread runs, or EM_EO_UNDEF. `args`: of an error of the event
 * machine a format of printf() and its values. What it returns, the function returns that has failed; EM_OK if it
 * failed no more; with EM_ERROR_FATAL_MASK the process ends. */
typedef em_status_t (*em_error_handler_t)(em_eo_t eo, em_status_t error, em_escope_t escope, va_list args);

/* The handler of errors outside of execution objects and of those that have none of their own. Without one, errors are
 * printed to standard error. */
EM_API em_status_t em_register_error_handler(em_error_handler_t handler);
EM_API em_status_t em_unregister_error_handler(void);

/* Calls the handler for an error of the program. */
EM_API void em_error(em_status_t error, em_escope_t escope, ...);

EM_END_DECLS

#endif
