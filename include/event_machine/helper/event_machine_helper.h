/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_HELPER_H_
#define EVENT_MACHINE_HELPER_H_

/* For programs that print, and for those that speak of processors. event_machine.h does not include it. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* In a handler of errors: writes the error as text into `str`, with an end, as much as fits in `size`. `args`: as the
 * handler gets them; they are not looked at for an error of the program, whose arguments only the program knows. The
 * length of what it has written. */
EM_API int em_error_format_string(char* str, size_t size, em_eo_t eo, em_status_t error, em_escope_t escope,
                                  va_list args);

/* To standard output, or to the log function of em_conf_t. */
EM_API void em_version_print(void);
EM_API void em_info_print(void);

/* The processor that em_conf_t names for the core: the one of that rank in phys_mask; -1: no core has that number. No
 * thread is pinned to it. */
EM_API int em_core_id_get_physical(int core);
/* Those of all cores in `logic`. */
EM_API void em_core_mask_get_physical(em_core_mask_t* phys, const em_core_mask_t* logic);

EM_END_DECLS

#endif
