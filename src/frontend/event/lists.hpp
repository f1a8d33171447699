// SPDX-License-Identifier: Apache-2.0
#pragma once

// How names are given back and found, and how a thread goes through what there is. Thread safety: any thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// As much as there is room for; returns how many characters.
template <std::size_t N>
std::size_t give_name(const std::array<char, N>& name, char* to, std::size_t room) noexcept {
    const std::size_t n = std::min(std::strlen(name.data()), room - 1);
    std::memcpy(to, name.data(), n);
    to[n] = '\0';
    return n;
}

// For the functions ..._get_name(): `with` is with_queue() or one like it. 0: an error, or no name.
template <class With, class Handle>
std::size_t name_of(const char* function, em_escope_t scope, Handle handle, char* name, std::size_t maxlen,
                    With&& with) noexcept {
    if (name == nullptr || maxlen == 0) {
        static_cast<void>(refuse_call(EM_ERR_BAD_POINTER, scope, "%s: no room for a name", function));
        return 0;
    }
    *name = '\0';
    std::size_t n = 0;
    static_cast<void>(with(function, scope, handle, [&](event_machine&, const auto& one) -> em_status_t {
        n = give_name(one.name, name, maxlen);
        return EM_OK;
    }));
    return n;
}

// The first of that name, whose handle is the null one if there is none. An empty name is nobody's.
template <class Handle, class T>
Handle find_named(const char* function, em_escope_t scope, const char* name,
                  const handle_table<T>& (event_machine::*table)() const noexcept) noexcept {
    Handle found = nullptr;
    static_cast<void>(with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        if (name != nullptr && *name != '\0') {
            em.locked([&] {
                (em.*table)().each([&](const T& one) {
                    if (found == nullptr && std::strcmp(one.name.data(), name) == 0) {
                        found = one.handle;
                    }
                });
            });
        }
        return EM_OK;
    }));
    return found;
}

// The one with the lowest handle above that one, and how many there are.
template <class Handle, class T>
Handle next_in(const char* function, em_escope_t scope, Handle after, unsigned* count,
               const handle_table<T>& (event_machine::*table)() const noexcept) noexcept {
    Handle next = nullptr;
    std::size_t n = 0;
    static_cast<void>(with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        em.locked([&] {
            const T* const one = (em.*table)().after(number_of(after));
            next = one != nullptr ? one->handle : nullptr;
            n = (em.*table)().count();
        });
        return EM_OK;
    }));
    if (count != nullptr) {
        *count = static_cast<unsigned>(n);
    }
    return next;
}

// The queue behind that one in the list that list_of(queue) says it is in; null: it is in none any more, or the last.
template <class ListOf>
em_queue_t next_queue(const char* function, em_escope_t scope, em_queue_t after, ListOf&& list_of) noexcept {
    em_queue_t next = EM_QUEUE_UNDEF;
    static_cast<void>(with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        em.locked([&] {
            if (const event_queue* const q = em.queue(after)) {
                if (const auto* const in = list_of(*q)) {
                    const event_queue* const behind = in->after(*q);
                    next = behind != nullptr ? behind->handle : EM_QUEUE_UNDEF;
                }
            }
        });
        return EM_OK;
    }));
    return next;
}

// For the functions ..._queue_get_first(): the first of the queues of what the handle stands for, and how many there
// are. `with` is with_object() or one like it.
template <class With, class Handle>
em_queue_t first_queue(const char* function, em_escope_t scope, Handle handle, unsigned* count, With&& with) noexcept {
    em_queue_t first = EM_QUEUE_UNDEF;
    std::size_t n = 0;
    static_cast<void>(with(function, scope, handle, [&](event_machine& em, const auto& of) -> em_status_t {
        em.locked([&] {
            n = of.queues.size();
            first = of.queues.empty() ? EM_QUEUE_UNDEF : of.queues.first()->handle;
        });
        return EM_OK;
    }));
    if (count != nullptr) {
        *count = static_cast<unsigned>(n);
    }
    return first;
}

} // namespace skerry::inline SKERRY_ABI::detail
