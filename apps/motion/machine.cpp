// SPDX-License-Identifier: Apache-2.0
#include "motion/machine.hpp"

#include "support/event_cores.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <semaphore>
#include <vector>

#include <event_machine.h>

namespace apps::motion {

namespace {

constexpr std::ptrdiff_t most_under_way = 8;

/// In front of the pixels of a picture in its event.
struct head {
    std::size_t camera;
    std::size_t number;
};

class machine {
  public:
    machine(const film& of, std::size_t cores, const receiver& receive)
        : pixels_(of.side * of.side),
          receive_(receive),
          cores_("motion", cores, {{sizeof(head) + pixels_, most_under_way}}) {
        look_ = event_cores::object("look", look, this);
        for (std::size_t i = 0; i < of.cameras; ++i) {
            queues_.push_back(cores_.queue(look_, EM_QUEUE_TYPE_ATOMIC));
        }
        cores_.need(em_eo_start_sync(look_, nullptr, nullptr), "em_eo_start_sync()");
    }
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

    ~machine() {
        if (!stopped_) static_cast<void>(em_eo_stop_sync(look_)); // something has thrown before
    }

    void send(const film& of, std::size_t camera, std::size_t number) {
        free_.acquire(); // so that the pool always has one
        const em_event_t e =
            em_alloc(static_cast<std::uint32_t>(sizeof(head) + pixels_), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
        auto* const at = static_cast<std::byte*>(em_event_pointer(e));
        new (at) head{camera, number};
        std::ranges::copy(std::as_bytes(of.picture(camera, number)), at + sizeof(head));
        cores_.need(em_send(e, queues_[camera]), "em_send()");
    }

    // Behind the last picture.
    std::size_t await_all() {
        for (std::ptrdiff_t i = 0; i < most_under_way; ++i) free_.acquire();
        cores_.need(em_eo_stop_sync(look_), "em_eo_stop_sync()");
        stopped_ = true;
        return received_;
    }

  private:
    static void look(void* context, em_event_t e, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
        machine& self = *static_cast<machine*>(context);
        struct end {
            ~end() {
                em_free(e);
                ++self.received_;
                self.free_.release();
            }
            machine& self;
            em_event_t e;
        } const at_end{self, e};
        const head& h = *static_cast<const head*>(em_event_pointer(e));
        self.receive_(h.camera, h.number,
                      {static_cast<const std::uint8_t*>(em_event_pointer(e)) + sizeof(head), self.pixels_});
    }

    std::size_t pixels_;
    const receiver& receive_;
    std::counting_semaphore<> free_{most_under_way};
    std::atomic<std::size_t> received_{0};
    bool stopped_ = false;
    em_eo_t look_ = EM_EO_UNDEF;
    std::vector<em_queue_t> queues_;
    event_cores cores_; // last: they dispatch from here on
};

} // namespace

std::size_t by_events(const film& of, std::size_t cores, const receiver& receive) {
    machine m(of, cores != 0 ? cores : 2, receive);
    for (std::size_t number = 0; number < of.pictures; ++number) {
        for (std::size_t camera = 0; camera < of.cameras; ++camera) m.send(of, camera, number);
    }
    return m.await_all();
}

} // namespace apps::motion
