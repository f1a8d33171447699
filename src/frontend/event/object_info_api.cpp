// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h that say what execution objects are.

#include "frontend/event/lists.hpp"
#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

namespace {

constexpr auto any_object = [](auto... given) { return with_object(given...); };

} // namespace

std::size_t em_eo_get_name(em_eo_t eo, char* name, std::size_t maxlen) {
    return name_of("em_eo_get_name", EM_ESCOPE_EO_GET_NAME, eo, name, maxlen, any_object);
}

em_eo_t em_eo_find(const char* name) {
    return find_named<em_eo_t>("em_eo_find", EM_ESCOPE_EO_FIND, name, &event_machine::objects);
}

em_eo_t em_eo_current() {
    const execution_object* const eo = this_event_thread.inside;
    return eo != nullptr ? eo->handle : EM_EO_UNDEF;
}

void* em_eo_get_context(em_eo_t handle) {
    void* context = nullptr;
    static_cast<void>(with_object("em_eo_get_context", EM_ESCOPE_EO_GET_CONTEXT, handle,
                                  [&](event_machine&, const execution_object& eo) -> em_status_t {
                                      context = eo.context;
                                      return EM_OK;
                                  }));
    return context;
}

em_eo_state_t em_eo_get_state(em_eo_t handle) {
    em_eo_state_t state = EM_EO_STATE_UNDEF;
    static_cast<void>(with_object("em_eo_get_state", EM_ESCOPE_EO_GET_STATE, handle,
                                  [&](event_machine& em, execution_object& eo) -> em_status_t {
                                      state = em.state_of(eo);
                                      return EM_OK;
                                  }));
    return state;
}

em_eo_t em_eo_get_first(unsigned* num) {
    return this_event_thread.at.object =
               next_in("em_eo_get_first", EM_ESCOPE_EO_GET_FIRST, EM_EO_UNDEF, num, &event_machine::objects);
}

em_eo_t em_eo_get_next() {
    em_eo_t& at = this_event_thread.at.object;
    return at = at == EM_EO_UNDEF
                    ? at
                    : next_in("em_eo_get_next", EM_ESCOPE_EO_GET_NEXT, at, nullptr, &event_machine::objects);
}

em_queue_t em_eo_queue_get_first(unsigned* num, em_eo_t handle) {
    return this_event_thread.at.of_object =
               first_queue("em_eo_queue_get_first", EM_ESCOPE_EO_QUEUE_GET_FIRST, handle, num, any_object);
}

em_queue_t em_eo_queue_get_next() {
    em_queue_t& at = this_event_thread.at.of_object;
    return at = at == EM_QUEUE_UNDEF
                    ? at
                    : next_queue("em_eo_queue_get_next", EM_ESCOPE_EO_QUEUE_GET_NEXT, at,
                                 [](const event_queue& q) { return q.owner != nullptr ? &q.owner->queues : nullptr; });
}
