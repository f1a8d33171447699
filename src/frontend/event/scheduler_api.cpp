// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for the context in which a core receives.

#include <event_machine/api/event_machine_scheduler.h>

#include "frontend/event/event_machine.hpp"

using namespace skerry::detail;

void em_atomic_processing_end() {
    event_thread& self = this_event_thread;
    if (self.holds == EM_SCHED_CONTEXT_TYPE_ATOMIC) {
        self.holds = EM_SCHED_CONTEXT_TYPE_NONE;
        event_machine::instance()->let_go(*self.scheduled);
    }
}

void em_ordered_processing_end() {
    event_thread& self = this_event_thread;
    if (self.holds == EM_SCHED_CONTEXT_TYPE_ORDERED) {
        self.holds = EM_SCHED_CONTEXT_TYPE_NONE;
        event_machine::instance()->end_order(self.core);
    }
}

void em_preschedule() {
    const event_thread& self = this_event_thread;
    if (self.scheduled != nullptr && !self.leaving) {
        event_machine::instance()->ask_ahead(self.core);
    }
}

em_sched_context_type_t em_sched_context_type_current(em_queue_t* queue) {
    const event_thread& self = this_event_thread;
    if (queue != nullptr) {
        *queue = self.scheduled != nullptr ? self.scheduled->handle : EM_QUEUE_UNDEF;
    }
    return self.holds;
}
