// SPDX-License-Identifier: Apache-2.0

// What every fork reads and writes, as programs know it that are compiled already: the line of its worker and the head
// of its task. To change a number here is to change the binary interface: from the first release on,
// SKERRY_LAYOUT_VERSION (CMakeLists.txt) and SKERRY_ABI change with it. The compiler holds all of it; there is nothing
// to run.

#include <cstddef>

#include <skerry/detail/core/task_header.hpp>
#include <skerry/detail/core/worker_page.hpp>

namespace {

using skerry::detail::nesting_shift;
using skerry::detail::task_header;
using skerry::detail::worker_page;

template <class Field>
struct word {
    Field field;
};
template <class Field>
constexpr bool is_word = sizeof(word<Field>) == 8 && alignof(word<Field>) == 8;

static_assert(sizeof(worker_page) == 64 && alignof(worker_page) == 64);
static_assert(is_word<decltype(worker_page::bottom)>);
static_assert(is_word<decltype(worker_page::limit)>);
static_assert(is_word<decltype(worker_page::split)>);
static_assert(is_word<decltype(worker_page::ctx)>);
static_assert(is_word<decltype(worker_page::nesting)>);

// The page has fields of its own and of its base, so that only GCC and Clang promise what offsetof says of it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
static_assert(offsetof(worker_page, bottom) == 0);
static_assert(offsetof(worker_page, limit) == 8);
static_assert(offsetof(worker_page, split) == 16);
static_assert(offsetof(worker_page, ctx) == 24);
static_assert(offsetof(worker_page, nesting) == 32);
#pragma GCC diagnostic pop

static_assert(sizeof(task_header) == 40 && alignof(task_header) == 8);
static_assert(offsetof(task_header, run) == 0);
static_assert(offsetof(task_header, ctx) == 8);
static_assert(offsetof(task_header, joined) == 16);
static_assert(offsetof(task_header, index) == 24);
static_assert(offsetof(task_header, base) == 32);
static_assert(nesting_shift == 48);

} // namespace
