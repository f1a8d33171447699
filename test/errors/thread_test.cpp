// SPDX-License-Identifier: Apache-2.0

// Threads that the system refuses, for reasons that a healthy machine does not have: the linker puts the functions
// below between the library and the C library.

#include <cerrno>
#include <new>
#include <string>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <skerry/runtime.hpp>

#include "base/port/memory.hpp"

namespace {

enum class refusal { none, attributes, stack, affinity, thread };
refusal wanted = refusal::none;

} // namespace

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names
int __real_pthread_attr_init(pthread_attr_t*);
int __real_pthread_attr_setstack(pthread_attr_t*, void*, size_t);
int __real_pthread_attr_setaffinity_np(pthread_attr_t*, size_t, const cpu_set_t*);
int __real_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

int __wrap_pthread_attr_init(pthread_attr_t* a) {
    return wanted == refusal::attributes ? ENOMEM : __real_pthread_attr_init(a);
}
int __wrap_pthread_attr_setstack(pthread_attr_t* a, void* stack, size_t size) {
    return wanted == refusal::stack ? EINVAL : __real_pthread_attr_setstack(a, stack, size);
}
int __wrap_pthread_attr_setaffinity_np(pthread_attr_t* a, size_t size, const cpu_set_t* set) {
    return wanted == refusal::affinity ? ENOMEM : __real_pthread_attr_setaffinity_np(a, size, set);
}
int __wrap_pthread_create(pthread_t* t, const pthread_attr_t* a, void* (*body)(void*), void* argument) {
    return wanted == refusal::thread ? EPERM : __real_pthread_create(t, a, body, argument);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Two pinned workers, one of which is a thread.
skerry::options pinned() {
    skerry::options o;
    o.workers = 2;
    o.pin = true;
    o.stack_size = std::size_t{256} << 10;
    return o;
}

// A runtime while the system refuses.
void expect_message(refusal r, const char* message) {
    const skerry::options o = pinned();
    wanted = r;
    EXPECT_THAT([&] { const skerry::runtime rt(o); }, ThrowsMessage<std::system_error>(HasSubstr(message)));
    wanted = refusal::none;
    const skerry::runtime rt(o); // nothing was left behind
}

TEST(Thread, NoMemoryForItsAttributes) {
    expect_message(refusal::attributes, "skerry: cannot start skerry worker 0: no memory");
    expect_message(refusal::affinity, "skerry: cannot start skerry worker 0: no memory");
}

TEST(Thread, NoMemoryForItsStack) {
    std::string said;
    for (int before = 0; said.empty() && before < 20; ++before) { // the slots of workers are made before
        skerry::port::fail_memory_after(before);
        try {
            const skerry::runtime rt(pinned());
        } catch (const std::system_error& e) {
            said = e.what();
        } catch (const std::bad_alloc&) { // a deque's slots
        }
        skerry::port::fail_memory_after(-1);
    }
    EXPECT_THAT(said, HasSubstr("skerry: cannot start skerry worker 0: no memory for a stack of "));
    EXPECT_THAT(said,
                HasSubstr(" KiB; lower options::stack_size (SKERRY_STACK_SIZE) or options::workers (SKERRY_WORKERS)"));
    const skerry::runtime rt(pinned()); // nothing was left behind
}

TEST(Thread, AStackThatTheSystemRefuses) {
    expect_message(refusal::stack, "skerry: cannot start skerry worker 0: the system refuses a stack of ");
    expect_message(refusal::stack, " KiB; change options::stack_size or SKERRY_STACK_SIZE");
}

TEST(Thread, RefusedForAnotherReason) {
    expect_message(refusal::thread, "skerry: cannot start skerry worker 0: the system refuses it");
}

} // namespace
