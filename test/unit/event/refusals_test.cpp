// SPDX-License-Identifier: Apache-2.0

// What is wrong, and what is not there yet: a status, and a sentence for the handler.

#include <atomic>
#include <functional>
#include <vector>

#include <gmock/gmock.h>

#include <skerry/skerry.hpp>

#include "cores.hpp"

namespace skerry::test {
namespace {

void receive_nothing(void* /*ctx*/, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
    em_free(event);
}

em_queue_t create_queue(em_queue_type_t type, em_queue_prio_t prio = EM_QUEUE_PRIO_NORMAL,
                        em_queue_group_t group = EM_QUEUE_GROUP_DEFAULT, const em_queue_conf_t* conf = nullptr) {
    return em_queue_create("q", type, prio, group, conf);
}

TEST(refusals, queues) {
    cores machine(1);
    EXPECT_EQ(create_queue(EM_QUEUE_TYPE_UNDEF), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_TYPE, "em_queue_create: there is no type 0");
    EXPECT_EQ(create_queue(99), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_TYPE, "em_queue_create: there is no type 99");
    EXPECT_EQ(create_queue(EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NUM), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_queue_create: priority 8 is not from 0 to 7");
    EXPECT_EQ(create_queue(EM_QUEUE_TYPE_ATOMIC, 0, EM_QUEUE_GROUP_UNDEF), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_queue_create: there is no queue group");
    em_queue_conf_t conf{};
    conf.flags = EM_QUEUE_FLAG_NONBLOCKING_WF;
    EXPECT_EQ(create_queue(EM_QUEUE_TYPE_ATOMIC, 0, EM_QUEUE_GROUP_DEFAULT, &conf), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_NOT_SUPPORTED, "em_queue_create: flags 0x2 ask for a queue without locks");
    conf.flags = EM_QUEUE_FLAG_ENQ_NOT_MTSAFE;
    EXPECT_EQ(create_queue(EM_QUEUE_TYPE_ATOMIC, 0, EM_QUEUE_GROUP_DEFAULT, &conf), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_queue_create: flags 0x4 are not for queues of type 1");
    EXPECT_EQ(create_queue(EM_QUEUE_TYPE_LOCAL, 0, EM_QUEUE_GROUP_DEFAULT), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_queue_create: queues of type 5 have EM_QUEUE_GROUP_UNDEF");
    EXPECT_EQ(create_queue(EM_QUEUE_TYPE_UNSCHEDULED, 0, EM_QUEUE_GROUP_UNDEF), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_queue_create: an unscheduled queue has EM_QUEUE_PRIO_UNDEF");
    EXPECT_EQ(create_queue(EM_QUEUE_TYPE_OUTPUT, EM_QUEUE_PRIO_UNDEF, EM_QUEUE_GROUP_UNDEF), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_queue_create: an output queue needs an em_output_queue_conf_t");
    em_output_queue_conf_t output{};
    conf = {EM_QUEUE_FLAG_DEFAULT, 0, sizeof output, &output};
    EXPECT_EQ(create_queue(EM_QUEUE_TYPE_OUTPUT, EM_QUEUE_PRIO_UNDEF, EM_QUEUE_GROUP_UNDEF, &conf), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_POINTER, "em_queue_create: an output queue without a function, or without its arguments");
    EXPECT_EQ(em_queue_delete(EM_QUEUE_UNDEF), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_queue_delete: there is no queue");
    const receiver r = make_receiver(receive_nothing, nullptr, EM_QUEUE_TYPE_ATOMIC);
    EXPECT_EQ(em_queue_delete(r.queue), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE,
                 "em_queue_delete: queue 0x100 belongs to an execution object, or a thread is in its output function");
    EXPECT_EQ(em_queue_get_context(EM_QUEUE_UNDEF), nullptr);
    expect_error(EM_ERR_BAD_ID, "em_queue_get_context: there is no queue");
    std::size_t more = 0;
    while (create_queue(EM_QUEUE_TYPE_ATOMIC) != EM_QUEUE_UNDEF) {
        ++more;
    }
    EXPECT_EQ(more, 65'279U); // and that of the receiver
    expect_error(EM_ERR_ALLOC_FAILED, "em_queue_create: there are 65280 queues already");
    EXPECT_EQ(em_send(EM_EVENT_UNDEF, r.queue), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_send: no event");
}

TEST(refusals, objects) {
    cores machine(1);
    EXPECT_EQ(em_eo_create("e", start_nothing, nullptr, stop_nothing, nullptr, nullptr, nullptr), EM_EO_UNDEF);
    expect_error(EM_ERR_BAD_POINTER, "em_eo_create: there is no receive function");
    EXPECT_EQ(em_eo_create("e", nullptr, nullptr, stop_nothing, nullptr, receive_nothing, nullptr), EM_EO_UNDEF);
    expect_error(EM_ERR_BAD_POINTER, "em_eo_create: there is no start function");
    EXPECT_EQ(em_eo_create("e", start_nothing, nullptr, nullptr, nullptr, receive_nothing, nullptr), EM_EO_UNDEF);
    expect_error(EM_ERR_BAD_POINTER, "em_eo_create: there is no stop function");
    const receiver r = make_receiver(receive_nothing, nullptr, EM_QUEUE_TYPE_ATOMIC);
    EXPECT_EQ(em_eo_delete(r.eo), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_eo_delete: execution object 'receiver' is not stopped, or has queues");
    EXPECT_EQ(em_eo_start_sync(r.eo, nullptr, nullptr), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_eo_start_sync: execution object 'receiver' is started, or being stopped");
    EXPECT_EQ(em_eo_add_queue_sync(r.eo, r.queue), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE,
                 "em_eo_add_queue_sync: queue 0x100 belongs to an execution object, or 'receiver' is being stopped");
    EXPECT_EQ(em_eo_stop(r.eo, 1, nullptr), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_eo_stop: 1 notifications without a table");
    em_notif_t when{EM_EVENT_UNDEF, r.queue, EM_EVENT_GROUP_UNDEF};
    EXPECT_EQ(em_eo_stop(r.eo, 1, &when), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_eo_stop: a notification without an event, or to no queue");
    when.egroup = EM_REINTERPRET_CAST(em_event_group_t, 1);
    EXPECT_EQ(em_eo_stop(r.eo, 1, &when), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_eo_stop: a notification without an event, or to no queue");
    const em_queue_t alone = create_queue(EM_QUEUE_TYPE_ATOMIC);
    EXPECT_EQ(em_eo_remove_queue(r.eo, alone, 0, nullptr), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE,
                 "em_eo_remove_queue: queue 0x101 does not belong to execution object 'receiver', or is being removed");
    EXPECT_EQ(em_eo_register_error_handler(r.eo, nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_eo_register_error_handler: a null pointer");
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
    EXPECT_EQ(em_eo_stop_sync(r.eo), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_eo_stop_sync: execution object 'receiver' is not started");
    EXPECT_EQ(em_eo_get_state(EM_EO_UNDEF), EM_EO_STATE_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_eo_get_state: there is no execution object");
    std::vector<em_eo_t> all;
    while (em_eo_t const eo =
               em_eo_create("e", start_nothing, nullptr, stop_nothing, nullptr, receive_nothing, nullptr)) {
        all.push_back(eo);
    }
    EXPECT_EQ(all.size(), 1023U); // and the receiver
    expect_error(EM_ERR_ALLOC_FAILED, "em_eo_create: there are 1024 execution objects already");
    ASSERT_EQ(em_eo_delete(all[500]), EM_OK);
    EXPECT_EQ(em_eo_create("e", start_nothing, nullptr, stop_nothing, nullptr, receive_nothing, nullptr), all[500]);
}

TEST(refusals, pools_and_events) {
    cores machine(1, 1);
    em_pool_cfg_t config{};
    EXPECT_EQ(em_pool_create("p", EM_POOL_UNDEF, &config), EM_POOL_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_pool_create: em_pool_cfg_init() was not called for the configuration");
    em_pool_cfg_init(&config);
    config.num_subpools = 5;
    EXPECT_EQ(em_pool_create("p", EM_POOL_UNDEF, &config), EM_POOL_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_pool_create: a pool has 1 to 4 subpools");
    em_pool_cfg_init(&config);
    EXPECT_EQ(em_pool_create("p", EM_POOL_DEFAULT, &config), EM_POOL_UNDEF);
    expect_error(EM_ERR_ALLOC_FAILED, "em_pool_create: the handle is no pool's (1 to 16), or taken");
    EXPECT_EQ(em_pool_create("p", EM_POOL_UNDEF, nullptr), EM_POOL_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_pool_create: the configuration is a null pointer");
    config.event_type = EM_EVENT_TYPE_TIMER;
    EXPECT_EQ(em_pool_create("p", EM_POOL_UNDEF, &config), EM_POOL_UNDEF);
    expect_error(EM_ERR_BAD_ARG,
                 "em_pool_create: the type of events is neither EM_EVENT_TYPE_SW nor EM_EVENT_TYPE_PACKET");
    config.event_type = EM_EVENT_TYPE_PACKET;
    for (int i = 1; i < 16; ++i) {
        EXPECT_NE(em_pool_create("p", EM_POOL_UNDEF, &config), EM_POOL_UNDEF);
    }
    EXPECT_EQ(em_pool_create("p", EM_POOL_UNDEF, &config), EM_POOL_UNDEF);
    expect_error(EM_ERR_ALLOC_FAILED, "em_pool_create: there are 16 pools already");
    EXPECT_EQ(em_pool_delete(EM_POOL_UNDEF), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_pool_delete: there is no pool");
    EXPECT_EQ(em_alloc(1, EM_EVENT_TYPE_SW, EM_POOL_UNDEF), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_alloc: there is no pool");
    const em_event_t packet = em_alloc(100, EM_EVENT_TYPE_PACKET, EM_REINTERPRET_CAST(em_pool_t, 2));
    EXPECT_EQ(em_event_get_size(packet), 100U);
    EXPECT_EQ(em_event_get_type(packet), static_cast<em_event_type_t>(EM_EVENT_TYPE_PACKET));
    em_free(packet);
    ASSERT_EQ(em_pool_delete(EM_REINTERPRET_CAST(em_pool_t, 2)), EM_OK);
    EXPECT_EQ(em_alloc(65, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT), EM_EVENT_UNDEF);
    expect_error(EM_ERR_TOO_LARGE, "em_alloc: the largest events of pool 'default' have 64 bytes, not 65");
    EXPECT_EQ(em_alloc(1, EM_EVENT_TYPE_PACKET, EM_POOL_DEFAULT), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_TYPE, "em_alloc: pool 'default' has no events of type 0x2000000");
    const em_event_t only = em_alloc(1, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
    EXPECT_EQ(em_alloc(1, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT), EM_EVENT_UNDEF);
    expect_error(EM_ERR_ALLOC_FAILED, "em_alloc: no event of 1 bytes is free in pool 'default'");
    EXPECT_EQ(em_pool_delete(EM_POOL_DEFAULT), status_of(EM_ERR_NOT_FREE));
    expect_error(EM_ERR_NOT_FREE, "em_pool_delete: 1 events are in use or waited for");
    em_free(only);
    em_free(EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_free: no event");
    EXPECT_EQ(em_event_pointer(EM_EVENT_UNDEF), nullptr);
    expect_error(EM_ERR_BAD_ARG, "em_event_pointer: no event");
    EXPECT_EQ(em_event_get_size(EM_EVENT_UNDEF), 0U);
    expect_error(EM_ERR_BAD_ARG, "em_event_get_size: no event");
    EXPECT_EQ(em_event_get_type(EM_EVENT_UNDEF), static_cast<em_event_type_t>(EM_EVENT_TYPE_UNDEF));
    expect_error(EM_ERR_BAD_ARG, "em_event_get_type: no event");
    EXPECT_EQ(em_send(EM_EVENT_UNDEF, EM_QUEUE_UNDEF), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_send: there is no queue");
}

TEST(refusals, cores) {
    cores machine(1);
    EXPECT_EQ(em_dispatch(1), 0U);
    expect_error(EM_ERR_BAD_CONTEXT, "em_dispatch: the calling thread is no core");
    EXPECT_EQ(em_init_core(), status_of(EM_ERR_TOO_LARGE));
    expect_error(EM_ERR_TOO_LARGE, "em_init_core: all 1 cores have begun");
    EXPECT_EQ(em_term_core(), status_of(EM_ERR_BAD_CONTEXT));
    expect_error(EM_ERR_BAD_CONTEXT, "em_term_core: the calling thread is no core");
    EXPECT_EQ(em_term(nullptr), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_term: 1 cores have not called em_term_core()");
    em_conf_t conf;
    em_conf_init(&conf);
    EXPECT_EQ(em_init(&conf), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_init: it was called before, and em_term() was not");
    skerry::runtime r;
    r.run([] { EXPECT_EQ(em_init_core(), status_of(EM_ERR_BAD_CONTEXT)); });
    expect_error(EM_ERR_BAD_CONTEXT, "em_init_core: inside of a task or of run()");
}

struct misuses {
    std::atomic<bool> done{false};
    em_eo_t eo = EM_EO_UNDEF;
};

void misuse(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
    misuses& m = *static_cast<misuses*>(context);
    em_free(event);
    EXPECT_EQ(em_dispatch(1), 0U);
    expect_error(EM_ERR_BAD_CONTEXT, "em_dispatch: inside of a receive function, a task or run()");
    EXPECT_EQ(em_init_core(), status_of(EM_ERR_BAD_CONTEXT));
    expect_error(EM_ERR_BAD_CONTEXT, "em_init_core: the calling thread is a core");
    EXPECT_EQ(em_term_core(), status_of(EM_ERR_BAD_CONTEXT));
    expect_error(EM_ERR_BAD_CONTEXT, "em_term_core: inside of a receive function, a task or run()");
    EXPECT_EQ(em_eo_stop_sync(m.eo), status_of(EM_ERR_BAD_CONTEXT));
    expect_error(
        EM_ERR_BAD_CONTEXT,
        "em_eo_stop_sync: inside of a receive function or of a task that it has begun; take the one without _sync");
    m.done = true;
}

struct stopping {
    em_eo_t eo = EM_EO_UNDEF;
    std::atomic<bool> tried{false};
    std::atomic<em_status_t> status{EM_OK};
};
void fork_a_stop(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
    stopping& s = *static_cast<stopping*>(context);
    em_free(event);
    skerry::parallel_invoke([&s] { wait_for(s.tried); },
                            [&s] { // on another thread
                                s.status = em_eo_stop_sync(s.eo);
                                s.tried = true;
                            });
}

TEST(refusals, a_wait_inside_of_a_task_that_a_receive_function_waits_for) {
    cores machine(2);
    stopping s;
    const receiver r = make_receiver(fork_a_stop, &s, EM_QUEUE_TYPE_ATOMIC);
    s.eo = r.eo;
    ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    cores::until([&] { return s.tried.load(); });
    EXPECT_EQ(s.status, status_of(EM_ERR_BAD_CONTEXT));
    expect_error(EM_ERR_BAD_CONTEXT, "em_eo_stop_sync: inside of a receive function or of a task that it has begun");
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
}

TEST(refusals, other_tasks_may_wait_for_cores) {
    cores machine(1);
    const receiver r = make_receiver(receive_nothing, nullptr, EM_QUEUE_TYPE_ATOMIC);
    EXPECT_EQ(skerry::submit([&] { return em_eo_stop_sync(r.eo); }).get(), static_cast<em_status_t>(EM_OK));
    EXPECT_EQ(em_eo_get_state(r.eo), EM_EO_STATE_CREATED);
    skerry::runtime other;
    EXPECT_EQ(other.run([&] { return em_eo_start_sync(r.eo, nullptr, nullptr); }), EM_OK);
    EXPECT_EQ(other.run([&] { return em_eo_stop_sync(r.eo); }), EM_OK);
}

TEST(refusals, inside_of_a_receive_function) {
    cores machine(1);
    misuses m;
    const receiver r = make_receiver(misuse, &m, EM_QUEUE_TYPE_ATOMIC);
    m.eo = r.eo;
    ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    ::skerry::test::cores::until([&] { return m.done.load(); });
}

TEST(refusals, beginning) {
    static_cast<void>(take_errors());
    ASSERT_EQ(em_register_error_handler(keep_error), EM_OK);
    EXPECT_EQ(em_init_core(), status_of(EM_ERR_NOT_INITIALIZED));
    expect_error(EM_ERR_NOT_INITIALIZED, "em_init_core: em_init() was not called");
    em_conf_init(nullptr);
    expect_error(EM_ERR_BAD_POINTER, "em_conf_init: a null pointer");
    em_pool_cfg_init(nullptr);
    expect_error(EM_ERR_BAD_POINTER, "em_pool_cfg_init: a null pointer");
    EXPECT_EQ(em_register_error_handler(nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_register_error_handler: a null pointer");
    em_conf_t conf{};
    EXPECT_EQ(em_init(&conf), status_of(EM_ERR_NOT_INITIALIZED));
    expect_error(EM_ERR_NOT_INITIALIZED, "em_init: em_conf_init() was not called for the configuration");
    const auto refused = [](const std::function<void(em_conf_t&)>& change) {
        em_conf_t c = configuration(2);
        change(c);
        return em_init(&c);
    };
    EXPECT_EQ(refused([](em_conf_t& c) { c.device_id = 1; }), status_of(EM_ERR_NOT_SUPPORTED));
    expect_error(EM_ERR_NOT_SUPPORTED, "em_init: there is one device, 0");
    EXPECT_EQ(refused([](em_conf_t& c) { c.process_per_core = 1; }), status_of(EM_ERR_NOT_SUPPORTED));
    expect_error(EM_ERR_NOT_SUPPORTED, "em_init: a core is a thread, never a process");
    EXPECT_EQ(refused([](em_conf_t& c) { c.core_count = 65; }), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_init: thread_per_core is 1 (not 0), core_count is 65 (1 to 64)");
    EXPECT_EQ(refused([](em_conf_t& c) { em_core_mask_zero(&c.phys_mask); }), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_init: phys_mask has 0 cores, core_count is 2");
    EXPECT_EQ(refused([](em_conf_t& c) { c.default_pool_cfg.subpool[0].num = 0; }), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_init: default_pool_cfg: a subpool needs a size and a number of events");
    static_cast<void>(em_unregister_error_handler());
}

em_status_t make_fatal(em_eo_t /*eo*/, em_status_t error, em_escope_t /*scope*/, va_list /*args*/) {
    return EM_FATAL(error);
}

TEST(refusals, without_a_handler_they_are_printed) {
    testing::internal::CaptureStderr();
    em_free(EM_EVENT_UNDEF);
    em_error(77, 5);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "skerry: em_free: no event (error 1)\nskerry: em_error: scope 0x5 (error 77)\n");
}

TEST(RefusalsDeathTest, a_handler_may_end_the_process) {
    EXPECT_DEATH(
        {
            static_cast<void>(em_register_error_handler(make_fatal));
            em_free(EM_EVENT_UNDEF);
        },
        "an error handler of the event machine says that error 2147483649 is fatal");
}

} // namespace
} // namespace skerry::test
