// SPDX-License-Identifier: Apache-2.0
#pragma once

// An event machine with cores that dispatch until they are told to stop, and what tests say of events and errors.

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

#include <event_machine.h>

namespace skerry::test {

// --- errors ---------------------------------------------------------------------------------------------------------

constexpr em_status_t status_of(em_status_e e) { return static_cast<em_status_t>(e); }

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

// --- waits ----------------------------------------------------------------------------------------------------------

// A loop that waits calls look() in each turn. One that lasts says once where it stands: a test that hangs ends with
// its time limit, which names nothing.
class slow_wait {
  public:
    explicit slow_wait(const std::source_location& here) : here_(here) {}
    void look();

  private:
    std::source_location here_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    bool said_ = false;
};

// Returns when another thread of the test has set the flag. It stays on its processor: it may stand in a receive
// function.
inline void wait_for(const std::atomic<bool>& flag, bool value = true,
                     const std::source_location& here = std::source_location::current()) {
    slow_wait wait(here);
    while (flag != value) {
        std::this_thread::yield();
        wait.look();
    }
}

// --- machines -------------------------------------------------------------------------------------------------------

// With so many cores, which are threads, and `events` of so many bytes in the default pool.
em_conf_t configuration(int count, std::uint32_t events = 1024, std::uint32_t bytes = 256);

class cores {
  public:
    // `events` of 64 bytes in the default pool. `change`: what else the configuration has.
    explicit cores(int count, std::uint32_t events = 1024, void (*change)(em_conf_t&) = nullptr);
    cores(const cores&) = delete;
    cores& operator=(const cores&) = delete;
    ~cores();

    // Returns when done() says so.
    template <class Done>
    static void until(Done&& done, const std::source_location& here = std::source_location::current()) {
        slow_wait wait(here);
        while (!done()) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            wait.look();
        }
    }

  private:
    std::atomic<bool> over_{false};
    std::vector<std::thread> threads_;
};

// --- objects, queues and events -------------------------------------------------------------------------------------

em_status_t start_nothing(void*, em_eo_t, const em_eo_conf_t*);
em_status_t stop_nothing(void*, em_eo_t);
em_status_t nothing_here(void*, em_eo_t); // a function of each core

// A started execution object with that receive function, and one queue.
struct receiver {
    em_eo_t eo;
    em_queue_t queue;
};
// `most`: so many events may be in the queue; 0: any number.
receiver make_receiver(em_receive_func_t receive, void* context, em_queue_type_t type,
                       em_queue_prio_t priority = EM_QUEUE_PRIO_NORMAL, unsigned most = 0);

// An event of eight bytes, which begin with the value.
em_event_t make_event(int value = 0);
inline int value_of(em_event_t e) { return *static_cast<const int*>(em_event_pointer(e)); }
inline int free_value(em_event_t e) {
    const int value = value_of(e);
    em_free(e);
    return value;
}

// All from `first` to the last one that next() gives.
template <class T>
std::vector<T> gone_through(T first, T (*next)()) {
    std::vector<T> all;
    for (T each = first; each != T{}; each = next()) {
        all.push_back(each);
    }
    return all;
}

} // namespace skerry::test
