// SPDX-License-Identifier: Apache-2.0
// Numbers through an event machine: those of a parallel queue are factorised on any core; each goes on to the atomic
// queue of its smallest factor's last digit, where sums need no lock.
#include <event_machine.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct number {
    long value, factor;
};
struct last_digit {
    long count, sum;
};

em_queue_t digits[10];
std::atomic<int> left = 1000;

em_status_t start(void*, em_eo_t, const em_eo_conf_t*) { return EM_OK; }
em_status_t stop(void*, em_eo_t) { return EM_OK; }

// [parallel]
void factorise(void*, em_event_t event, em_event_type_t, em_queue_t, void*) { // on any number of cores at a time
    number& n = *static_cast<number*>(em_event_pointer(event));
    n.factor = 2;
    while (n.factor * n.factor <= n.value && n.value % n.factor != 0) ++n.factor;
    if (n.factor * n.factor > n.value) n.factor = n.value;
    em_send(event, digits[n.factor % 10]);
}
// [/parallel]

// [atomic]
void add(void*, em_event_t event, em_event_type_t, em_queue_t, void* context) { // of one queue on one core at a time
    last_digit& d = *static_cast<last_digit*>(context);
    ++d.count;
    d.sum += static_cast<number*>(em_event_pointer(event))->value;
    em_free(event);
    --left;
}
// [/atomic]

int main() {
    // [begin]
    em_conf_t conf;
    em_conf_init(&conf);
    conf.thread_per_core = 1;
    conf.core_count = 2;
    em_core_mask_set_count(2, &conf.phys_mask);
    if (em_init(&conf) != EM_OK) return 1;
    std::vector<std::thread> cores;
    cores.reserve(2);
    for (int i = 0; i < 2; ++i) {
        cores.emplace_back([] {
            em_init_core();
            while (left > 0) em_dispatch(1000); // sleeps while there is no event, for 10 ms at most
            em_term_core();
        });
    }
    // [/begin]
    // [objects]
    std::array<last_digit, 10> sums{};
    const em_eo_t adder = em_eo_create("adder", start, nullptr, stop, nullptr, add, nullptr);
    for (int i = 0; i < 10; ++i) {
        digits[i] = em_queue_create("digit", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_HIGH, EM_QUEUE_GROUP_DEFAULT, nullptr);
        em_queue_set_context(digits[i], &sums[static_cast<std::size_t>(i)]);
        em_eo_add_queue_sync(adder, digits[i]);
    }
    em_eo_start_sync(adder, nullptr, nullptr);
    const em_eo_t factoriser = em_eo_create("factoriser", start, nullptr, stop, nullptr, factorise, nullptr);
    const em_queue_t in =
        em_queue_create("in", EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
    em_eo_add_queue_sync(factoriser, in);
    em_eo_start_sync(factoriser, nullptr, nullptr);
    // [/objects]
    // [send]
    for (long i = 2; i < 1002; ++i) {
        const em_event_t event = em_alloc(sizeof(number), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
        *static_cast<number*>(em_event_pointer(event)) = {i, 0};
        if (em_send(event, in) != EM_OK) em_free(event); // it is still ours
    }
    // [/send]
    for (std::thread& core : cores) core.join();
    em_term(&conf);

    long all = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        std::printf("smallest factors that end with %zu: %4ld numbers, in all %6ld\n", i, sums[i].count, sums[i].sum);
        all += sums[i].sum;
    }
    return all == 1001 * 1002 / 2 - 1 ? 0 : 1;
}
