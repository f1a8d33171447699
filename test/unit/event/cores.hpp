// SPDX-License-Identifier: Apache-2.0
#pragma once

// An event machine with cores that dispatch until they are told to stop.

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <event_machine.h>

namespace skerry::test {

struct error_seen {
    em_status_t error;
    em_escope_t scope;
    em_eo_t eo;
    std::string text;
};

// What the handler has been told since the last call.
std::vector<error_seen> take_errors();
// The one error since then.
void expect_error(em_status_t error, const std::string& text);
// A handler that keeps what it is told and returns the error.
em_status_t keep_error(em_eo_t eo, em_status_t error, em_escope_t scope, va_list args);

class cores {
  public:
    // `events` of 64 bytes in the default pool. `change`: what else the configuration has.
    explicit cores(int count, std::uint32_t events = 1024, void (*change)(em_conf_t&) = nullptr);
    cores(const cores&) = delete;
    cores& operator=(const cores&) = delete;
    ~cores();

    // Returns when done() says so.
    template <class Done>
    static void until(Done&& done) {
        while (!done()) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }

  private:
    std::atomic<bool> over_{false};
    std::vector<std::thread> threads_;
};

em_status_t start_nothing(void*, em_eo_t, const em_eo_conf_t*);
em_status_t stop_nothing(void*, em_eo_t);

// A started execution object with that receive function, and one queue.
struct receiver {
    em_eo_t eo;
    em_queue_t queue;
};
receiver make_receiver(em_receive_func_t receive, void* context, em_queue_type_t type,
                       em_queue_prio_t priority = EM_QUEUE_PRIO_NORMAL);

} // namespace skerry::test
