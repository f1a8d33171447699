// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "functions.hpp"

namespace skerry::test {

namespace {

em_queue_t last_static() { return EM_REINTERPRET_CAST(em_queue_t, EM_QUEUE_STATIC_MAX); }
em_queue_t in_atomics(const full_core& c) { return em_queue_create_ag("of", EM_QUEUE_PRIO_NORMAL, c.atomics, nullptr); }

const right_calls all = {
    {"em_queue_create", [](full_core&) { return make_queue(EM_QUEUE_TYPE_ATOMIC) != EM_QUEUE_UNDEF; }},
    {"em_queue_create_static",
     [](full_core&) {
         const em_queue_t wanted = last_static();
         return em_queue_create_static("static", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT,
                                       wanted, nullptr) == EM_OK;
     }},
    {"em_queue_create_ag",
     [](full_core& c) { return em_queue_create_ag("of", EM_QUEUE_PRIO_NORMAL, c.atomics, nullptr) != EM_QUEUE_UNDEF; }},
    {"em_queue_create_static_ag",
     [](full_core& c) {
         return em_queue_create_static_ag("of", EM_QUEUE_PRIO_NORMAL, c.atomics, last_static(), nullptr) == EM_OK;
     }},
    {"em_queue_delete",
     [](full_core& c) {
         return em_queue_delete(c.spare_queue) == EM_OK &&
                gone_through(em_queue_get_first(nullptr), em_queue_get_next).size() == 2;
     }},
    {"em_queue_set_context",
     [](full_core& c) {
         return em_queue_set_context(c.here.queue, &c) == EM_OK && em_queue_get_context(c.here.queue) == &c;
     }},
    {"em_queue_get_context", [](full_core& c) { return em_queue_get_context(c.here.queue) == nullptr; }},
    {"em_queue_get_name", [](full_core& c) { return name_of(em_queue_get_name, c.here.queue) == "queue"; }},
    {"em_queue_find", [](full_core& c) { return em_queue_find("queue") == c.here.queue; }},
    {"em_queue_get_priority", [](full_core& c) { return em_queue_get_priority(c.here.queue) == EM_QUEUE_PRIO_NORMAL; }},
    {"em_queue_get_type", [](full_core& c) { return em_queue_get_type(c.here.queue) == EM_QUEUE_TYPE_ATOMIC; }},
    {"em_queue_get_group", [](full_core& c) { return em_queue_get_group(c.here.queue) == EM_QUEUE_GROUP_DEFAULT; }},
    {"em_queue_dequeue",
     [](full_core& c) {
         send_value(4, c.unscheduled);
         return free_value(em_queue_dequeue(c.unscheduled)) == 4;
     }},
    {"em_queue_dequeue_multi",
     [](full_core& c) {
         send_value(4, c.unscheduled);
         em_event_t e = EM_EVENT_UNDEF;
         return em_queue_dequeue_multi(c.unscheduled, &e, 1) == 1 && free_value(e) == 4;
     }},
    {"em_queue_current",
     [](full_core& c) { return received(c, [&](em_event_t) { return em_queue_current() == c.here.queue; }); }},
    {"em_queue_get_first",
     [](full_core& c) {
         unsigned count = 0;
         return em_queue_get_first(&count) == c.here.queue && count == 3;
     }},
    {"em_queue_get_next",
     [](full_core& c) {
         static_cast<void>(em_queue_get_first(nullptr));
         return em_queue_get_next() == c.spare_queue;
     }},
    {"em_queue_get_index",
     [](full_core& c) { return em_queue_get_index(c.here.queue) != em_queue_get_index(c.spare_queue); }},
    {"em_queue_get_num_prio",
     [](full_core&) {
         int runtime = 0;
         return em_queue_get_num_prio(&runtime) == 8 && runtime == 8;
     }},
    {"em_atomic_group_create",
     [](full_core&) { return em_atomic_group_create("more", EM_QUEUE_GROUP_DEFAULT) != EM_ATOMIC_GROUP_UNDEF; }},
    {"em_atomic_group_delete", [](full_core& c) { return em_atomic_group_delete(c.atomics) == EM_OK; }},
    {"em_atomic_group_get", [](full_core& c) { return em_atomic_group_get(in_atomics(c)) == c.atomics; }},
    {"em_atomic_group_get_name",
     [](full_core& c) { return name_of(em_atomic_group_get_name, c.atomics) == "atomics"; }},
    {"em_atomic_group_find", [](full_core& c) { return em_atomic_group_find("atomics") == c.atomics; }},
    {"em_atomic_group_get_first",
     [](full_core& c) {
         unsigned count = 0;
         return em_atomic_group_get_first(&count) == c.atomics && count == 1;
     }},
    {"em_atomic_group_get_next",
     [](full_core& c) {
         return gone_through(em_atomic_group_get_first(nullptr), em_atomic_group_get_next) == std::vector{c.atomics};
     }},
    {"em_atomic_group_queue_get_first",
     [](full_core& c) {
         const em_queue_t q = in_atomics(c);
         unsigned count = 0;
         return em_atomic_group_queue_get_first(&count, c.atomics) == q && count == 1;
     }},
    {"em_atomic_group_queue_get_next",
     [](full_core& c) {
         const em_queue_t q = in_atomics(c);
         return gone_through(em_atomic_group_queue_get_first(nullptr, c.atomics), em_atomic_group_queue_get_next) ==
                std::vector{q};
     }},
    {"em_queue_group_create",
     [](full_core& c) {
         told notice(c);
         const em_core_mask_t mask = mask_of(1);
         return em_queue_group_create("more", &mask, 1, &notice.then) != EM_QUEUE_GROUP_UNDEF && notice.comes();
     }},
    {"em_queue_group_create_sync",
     [](full_core&) {
         const em_core_mask_t mask = mask_of(1);
         return em_queue_group_create_sync("more", &mask) != EM_QUEUE_GROUP_UNDEF;
     }},
    {"em_queue_group_delete",
     [](full_core& c) {
         told notice(c);
         return em_queue_group_delete(c.cores, 1, &notice.then) == EM_OK && notice.comes();
     }},
    {"em_queue_group_delete_sync", [](full_core& c) { return em_queue_group_delete_sync(c.cores) == EM_OK; }},
    {"em_queue_group_modify",
     [](full_core& c) {
         told notice(c);
         const em_core_mask_t mask = mask_of(0);
         return em_queue_group_modify(c.cores, &mask, 1, &notice.then) == EM_OK && notice.comes();
     }},
    {"em_queue_group_modify_sync",
     [](full_core& c) {
         const em_core_mask_t mask = mask_of(0);
         em_core_mask_t now = mask_of(1);
         return em_queue_group_modify_sync(c.cores, &mask) == EM_OK &&
                em_queue_group_get_mask(c.cores, &now) == EM_OK && now.bits == 0;
     }},
    {"em_queue_group_find", [](full_core& c) { return em_queue_group_find("cores") == c.cores; }},
    {"em_queue_group_get_mask",
     [](full_core& c) {
         em_core_mask_t now{};
         return em_queue_group_get_mask(c.cores, &now) == EM_OK && now.bits == 1;
     }},
    {"em_queue_group_get_name", [](full_core& c) { return name_of(em_queue_group_get_name, c.cores) == "cores"; }},
    {"em_queue_group_get_first",
     [](full_core& c) {
         unsigned count = 0;
         return em_queue_group_get_first(&count) == c.cores && count == 2;
     }},
    {"em_queue_group_get_next",
     [](full_core& c) {
         return gone_through(em_queue_group_get_first(nullptr), em_queue_group_get_next) ==
                std::vector{c.cores, EM_QUEUE_GROUP_DEFAULT};
     }},
    {"em_queue_group_queue_get_first",
     [](full_core& c) {
         unsigned count = 0;
         return em_queue_group_queue_get_first(&count, EM_QUEUE_GROUP_DEFAULT) == c.here.queue && count == 2;
     }},
    {"em_queue_group_queue_get_next",
     [](full_core& c) {
         static_cast<void>(em_queue_group_queue_get_first(nullptr, EM_QUEUE_GROUP_DEFAULT));
         return em_queue_group_queue_get_next() == c.spare_queue;
     }},
};

} // namespace

const right_calls& calls_of_queues() { return all; }

} // namespace skerry::test
