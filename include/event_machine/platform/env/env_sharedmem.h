/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENV_SHAREDMEM_H_
#define ENV_SHAREDMEM_H_

/* Memory that all cores see. They are threads of one process, so it is that process's alone. It begins at a cache
 * line, and is zero. */

#include <event_machine/platform/env/env_macros.h>

#include <stddef.h>

EM_BEGIN_DECLS

/* Bytes of a name, the end included. */
#define ENV_SHARED_NAMESIZE 32

/* Null: there is no memory, or something of that name already, or the name is empty or too long. */
EM_API void* env_shared_reserve(const char* name, size_t size);
/* Null: nothing has that name. */
EM_API void* env_shared_lookup(const char* name);
/* Null: there is no memory. */
EM_API void* env_shared_malloc(size_t size);
/* What one of them has returned, or null. */
EM_API void env_shared_free(void* buf);

EM_END_DECLS

#endif
