// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for queue groups.

#include <memory>
#include <utility>
#include <vector>

#include "frontend/event/kept_name.hpp"
#include "frontend/event/lists.hpp"
#include "frontend/event/notices.hpp"
#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

namespace {

// EM_OK, or it has said what is wrong with the mask.
em_status_t check_mask(const char* function, em_escope_t scope, const event_machine& em,
                       const em_core_mask_t* mask) noexcept {
    if (mask == nullptr) {
        return refuse_call(EM_ERR_BAD_POINTER, scope, "%s: a null pointer", function);
    }
    return (mask->bits & ~em.all_cores()) == 0
               ? em_status_t{EM_OK}
               : refuse_call(EM_ERR_BAD_ARG, scope, "%s: the mask has cores beyond the %d that there are", function,
                             em.core_count());
}

em_queue_group_t create(const char* function, em_escope_t scope, const char* name, const em_core_mask_t* mask,
                        int num_notif, const em_notif_t* table) noexcept {
    em_queue_group_t made = EM_QUEUE_GROUP_UNDEF;
    static_cast<void>(with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        em_status_t status = check_mask(function, scope, em, mask);
        std::vector<notice> then;
        if (status != EM_OK || !copy_notices(function, scope, num_notif, table, then, status)) {
            return status;
        }
        auto g = std::make_unique<queue_group>();
        g->mask = g->shown = mask->bits;
        keep_name(g->name, name);
        made = em.add_group(std::move(g));
        if (made == EM_QUEUE_GROUP_UNDEF) {
            return refuse_call(EM_ERR_ALLOC_FAILED, scope, "%s: there are %zu queue groups already", function,
                               event_machine::most_groups);
        }
        send_notices(then);
        return EM_OK;
    }));
    return made;
}

em_status_t remove(const char* function, em_escope_t scope, em_queue_group_t group, int num_notif,
                   const em_notif_t* table) noexcept {
    return with_group(function, scope, group, [&](event_machine& em, queue_group& g) -> em_status_t {
        em_status_t status = EM_OK;
        std::vector<notice> then;
        if (!copy_notices(function, scope, num_notif, table, then, status)) {
            return status;
        }
        if (group == EM_QUEUE_GROUP_DEFAULT || !em.delete_group(g)) {
            return refuse_call(EM_ERR_BAD_STATE, scope,
                               "%s: the queue group is the default one, or has queues or atomic groups", function);
        }
        send_notices(then);
        return EM_OK;
    });
}

em_status_t modify(const char* function, em_escope_t scope, em_queue_group_t group, const em_core_mask_t* mask,
                   int num_notif, const em_notif_t* table, bool sync) noexcept {
    return with_group(function, scope, group, [&](event_machine& em, queue_group& g) -> em_status_t {
        em_status_t status = check_mask(function, scope, em, mask);
        std::vector<notice> then;
        if (status != EM_OK || !copy_notices(function, scope, num_notif, table, then, status) ||
            (sync && !may_wait(function, scope, status))) {
            return status;
        }
        em.modify_group(g, mask->bits, then);
        if (sync) {
            em.await_mask(g);
        }
        return EM_OK;
    });
}

constexpr auto any_group = [](auto... given) { return with_group(given...); };

} // namespace

em_queue_group_t em_queue_group_create(const char* name, const em_core_mask_t* mask, int num_notif,
                                       const em_notif_t notif_tbl[]) {
    return create("em_queue_group_create", EM_ESCOPE_QUEUE_GROUP_CREATE, name, mask, num_notif, notif_tbl);
}

em_queue_group_t em_queue_group_create_sync(const char* name, const em_core_mask_t* mask) {
    return create("em_queue_group_create_sync", EM_ESCOPE_QUEUE_GROUP_CREATE_SYNC, name, mask, 0, nullptr);
}

em_status_t em_queue_group_delete(em_queue_group_t queue_group, int num_notif, const em_notif_t notif_tbl[]) {
    return remove("em_queue_group_delete", EM_ESCOPE_QUEUE_GROUP_DELETE, queue_group, num_notif, notif_tbl);
}

em_status_t em_queue_group_delete_sync(em_queue_group_t queue_group) {
    return remove("em_queue_group_delete_sync", EM_ESCOPE_QUEUE_GROUP_DELETE_SYNC, queue_group, 0, nullptr);
}

em_status_t em_queue_group_modify(em_queue_group_t queue_group, const em_core_mask_t* new_mask, int num_notif,
                                  const em_notif_t notif_tbl[]) {
    return modify("em_queue_group_modify", EM_ESCOPE_QUEUE_GROUP_MODIFY, queue_group, new_mask, num_notif, notif_tbl,
                  false);
}

em_status_t em_queue_group_modify_sync(em_queue_group_t queue_group, const em_core_mask_t* new_mask) {
    return modify("em_queue_group_modify_sync", EM_ESCOPE_QUEUE_GROUP_MODIFY_SYNC, queue_group, new_mask, 0, nullptr,
                  true);
}

em_queue_group_t em_queue_group_find(const char* name) {
    return find_named<em_queue_group_t>("em_queue_group_find", EM_ESCOPE_QUEUE_GROUP_FIND, name,
                                        &event_machine::queue_groups);
}

em_status_t em_queue_group_get_mask(em_queue_group_t queue_group, em_core_mask_t* mask) {
    constexpr em_escope_t scope = EM_ESCOPE_QUEUE_GROUP_MASK;
    return with_group("em_queue_group_get_mask", scope, queue_group, [&](event_machine& em, auto& g) -> em_status_t {
        if (mask == nullptr) {
            return refuse_call(EM_ERR_BAD_POINTER, scope, "em_queue_group_get_mask: a null pointer");
        }
        mask->bits = em.mask_of(g);
        return EM_OK;
    });
}

std::size_t em_queue_group_get_name(em_queue_group_t queue_group, char* name, std::size_t maxlen) {
    return name_of("em_queue_group_get_name", EM_ESCOPE_QUEUE_GROUP_GET_NAME, queue_group, name, maxlen, any_group);
}

em_queue_group_t em_queue_group_get_first(unsigned* num) {
    return this_event_thread.at.group = next_in("em_queue_group_get_first", EM_ESCOPE_QUEUE_GROUP_GET_FIRST,
                                                EM_QUEUE_GROUP_UNDEF, num, &event_machine::queue_groups);
}

em_queue_group_t em_queue_group_get_next() {
    em_queue_group_t& at = this_event_thread.at.group;
    return at = at == EM_QUEUE_GROUP_UNDEF ? at
                                           : next_in("em_queue_group_get_next", EM_ESCOPE_QUEUE_GROUP_GET_NEXT, at,
                                                     nullptr, &event_machine::queue_groups);
}

em_queue_t em_queue_group_queue_get_first(unsigned* num, em_queue_group_t queue_group) {
    return this_event_thread.at.of_group = first_queue(
               "em_queue_group_queue_get_first", EM_ESCOPE_QUEUE_GROUP_QUEUE_GET_FIRST, queue_group, num, any_group);
}

em_queue_t em_queue_group_queue_get_next() {
    em_queue_t& at = this_event_thread.at.of_group;
    return at = at == EM_QUEUE_UNDEF
                    ? at
                    : next_queue("em_queue_group_queue_get_next", EM_ESCOPE_QUEUE_GROUP_QUEUE_GET_NEXT, at,
                                 [](const event_queue& q) { return q.group != nullptr ? &q.group->queues : nullptr; });
}
