// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for atomic groups.

#include <memory>
#include <utility>

#include "frontend/event/create_queue.hpp"
#include "frontend/event/kept_name.hpp"
#include "frontend/event/lists.hpp"
#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

namespace {

constexpr auto any_atomics = [](auto... given) { return with_atomics(given...); };

// f(what a queue of that group shall be).
template <class F>
em_status_t create_in(const char* function, em_escope_t scope, const char* name, em_queue_prio_t prio,
                      em_atomic_group_t group, const em_queue_conf_t* conf, em_queue_t handle, F&& f) noexcept {
    return with_atomics(function, scope, group, [&](event_machine&, atomic_group& a) -> em_status_t {
        return f(queue_wanted{.function = function,
                              .scope = scope,
                              .name = name,
                              .type = EM_QUEUE_TYPE_ATOMIC,
                              .prio = prio,
                              .group = a.group->handle,
                              .conf = conf,
                              .handle = handle,
                              .atomics = &a});
    });
}

} // namespace

em_atomic_group_t em_atomic_group_create(const char* name, em_queue_group_t queue_group) {
    constexpr em_escope_t scope = EM_ESCOPE_ATOMIC_GROUP_CREATE;
    em_atomic_group_t made = EM_ATOMIC_GROUP_UNDEF;
    static_cast<void>(
        with_group("em_atomic_group_create", scope, queue_group, [&](event_machine& em, auto& g) -> em_status_t {
            auto a = std::make_unique<atomic_group>(g);
            keep_name(a->name, name);
            made = em.add_atomics(std::move(a));
            return made != EM_ATOMIC_GROUP_UNDEF ? em_status_t{EM_OK}
                                                 : refuse_call(EM_ERR_ALLOC_FAILED, scope,
                                                               "em_atomic_group_create: there are %zu atomic groups "
                                                               "already",
                                                               event_machine::most_atomics);
        }));
    return made;
}

em_status_t em_atomic_group_delete(em_atomic_group_t group) {
    constexpr em_escope_t scope = EM_ESCOPE_ATOMIC_GROUP_DELETE;
    return with_atomics("em_atomic_group_delete", scope, group, [&](event_machine& em, atomic_group& a) -> em_status_t {
        return em.delete_atomics(a)
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_BAD_STATE, scope, "em_atomic_group_delete: the atomic group has queues");
    });
}

em_queue_t em_queue_create_ag(const char* name, em_queue_prio_t prio, em_atomic_group_t group,
                              const em_queue_conf_t* conf) {
    em_queue_t made = EM_QUEUE_UNDEF;
    static_cast<void>(create_in("em_queue_create_ag", EM_ESCOPE_QUEUE_CREATE_AG, name, prio, group, conf,
                                EM_QUEUE_UNDEF, [&](const queue_wanted& w) { return create_queue(w, made); }));
    return made;
}

em_status_t em_queue_create_static_ag(const char* name, em_queue_prio_t prio, em_atomic_group_t group, em_queue_t queue,
                                      const em_queue_conf_t* conf) {
    return create_in("em_queue_create_static_ag", EM_ESCOPE_QUEUE_CREATE_STATIC_AG, name, prio, group, conf, queue,
                     create_static_queue);
}

em_atomic_group_t em_atomic_group_get(em_queue_t queue) {
    em_atomic_group_t found = EM_ATOMIC_GROUP_UNDEF;
    static_cast<void>(with_queue("em_atomic_group_get", EM_ESCOPE_ATOMIC_GROUP_GET, queue,
                                 [&](event_machine&, const event_queue& q) -> em_status_t {
                                     found = q.atomics != nullptr ? q.atomics->handle : EM_ATOMIC_GROUP_UNDEF;
                                     return EM_OK;
                                 }));
    return found;
}

std::size_t em_atomic_group_get_name(em_atomic_group_t group, char* name, std::size_t maxlen) {
    return name_of("em_atomic_group_get_name", EM_ESCOPE_ATOMIC_GROUP_GET_NAME, group, name, maxlen, any_atomics);
}

em_atomic_group_t em_atomic_group_find(const char* name) {
    return find_named<em_atomic_group_t>("em_atomic_group_find", EM_ESCOPE_ATOMIC_GROUP_FIND, name,
                                         &event_machine::all_atomics);
}

em_atomic_group_t em_atomic_group_get_first(unsigned* num) {
    return this_event_thread.at.atomics = next_in("em_atomic_group_get_first", EM_ESCOPE_ATOMIC_GROUP_GET_FIRST,
                                                  EM_ATOMIC_GROUP_UNDEF, num, &event_machine::all_atomics);
}

em_atomic_group_t em_atomic_group_get_next() {
    em_atomic_group_t& at = this_event_thread.at.atomics;
    return at = at == EM_ATOMIC_GROUP_UNDEF ? at
                                            : next_in("em_atomic_group_get_next", EM_ESCOPE_ATOMIC_GROUP_GET_NEXT, at,
                                                      nullptr, &event_machine::all_atomics);
}

em_queue_t em_atomic_group_queue_get_first(unsigned* num, em_atomic_group_t group) {
    return this_event_thread.at.of_atomics = first_queue(
               "em_atomic_group_queue_get_first", EM_ESCOPE_ATOMIC_GROUP_QUEUE_GET_FIRST, group, num, any_atomics);
}

em_queue_t em_atomic_group_queue_get_next() {
    em_queue_t& at = this_event_thread.at.of_atomics;
    return at = at == EM_QUEUE_UNDEF ? at
                                     : next_queue("em_atomic_group_queue_get_next",
                                                  EM_ESCOPE_ATOMIC_GROUP_QUEUE_GET_NEXT, at, [](const event_queue& q) {
                                                      return q.atomics != nullptr ? &q.atomics->queues : nullptr;
                                                  });
}
