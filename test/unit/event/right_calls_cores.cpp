// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstdint>
#include <cstring>

#include <event_machine/helper/event_machine_debug.h>
#include <event_machine/helper/event_machine_helper.h>

#include "functions.hpp"

namespace skerry::test {

namespace {

int hooks_called = 0;
void enter(em_eo_t /*eo*/, void** /*eo_ctx*/, em_event_t /*events*/[], int /*num*/, em_queue_t* /*queue*/,
           void** /*q_ctx*/) {
    ++hooks_called;
}
void leave(em_eo_t /*eo*/) { ++hooks_called; }
void allocated(const em_event_t /*events*/[], int /*num_act*/, int /*num_req*/, std::uint32_t /*size*/,
               em_event_type_t /*type*/, em_pool_t /*pool*/) {
    ++hooks_called;
}
void freed(const em_event_t /*events*/[], int /*num*/) { ++hooks_called; }
void sent(const em_event_t /*events*/[], int /*num*/, em_queue_t /*queue*/, em_event_group_t /*group*/) {
    ++hooks_called;
}
void to_idle(std::uint64_t /*delay_ns*/) { ++hooks_called; }
void active() { ++hooks_called; }
void while_idle() { ++hooks_called; }

// Runs each kind of hook: an event is allocated, sent, received and freed, and then there is none.
void run_all(full_core& c) {
    send_value(1, c.here.queue);
    full_core::dispatch(1);
    EXPECT_EQ(em_dispatch_rounds(2, nullptr, nullptr), EM_OK); // idle, and idle still
    send_value(1, c.here.queue);
    full_core::dispatch(1);
}
template <class Function>
bool registers(full_core& c, em_status_t (*add)(Function), em_status_t (*remove)(Function), Function f) {
    hooks_called = 0;
    const bool right = add(f) == EM_OK;
    run_all(c);
    return right && hooks_called != 0 && remove(f) == EM_OK;
}
template <class Function>
bool unregisters(full_core& c, em_status_t (*add)(Function), em_status_t (*remove)(Function), Function f) {
    const bool right = add(f) == EM_OK && remove(f) == EM_OK;
    hooks_called = 0;
    run_all(c);
    return right && hooks_called == 0;
}

// One event lies in the queue. What the function returns, and that it has received one.
template <class Dispatch>
bool receives_one(full_core& c, Dispatch&& dispatch) {
    send_value(1, c.here.queue);
    em_dispatch_results_t did{};
    return dispatch(&did) == EM_OK && did.events == 1;
}

const right_calls all = {
    // dispatch
    {"em_dispatch_opt_init",
     [](full_core&) {
         em_dispatch_opt_t options;
         em_dispatch_opt_init(&options);
         return options.burst_size == EM_SCHED_MULTI_MAX_BURST;
     }},
    {"em_dispatch_duration",
     [](full_core& c) {
         return receives_one(c, [](em_dispatch_results_t* did) {
             em_dispatch_duration_t until{};
             until.select = EM_DISPATCH_DURATION_EVENTS;
             until.events = 1;
             return em_dispatch_duration(&until, nullptr, did);
         });
     }},
    {"em_dispatch_ns",
     [](full_core& c) {
         return receives_one(c, [](em_dispatch_results_t* did) { return em_dispatch_ns(ms, nullptr, did); });
     }},
    {"em_dispatch_events",
     [](full_core& c) {
         return receives_one(c, [](em_dispatch_results_t* did) { return em_dispatch_events(1, nullptr, did); });
     }},
    {"em_dispatch_rounds",
     [](full_core& c) {
         return receives_one(c, [](em_dispatch_results_t* did) { return em_dispatch_rounds(1, nullptr, did); });
     }},
    {"em_dispatch",
     [](full_core& c) {
         send_value(1, c.here.queue);
         return em_dispatch(1) == 1;
     }},
    {"em_dispatch_register_enter_cb",
     [](full_core& c) { return registers(c, em_dispatch_register_enter_cb, em_dispatch_unregister_enter_cb, enter); }},
    {"em_dispatch_unregister_enter_cb",
     [](full_core& c) {
         return unregisters(c, em_dispatch_register_enter_cb, em_dispatch_unregister_enter_cb, enter);
     }},
    {"em_dispatch_register_exit_cb",
     [](full_core& c) { return registers(c, em_dispatch_register_exit_cb, em_dispatch_unregister_exit_cb, leave); }},
    {"em_dispatch_unregister_exit_cb",
     [](full_core& c) { return unregisters(c, em_dispatch_register_exit_cb, em_dispatch_unregister_exit_cb, leave); }},
    {"em_atomic_processing_end",
     [](full_core& c) {
         return received(c, [](em_event_t) {
             em_atomic_processing_end();
             return em_sched_context_type_current(nullptr) == EM_SCHED_CONTEXT_TYPE_NONE;
         });
     }},
    {"em_ordered_processing_end",
     [](full_core& c) {
         bool right = false;
         receive_by f = [&](em_event_t e, em_queue_t) {
             em_ordered_processing_end();
             right = em_sched_context_type_current(nullptr) == EM_SCHED_CONTEXT_TYPE_NONE;
             em_free(e);
         };
         send_value(1, make_receiver(f, EM_QUEUE_TYPE_PARALLEL_ORDERED).queue);
         full_core::dispatch(1);
         static_cast<void>(c);
         return right;
     }},
    {"em_preschedule",
     [](full_core& c) {
         return received(c, [](em_event_t) {
             em_preschedule();
             return true;
         });
     }},
    {"em_sched_context_type_current",
     [](full_core& c) {
         return received(c, [&](em_event_t) {
             em_queue_t queue = EM_QUEUE_UNDEF;
             return em_sched_context_type_current(&queue) == EM_SCHED_CONTEXT_TYPE_ATOMIC && queue == c.here.queue;
         });
     }},

    // hooks
    {"em_hooks_register_alloc",
     [](full_core& c) { return registers(c, em_hooks_register_alloc, em_hooks_unregister_alloc, allocated); }},
    {"em_hooks_unregister_alloc",
     [](full_core& c) { return unregisters(c, em_hooks_register_alloc, em_hooks_unregister_alloc, allocated); }},
    {"em_hooks_register_free",
     [](full_core& c) { return registers(c, em_hooks_register_free, em_hooks_unregister_free, freed); }},
    {"em_hooks_unregister_free",
     [](full_core& c) { return unregisters(c, em_hooks_register_free, em_hooks_unregister_free, freed); }},
    {"em_hooks_register_send",
     [](full_core& c) { return registers(c, em_hooks_register_send, em_hooks_unregister_send, sent); }},
    {"em_hooks_unregister_send",
     [](full_core& c) { return unregisters(c, em_hooks_register_send, em_hooks_unregister_send, sent); }},
    {"em_hooks_register_to_idle",
     [](full_core& c) { return registers(c, em_hooks_register_to_idle, em_hooks_unregister_to_idle, to_idle); }},
    {"em_hooks_unregister_to_idle",
     [](full_core& c) { return unregisters(c, em_hooks_register_to_idle, em_hooks_unregister_to_idle, to_idle); }},
    {"em_hooks_register_to_active",
     [](full_core& c) { return registers(c, em_hooks_register_to_active, em_hooks_unregister_to_active, active); }},
    {"em_hooks_unregister_to_active",
     [](full_core& c) { return unregisters(c, em_hooks_register_to_active, em_hooks_unregister_to_active, active); }},
    {"em_hooks_register_while_idle",
     [](full_core& c) {
         return registers(c, em_hooks_register_while_idle, em_hooks_unregister_while_idle, while_idle);
     }},
    {"em_hooks_unregister_while_idle",
     [](full_core& c) {
         return unregisters(c, em_hooks_register_while_idle, em_hooks_unregister_while_idle, while_idle);
     }},

    // errors
    {"em_register_error_handler", [](full_core&) { return em_register_error_handler(keep_error) == EM_OK; }},
    {"em_unregister_error_handler",
     [](full_core&) {
         return em_unregister_error_handler() == EM_OK && em_register_error_handler(keep_error) == EM_OK;
     }},
    {"em_error",
     [](full_core&) {
         em_error(status_of(EM_ERR_TIMEOUT), 0x77);
         const auto seen = take_errors();
         return seen.size() == 1 && seen[0].error == status_of(EM_ERR_TIMEOUT) && seen[0].scope == 0x77;
     }},

    // begin and end
    {"em_conf_init",
     [](full_core&) {
         em_conf_t conf;
         em_conf_init(&conf);
         return conf.core_count == 0 || conf.core_count >= 1;
     }},
    {"em_device_id", [](full_core&) { return em_device_id() == 0; }},
    {"skerry_em_options_init",
     [](full_core&) {
         skerry_em_options_t options{};
         skerry_em_options_init(&options);
         return options.stack_size != 0;
     }},
    {"em_core_id", [](full_core&) { return em_core_id() == 0; }},
    {"em_core_count", [](full_core&) { return em_core_count() == 1; }},
    {"em_core_id_get_physical", [](full_core&) { return em_core_id_get_physical(0) == 0; }},
    {"em_core_mask_get_physical",
     [](full_core&) {
         em_core_mask_t physical = mask_of(0);
         const em_core_mask_t logical = mask_of(1);
         em_core_mask_get_physical(&physical, &logical);
         return physical.bits == 1;
     }},
    {"em_core_mask_set_str",
     [](full_core&) {
         em_core_mask_t mask{};
         return em_core_mask_set_str("0x5", &mask) == 0 && mask.bits == 5;
     }},
    {"em_core_mask_tostr",
     [](full_core&) {
         std::array<char, EM_CORE_MASK_STRLEN> text{};
         const em_core_mask_t mask = mask_of(5);
         em_core_mask_tostr(text.data(), static_cast<int>(text.size()), &mask);
         return std::strstr(text.data(), "5") != nullptr;
     }},

    // what is printed
    {"em_version_api_str", [](full_core&) { return std::strstr(em_version_api_str(), "3.8") != nullptr; }},
    {"em_version_api_num", [](full_core&) { return em_version_api_num() != 0; }},
    {"em_version_str", [](full_core&) { return std::strlen(em_version_str()) != 0; }},
    {"em_version_num", [](full_core&) { return em_version_num() != 0; }},
    {"em_version_print", [](full_core&) { return prints("3.8", em_version_print); }},
    {"em_info_print", [](full_core&) { return prints("core", em_info_print); }},
    {"em_debug_timestamp",
     [](full_core& c) {
         static_cast<void>(em_debug_timestamp(EM_DEBUG_TSP_SCHED_RETURN));
         return received(c, [](em_event_t) { return em_debug_timestamp(EM_DEBUG_TSP_SCHED_RETURN) != 0; });
     }},
};

} // namespace

const right_calls& calls_of_cores() { return all; }

} // namespace skerry::test
