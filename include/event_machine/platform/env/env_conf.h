/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENV_CONF_H_
#define ENV_CONF_H_

/* What a program of em-odp gives its compiler as a macro; here nobody needs to. */
#if !defined(ENV_64_BIT) && !defined(ENV_32_BIT)
#define ENV_64_BIT
#endif

#endif
