/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_VERSION_H_
#define EVENT_MACHINE_VERSION_H_

/* The version of the interface: em-odp's, whose names, types and values these headers have. Skerry's own is in
 * <skerry/version.hpp>. EM_ODP is not defined, as there is no ODP below. */

#include <event_machine/platform/event_machine_config.h>

EM_BEGIN_DECLS

#define EM_TARGET_STR "skerry"
#define EM_BUILD_INFO_STR "Skerry"

#define EM_VERSION_API_MAJOR 3
#define EM_VERSION_API_MINOR 8
#define EM_VERSION_IMPLEMENTATION 0
#define EM_VERSION_FIX 0
#define EM_API_VERSION_MAJOR EM_VERSION_API_MAJOR
#define EM_API_VERSION_MINOR EM_VERSION_API_MINOR

#define EM_VERSION_API_STR "3.8"
#define EM_VERSION_STR "3.8.0"

/* For comparisons: the parts in a byte each, the first one in the highest. */
#define EM_VERSION_API_NUM(api_maj, api_min) (((api_maj) & 0xffU) << 24 | ((api_min) & 0xffU) << 16)
#define EM_VERSION_NUM(api_maj, api_min, impl, fix)                                                                    \
    (EM_VERSION_API_NUM(api_maj, api_min) | ((impl) & 0xffU) << 8 | ((fix) & 0xffU))
#define EM_VERSION_API EM_VERSION_API_NUM(EM_VERSION_API_MAJOR, EM_VERSION_API_MINOR)
#define EM_VERSION EM_VERSION_NUM(EM_VERSION_API_MAJOR, EM_VERSION_API_MINOR, EM_VERSION_IMPLEMENTATION, EM_VERSION_FIX)

/* The same of the library that runs. */
EM_API const char* em_version_api_str(void);
EM_API unsigned int em_version_api_num(void);
EM_API const char* em_version_str(void);
EM_API unsigned int em_version_num(void);

EM_END_DECLS

#endif
