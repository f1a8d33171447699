// SPDX-License-Identifier: Apache-2.0

// Destructors of thread-local variables. The C library would keep them in thread-local storage of its own, of which
// each simulated core has a copy that nobody looks into at the end.

#include "sim/core.hpp"

// NOLINTNEXTLINE(readability-identifier-naming, bugprone-reserved-identifier): the C library's name
extern "C" int __cxa_thread_atexit_impl(void (*)(void*), void*, void*);

// NOLINTNEXTLINE(bugprone-reserved-identifier): the compilers' name
extern "C" int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* library) {
    using namespace skerry_sim::detail;
    if (current == nullptr) {
        return __cxa_thread_atexit_impl(destructor, object, library);
    }
    core& c = static_cast<core&>(*current);
    const host_section host;
    c.at_exit.push_back({destructor, object});
    return 0;
}
