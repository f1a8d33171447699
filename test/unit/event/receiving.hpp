// SPDX-License-Identifier: Apache-2.0
#pragma once

// Execution objects that receive by a function object.

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include <gmock/gmock.h>

#include "cores.hpp"

namespace skerry::test {

using receive_by = std::function<void(em_event_t event, em_queue_t queue)>;

inline void receive_by_function(void* function, em_event_t event, em_event_type_t /*type*/, em_queue_t queue,
                                void* /*ctx*/) {
    (*static_cast<receive_by*>(function))(event, queue);
}

// Not started.
inline em_eo_t make_object(receive_by& f, const char* name = "object") {
    return em_eo_create(name, start_nothing, nullptr, stop_nothing, nullptr, receive_by_function, &f);
}

inline em_queue_t make_queue(em_queue_type_t type = EM_QUEUE_TYPE_PARALLEL,
                             em_queue_group_t group = EM_QUEUE_GROUP_DEFAULT,
                             em_queue_prio_t prio = EM_QUEUE_PRIO_NORMAL, unsigned most = 0) {
    em_queue_conf_t conf{};
    conf.min_events = most;
    const bool scheduled = type <= EM_QUEUE_TYPE_PARALLEL_ORDERED;
    return em_queue_create("queue", type, scheduled ? prio : em_queue_prio_t{EM_QUEUE_PRIO_UNDEF},
                           scheduled ? group : EM_QUEUE_GROUP_UNDEF, &conf);
}

// An output queue. `copied`: so many bytes of what `args` points to; 0: the function gets `args` itself.
inline em_queue_t make_output(em_output_func_t function, void* args, std::size_t copied = 0) {
    em_output_queue_conf_t output{function, args, copied};
    const em_queue_conf_t conf{EM_QUEUE_FLAG_DEFAULT, 0, sizeof output, &output};
    return em_queue_create("out", EM_QUEUE_TYPE_OUTPUT, EM_QUEUE_PRIO_UNDEF, EM_QUEUE_GROUP_UNDEF, &conf);
}

inline em_queue_t add_queue(em_eo_t eo, em_queue_t queue) {
    EXPECT_EQ(em_eo_add_queue_sync(eo, queue), EM_OK);
    return queue;
}

// A started object with one queue.
inline receiver make_receiver(receive_by& f, em_queue_type_t type, em_queue_group_t group = EM_QUEUE_GROUP_DEFAULT,
                              em_queue_prio_t prio = EM_QUEUE_PRIO_NORMAL) {
    const em_eo_t eo = make_object(f);
    const em_queue_t queue = add_queue(eo, make_queue(type, group, prio));
    EXPECT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    return {eo, queue};
}

inline void send_value(int value, em_queue_t to) {
    const em_event_t e = make_event(value);
    ASSERT_NE(e, EM_EVENT_UNDEF);
    ASSERT_EQ(em_send(e, to), EM_OK);
}

// What was seen, in the order in which it was.
class log {
  public:
    void add(int what) {
        const std::lock_guard lock(lock_);
        seen_.push_back(what);
    }
    [[nodiscard]] std::size_t size() const {
        const std::lock_guard lock(lock_);
        return seen_.size();
    }
    [[nodiscard]] std::vector<int> all() const {
        const std::lock_guard lock(lock_);
        return seen_;
    }

  private:
    mutable std::mutex lock_;
    std::vector<int> seen_;
};

// So many can be allocated from the default pool: the others have come back.
inline std::size_t free_events(std::size_t most) {
    std::vector<em_event_t> all;
    while (all.size() < most) {
        const em_event_t e = make_event();
        if (e == EM_EVENT_UNDEF) {
            break;
        }
        all.push_back(e);
    }
    for (const em_event_t e : all) {
        em_free(e);
    }
    return all.size();
}

inline em_core_mask_t mask_of(std::uint64_t bits) {
    em_core_mask_t mask{};
    mask.bits = bits;
    return mask;
}

} // namespace skerry::test
