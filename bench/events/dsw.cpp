// SPDX-License-Identifier: Apache-2.0
// DPDK's distributed software event device: a queue is a flow of it. As its programs do, each core polls for a burst,
// and sends a burst. On two cores even and odd queues belong to two queues of the device, each linked to the port of
// one core, so that every event crosses and no flow ever moves.
#include "events/events.hpp"

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_eventdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#include <sched.h>

#include <stdexcept>
#include <string>

namespace bench::events {

namespace {

constexpr std::uint8_t device = 0;
constexpr std::uint16_t burst = 32;
constexpr unsigned cached = 256;

void need(bool good, const char* what) {
    if (!good) {
        throw std::runtime_error(std::string(what) + " fails");
    }
}

// "0@2,1@5": the library's cores on the first processors that this process may use.
std::string cores_on_processors(unsigned cores) {
    cpu_set_t allowed;
    need(::sched_getaffinity(0, sizeof allowed, &allowed) == 0, "sched_getaffinity()");
    std::string found;
    unsigned core = 0;
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE && core < cores; ++cpu) {
        if (CPU_ISSET(cpu, &allowed)) {
            found.append(core == 0 ? "" : ",").append(std::to_string(core)).append("@").append(std::to_string(cpu));
            ++core;
        }
    }
    need(core == cores, "to find a processor for each core");
    return found;
}

void begin_library(unsigned cores) {
    const std::string lcores = cores_on_processors(cores);
    const char* const words[] = {"bench_events_dsw",  "--no-huge", "--no-pci",    "--no-telemetry",
                                 "--no-shconf",       "-m",        "64",          "--vdev=event_dsw0",
                                 "--log-level=error", "--lcores",  lcores.c_str()};
    std::vector<char*> argv;
    for (const char* const word : words) {
        argv.push_back(const_cast<char*>(word));
    }
    need(rte_eal_init(static_cast<int>(argv.size()), argv.data()) >= 0, "rte_eal_init()");
}

class ring {
  public:
    explicit ring(const settings& how) : how_(how), meter_(how, ring_window, true) {
        begin_library(how.workers);
        pool_ = rte_mempool_create("events", pool_events, sizeof(life), cached, 0, nullptr, nullptr, nullptr, nullptr,
                                   SOCKET_ID_ANY, 0);
        need(pool_ != nullptr, "rte_mempool_create()");
        set_up();
    }

    result run() {
        for (std::uint32_t i = 0; i < in_flight; ++i) {
            rte_event e = born();
            e.op = RTE_EVENT_OP_NEW;
            send_to(e, i % queues);
            need(rte_event_enqueue_new_burst(device, 0, &e, 1) == 1, "rte_event_enqueue_new_burst()");
        }
        for (unsigned core = 1; core < how_.workers; ++core) {
            need(rte_eal_remote_launch([](void* all) { return static_cast<ring*>(all)->dispatch(1); }, this, core) == 0,
                 "rte_eal_remote_launch()");
        }
        dispatch(0);
        rte_eal_mp_wait_lcore();
        return {"cycles/hop", meter_.samples(), wrong_with(places_, meter_)};
    }

  private:
    void set_up() {
        const auto ports = static_cast<std::uint8_t>(how_.workers);
        rte_event_dev_config config{};
        config.nb_event_queues = ports;
        config.nb_event_ports = ports;
        config.nb_events_limit = 4096;
        config.nb_event_queue_flows = 8192;
        config.nb_event_port_dequeue_depth = burst;
        config.nb_event_port_enqueue_depth = burst;
        need(rte_event_dev_configure(device, &config) == 0, "rte_event_dev_configure()");
        for (std::uint8_t i = 0; i < ports; ++i) {
            rte_event_queue_conf queue{};
            queue.schedule_type = RTE_SCHED_TYPE_ATOMIC;
            queue.nb_atomic_flows = 8192;
            queue.priority = RTE_EVENT_DEV_PRIORITY_NORMAL;
            need(rte_event_queue_setup(device, i, &queue) == 0, "rte_event_queue_setup()");
            rte_event_port_conf port{};
            port.new_event_threshold = 4096;
            port.dequeue_depth = burst;
            port.enqueue_depth = burst;
            need(rte_event_port_setup(device, i, &port) == 0, "rte_event_port_setup()");
        }
        for (std::uint8_t i = 0; i < ports; ++i) {
            need(rte_event_port_link(device, i, &i, nullptr, 1) == 1, "rte_event_port_link()");
        }
        need(rte_event_dev_start(device) == 0, "rte_event_dev_start()");
    }

    rte_event born() {
        void* at = nullptr;
        need(rte_mempool_get(pool_, &at) == 0, "rte_mempool_get()");
        rte_event e{};
        e.op = RTE_EVENT_OP_FORWARD;
        e.sched_type = RTE_SCHED_TYPE_ATOMIC;
        e.event_type = RTE_EVENT_TYPE_CPU;
        e.event_ptr = new (at) life;
        return e;
    }

    void send_to(rte_event& e, std::uint32_t queue) const {
        static_cast<life*>(e.event_ptr)->at = queue;
        e.flow_id = queue & 0xfffff;
        e.queue_id = how_.workers == 1 ? 0 : static_cast<std::uint8_t>(queue % 2);
    }

    int dispatch(std::uint8_t core) {
        rte_event some[burst];
        while (!meter_.over()) {
            const std::uint16_t n = rte_event_dequeue_burst(device, core, some, burst, 0);
            for (std::uint16_t i = 0; i < n; ++i) {
                receive(core, some[i]);
            }
            for (std::uint16_t sent = 0; sent != n;) {
                sent = static_cast<std::uint16_t>(
                    sent +
                    rte_event_enqueue_forward_burst(device, core, some + sent, static_cast<std::uint16_t>(n - sent)));
            }
        }
        return 0;
    }

    void receive(std::uint8_t core, rte_event& e) {
        place& here = places_[e.flow_id];
        life& l = *static_cast<life*>(e.event_ptr);
        const std::uint32_t next = (e.flow_id + 1U) % queues;
        ++here.hops;
        here.wrong += l.at != e.flow_id ? 1 : 0;
        if (++l.hops == how_.size) {
            rte_mempool_put(pool_, e.event_ptr);
            e = born();
        }
        send_to(e, next);
        meter_.hop(core);
    }

    const settings& how_;
    meter meter_;
    rte_mempool* pool_ = nullptr;
    std::array<place, queues> places_;
};

result measure(const settings& how) {
    need(how.workers <= most_cores, "to use so many workers");
    return ring(how).run();
}

} // namespace

workload measured() { return {"events", {"ring"}, 4, measure}; }

} // namespace bench::events
