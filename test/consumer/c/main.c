/* SPDX-License-Identifier: Apache-2.0 */
/* A core, a queue, an event: in C. */
#include <event_machine.h>
#include <skerry/event.h>

#include <stdio.h>

static int received;

static em_status_t start(void* ctx, em_eo_t eo, const em_eo_conf_t* conf) {
    (void)ctx, (void)eo, (void)conf;
    return EM_OK;
}

static em_status_t stop(void* ctx, em_eo_t eo) {
    (void)ctx, (void)eo;
    return EM_OK;
}

static void receive(void* ctx, em_event_t event, em_event_type_t type, em_queue_t queue, void* q_ctx) {
    (void)ctx, (void)type, (void)queue, (void)q_ctx;
    received = *(const int*)em_event_pointer(event);
    em_free(event);
}

static em_status_t print_error(em_eo_t eo, em_status_t error, em_escope_t scope, va_list args) {
    const char* const format = va_arg(args, const char*);
    (void)eo, (void)scope;
    vprintf(format, args);
    putchar('\n');
    return error;
}

int environment_in_c(void); /* environment.c */

int main(void) {
    skerry_em_options_t options;
    em_conf_t conf;
    em_eo_t eo;
    em_queue_t queue;
    em_event_t event;

    const int wrong = environment_in_c();

    if (wrong != 0) {
        printf("environment.c:%d\n", wrong);
        return 5;
    }
    em_register_error_handler(print_error);
    skerry_em_options_init(&options);
    if (skerry_em_configure(&options) != EM_OK) {
        return 6;
    }
    em_conf_init(&conf);
    conf.thread_per_core = 1;
    conf.core_count = 1;
    em_core_mask_set_count(1, &conf.phys_mask);
    if (em_init(&conf) != EM_OK || em_init_core() != EM_OK) {
        return 1;
    }
    eo = em_eo_create("c", start, NULL, stop, NULL, receive, NULL);
    queue = em_queue_create("q", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, NULL);
    if (em_eo_add_queue_sync(eo, queue) != EM_OK || em_eo_start_sync(eo, NULL, NULL) != EM_OK) {
        return 2;
    }
    event = em_alloc(sizeof(int), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
    *(int*)em_event_pointer(event) = 42;
    if (em_send(event, queue) != EM_OK || em_dispatch(1) != 1 || received != 42) {
        return 3;
    }
    if (em_queue_create("o", EM_QUEUE_TYPE_OUTPUT, 0, EM_QUEUE_GROUP_DEFAULT, NULL) != EM_QUEUE_UNDEF) {
        return 4;
    }
    return em_eo_stop_sync(eo) != EM_OK || em_term_core() != EM_OK || em_term(&conf) != EM_OK;
}
