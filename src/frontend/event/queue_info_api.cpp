// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h that say what queues are.

#include "frontend/event/lists.hpp"
#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

namespace {

// f(queue), or `none` and the error.
template <class T, class F>
T of_queue(const char* function, em_escope_t scope, em_queue_t queue, T none, F&& f) noexcept {
    static_cast<void>(with_queue(function, scope, queue, [&](event_machine&, const event_queue& q) -> em_status_t {
        none = f(q);
        return EM_OK;
    }));
    return none;
}

constexpr auto any_queue = [](auto... given) { return with_queue(given...); };

} // namespace

std::size_t em_queue_get_name(em_queue_t queue, char* name, std::size_t maxlen) {
    return name_of("em_queue_get_name", EM_ESCOPE_QUEUE_GET_NAME, queue, name, maxlen, any_queue);
}

em_queue_t em_queue_find(const char* name) {
    return find_named<em_queue_t>("em_queue_find", EM_ESCOPE_QUEUE_FIND, name, &event_machine::queues);
}

em_queue_prio_t em_queue_get_priority(em_queue_t queue) {
    return of_queue("em_queue_get_priority", EM_ESCOPE_QUEUE_GET_PRIORITY, queue, em_queue_prio_t{EM_QUEUE_PRIO_UNDEF},
                    [](const event_queue& q) { return q.priority; });
}

em_queue_type_t em_queue_get_type(em_queue_t queue) {
    return of_queue("em_queue_get_type", EM_ESCOPE_QUEUE_GET_TYPE, queue, em_queue_type_t{EM_QUEUE_TYPE_UNDEF},
                    [](const event_queue& q) { return q.type; });
}

em_queue_group_t em_queue_get_group(em_queue_t queue) {
    return of_queue("em_queue_get_group", EM_ESCOPE_QUEUE_GET_GROUP, queue, EM_QUEUE_GROUP_UNDEF,
                    [](const event_queue& q) { return q.group != nullptr ? q.group->handle : EM_QUEUE_GROUP_UNDEF; });
}

int em_queue_get_index(em_queue_t queue) {
    return of_queue("em_queue_get_index", EM_ESCOPE_QUEUE_GET_INDEX, queue, -1,
                    [](const event_queue& q) { return static_cast<int>(number_of(q.handle)) - 1; });
}

int em_queue_get_num_prio(int* num_runtime) {
    if (num_runtime != nullptr) {
        *num_runtime = EM_QUEUE_PRIO_NUM;
    }
    return EM_QUEUE_PRIO_NUM;
}

em_queue_t em_queue_current() {
    const event_queue* const q = this_event_thread.queue;
    return q != nullptr ? q->handle : EM_QUEUE_UNDEF;
}

em_queue_t em_queue_get_first(unsigned* num) {
    return this_event_thread.at.queue =
               next_in("em_queue_get_first", EM_ESCOPE_QUEUE_GET_FIRST, EM_QUEUE_UNDEF, num, &event_machine::queues);
}

em_queue_t em_queue_get_next() {
    em_queue_t& at = this_event_thread.at.queue;
    return at = at == EM_QUEUE_UNDEF
                    ? at
                    : next_in("em_queue_get_next", EM_ESCOPE_QUEUE_GET_NEXT, at, nullptr, &event_machine::queues);
}
