// SPDX-License-Identifier: Apache-2.0
//   ring:     events go round, received and sent one at a time; on two cores even and odd queues have a core each
//   bursts:   the same, received and sent as many at a time as a queue has
//   verified: the time of ring with verification of events over that without
//   work:     the ring for any core, and each hop works for about 2,000 cycles
//   hostage:  a receive function sends 64 events of 1 ms and then computes for 100 ms itself
//   after:    processors in use during the second that follows work, by cores that dispatch for ever
//   rate:     the same with an event from outside every millisecond
//   latency:  of these events: from the call that sends one until the receive function has begun
#include "events/events.hpp"
#include "support/event_cores.hpp"

#include <skerry/event.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace bench::events {

namespace {

using apps::event_cores;

const std::vector<apps::event_size> pool{{sizeof(life), pool_events}};

void need(em_status_t status, const char* what) {
    if (status != EM_OK) {
        throw std::runtime_error(std::string(what) + " fails with " + std::to_string(status));
    }
}

void configure(bool verified) {
    skerry_em_options_t options;
    skerry_em_options_init(&options);
    options.esv = verified ? 1 : 0;
    need(skerry_em_configure(&options), "skerry_em_configure()");
}

struct shape {
    const char* unit;
    std::uint64_t window;
    bool works = false;   // at each hop
    bool crosses = false; // each hop ends at another core
    bool bursts = false;
    bool verified = false;
};

class ring {
  public:
    ring(const settings& how, const shape& of) : of_(of), life_(how.size), meter_(how, of.window, !of.works) {
        configure(of.verified);
        cores_ = std::make_unique<event_cores>("bench", how.workers, pool);
        eo_ = of.bursts ? event_cores::object("ring", receive_burst, this) : event_cores::object("ring", receive, this);
        for (std::uint32_t i = 0; i < queues; ++i) {
            queues_[i] = em_queue_create("", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL,
                                         of.crosses ? group_of(i % how.workers) : EM_QUEUE_GROUP_DEFAULT, nullptr);
            need(em_queue_set_context(queues_[i], &places_[i]), "em_queue_set_context()");
            need(em_eo_add_queue_sync(eo_, queues_[i]), "em_eo_add_queue_sync()");
        }
        need(em_eo_start_sync(eo_, nullptr, nullptr), "em_eo_start_sync()");
    }
    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;
    ~ring() = default;

    result run() {
        for (std::uint32_t i = 0; i < in_flight; ++i) {
            send(born(), i % queues);
        }
        for (int left = left_; left != 0; left = left_) {
            left_.wait(left);
        }
        need(em_eo_stop_sync(eo_), "em_eo_stop_sync()");
        cores_->end();
        return {of_.unit, meter_.samples(), wrong_with(places_, meter_)};
    }

  private:
    em_queue_group_t group_of(unsigned core) {
        em_queue_group_t& g = groups_[core];
        if (g == EM_QUEUE_GROUP_UNDEF) {
            em_core_mask_t mask;
            em_core_mask_zero(&mask);
            em_core_mask_set(static_cast<int>(core), &mask);
            g = em_queue_group_create_sync(("core " + std::to_string(core)).c_str(), &mask);
        }
        return g;
    }

    em_event_t born() const {
        const em_event_t e = em_alloc(sizeof(life), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
        new (em_event_pointer(e)) life;
        return e;
    }

    void send(em_event_t e, std::uint32_t queue) const {
        static_cast<life*>(em_event_pointer(e))->at = queue;
        need(em_send(e, queues_[queue]), "em_send()");
    }

    // What is sent on: the event, or its successor; nothing when all is over.
    em_event_t hop(em_event_t e, std::uint32_t at, std::size_t core) {
        place& here = places_[at];
        life& l = *static_cast<life*>(em_event_pointer(e));
        ++here.hops;
        here.wrong += l.at != at ? 1 : 0;
        if (of_.works) {
            values_[core].n = work(values_[core].n);
        }
        meter_.hop(core);
        if (meter_.over()) {
            em_free(e);
            return EM_EVENT_UNDEF;
        }
        if (++l.hops == life_) {
            em_free(e);
            return born();
        }
        return e;
    }

    void done(int events) {
        if (events != 0 && left_.fetch_sub(events) == events) {
            left_.notify_one();
        }
    }

    std::uint32_t number_of(const void* place_of_queue) const {
        return static_cast<std::uint32_t>(static_cast<const place*>(place_of_queue) - places_.data());
    }

    static void receive(void* context, em_event_t e, em_event_type_t /*type*/, em_queue_t /*queue*/, void* at_place) {
        ring& all = *static_cast<ring*>(context);
        const std::uint32_t at = all.number_of(at_place);
        const em_event_t next = all.hop(e, at, static_cast<std::size_t>(em_core_id()));
        if (next != EM_EVENT_UNDEF) {
            all.send(next, (at + 1) % queues);
        } else {
            all.done(1);
        }
    }

    static void receive_burst(void* context, em_event_t events[], int n, em_queue_t /*queue*/, void* at_place) {
        ring& all = *static_cast<ring*>(context);
        const std::uint32_t at = all.number_of(at_place);
        const std::uint32_t to = (at + 1) % queues;
        const auto core = static_cast<std::size_t>(em_core_id());
        int sent = 0;
        for (int i = 0; i < n; ++i) {
            const em_event_t next = all.hop(events[i], at, core);
            if (next != EM_EVENT_UNDEF) {
                static_cast<life*>(em_event_pointer(next))->at = to;
                events[sent++] = next;
            }
        }
        if (em_send_multi(events, sent, all.queues_[to]) != sent) {
            throw std::runtime_error("em_send_multi() fails");
        }
        all.done(n - sent);
    }

    struct alignas(64) value {
        std::uint64_t n = 1;
    };

    const shape of_;
    const std::uint64_t life_;
    meter meter_;
    std::array<place, queues> places_;
    std::array<em_queue_t, queues> queues_{};
    std::array<em_queue_group_t, most_cores> groups_{};
    std::array<value, most_cores> values_;
    em_eo_t eo_ = EM_EO_UNDEF;
    alignas(64) std::atomic<int> left_{static_cast<int>(in_flight)};
    std::unique_ptr<event_cores> cores_; // last: they dispatch from here on
};

result verified(const settings& how) {
    double least[2]{1e9, 1e9};
    result got{"", {}, {}};
    constexpr unsigned turns = 4; // each has its repetitions
    for (unsigned i = 0; i < 2 * turns; ++i) {
        const bool on = i % 2 != 0;
        const result one = ring(how, {"cycles/hop", ring_window, false, false, false, on}).run();
        least[on ? 1 : 0] = std::min(least[on ? 1 : 0], *std::ranges::min_element(one.samples));
        got.wrong = one.wrong.empty() ? got.wrong : one.wrong;
    }
    got.samples = {least[1] / least[0]};
    return got;
}

class hostage {
  public:
    explicit hostage(unsigned workers) : cores_("bench", workers, pool) {
        eo_ = event_cores::object("hostage", receive, this);
        long_ = cores_.queue(eo_, EM_QUEUE_TYPE_ATOMIC, this);
        for (em_queue_t& q : short_) {
            q = cores_.queue(eo_, EM_QUEUE_TYPE_ATOMIC, nullptr);
        }
        need(em_eo_start_sync(eo_, nullptr, nullptr), "em_eo_start_sync()");
    }
    hostage(const hostage&) = delete;
    hostage& operator=(const hostage&) = delete;
    ~hostage() { static_cast<void>(em_eo_stop_sync(eo_)); }

    void once() {
        left_ = events + 1;
        send(long_);
        for (int left = left_; left != 0; left = left_) {
            left_.wait(left);
        }
    }

  private:
    static constexpr int events = 64;

    static void send(em_queue_t to) {
        need(em_send(em_alloc(sizeof(life), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT), to), "em_send()");
    }

    static void receive(void* context, em_event_t e, em_event_type_t /*type*/, em_queue_t /*queue*/, void* is_long) {
        hostage& all = *static_cast<hostage*>(context);
        em_free(e);
        if (is_long != nullptr) {
            for (int i = 0; i < events; ++i) {
                send(all.short_[static_cast<std::size_t>(i) % all.short_.size()]);
            }
            spin_for(seconds(0.1));
        } else {
            spin_for(seconds(0.001));
        }
        if (all.left_.fetch_sub(1) == 1) {
            all.left_.notify_one();
        }
    }

    em_eo_t eo_ = EM_EO_UNDEF;
    em_queue_t long_ = EM_QUEUE_UNDEF;
    std::array<em_queue_t, 8> short_{};
    std::atomic<int> left_{0};
    event_cores cores_;
};

result measure_hostage(const settings& how) {
    configure(false);
    hostage all(how.workers);
    result got{"ms", {}, {}};
    for (unsigned i = 0; i <= how.repetitions; ++i) { // the first warms up
        const seconds passed = time([&] { all.once(); });
        if (i != 0) {
            got.samples.push_back(passed.count() * 1e3);
        }
    }
    return got;
}

// Cores that never leave em_dispatch(0): they end with the process.
class for_ever {
  public:
    explicit for_ever(unsigned workers) {
        configure(false);
        em_conf_t conf;
        em_conf_init(&conf);
        conf.thread_per_core = 1;
        conf.core_count = static_cast<int>(workers);
        em_core_mask_set_count(conf.core_count, &conf.phys_mask);
        need(em_init(&conf), "em_init()");
        for (unsigned i = 0; i < workers; ++i) {
            std::thread([] {
                need(em_init_core(), "em_init_core()");
                static_cast<void>(em_dispatch(0));
            }).detach();
        }
        eo_ = event_cores::object("for ever", receive, this);
        for (em_queue_t& q : queues_) {
            q = em_queue_create("", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
            need(em_eo_add_queue_sync(eo_, q), "em_eo_add_queue_sync()");
        }
        need(em_eo_start_sync(eo_, nullptr, nullptr), "em_eo_start_sync()");
    }

    // Keeps the cores busy for 50 ms, and returns when all events have been received.
    void work() {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
        for (std::size_t i = 0; std::chrono::steady_clock::now() < end; ++i) {
            if (sent_ - received_ < 256) {
                send(i, false);
            }
        }
        await();
    }

    // An event each millisecond, so many. Returns how long each took, in microseconds.
    std::vector<double> at_fixed_rate(std::uint64_t count) {
        took_.clear();
        auto next = std::chrono::steady_clock::now();
        for (std::uint64_t i = 0; i < count; ++i) {
            send(0, true);
            next += std::chrono::milliseconds(1);
            std::this_thread::sleep_until(next);
        }
        await();
        return took_;
    }

  private:
    struct sent {
        std::chrono::steady_clock::time_point when;
        bool timed;
    };

    void send(std::size_t queue, bool timed) {
        const em_event_t e = em_alloc(sizeof(sent), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
        new (em_event_pointer(e)) sent{std::chrono::steady_clock::now(), timed};
        ++sent_;
        need(em_send(e, queues_[queue % queues_.size()]), "em_send()");
    }

    void await() const {
        for (std::uint64_t n = received_; n != sent_; n = received_) {
            received_.wait(n);
        }
    }

    static void receive(void* context, em_event_t e, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
        const auto now = std::chrono::steady_clock::now();
        for_ever& all = *static_cast<for_ever*>(context);
        const sent s = *static_cast<sent*>(em_event_pointer(e));
        em_free(e);
        if (s.timed) { // of one atomic queue
            all.took_.push_back(std::chrono::duration<double, std::micro>(now - s.when).count());
        }
        ++all.received_;
        all.received_.notify_one();
    }

    em_eo_t eo_ = EM_EO_UNDEF;
    std::array<em_queue_t, 8> queues_{};
    std::uint64_t sent_ = 0;
    std::atomic<std::uint64_t> received_{0};
    std::vector<double> took_;
};

template <class F>
double processors_used(F&& f) {
    const seconds before = processor_time_of_threads();
    const seconds passed = time(f);
    return (processor_time_of_threads() - before) / passed;
}

result idle(const settings& how) {
    constexpr std::uint64_t period_ms = 1000;
    static for_ever all(how.workers); // its cores are there until the process ends
    result got{how.variant == "latency" ? "us" : "CPUs", {}, {}};
    for (unsigned i = 0; i < how.repetitions; ++i) {
        all.work();
        std::vector<double> took;
        const double used = processors_used([&] {
            how.variant == "after" ? std::this_thread::sleep_for(std::chrono::milliseconds(period_ms))
                                   : static_cast<void>(took = all.at_fixed_rate(period_ms));
        });
        if (how.variant == "latency") {
            got.samples.insert(got.samples.end(), took.begin(), took.end());
        } else {
            got.samples.push_back(used);
        }
    }
    return got;
}

result measure(const settings& how) {
    if (how.workers > most_cores) {
        throw std::runtime_error("there are at most " + std::to_string(most_cores) + " cores");
    }
    const bool crosses = how.workers > 1;
    if (how.variant == "ring") {
        return ring(how, {"cycles/hop", ring_window, false, crosses}).run();
    }
    if (how.variant == "bursts") {
        return ring(how, {"cycles/hop", ring_window, false, crosses, true}).run();
    }
    if (how.variant == "work") {
        return ring(how, {"cycles/event", work_window, true}).run();
    }
    return how.variant == "verified" ? verified(how) : how.variant == "hostage" ? measure_hostage(how) : idle(how);
}

} // namespace

workload measured() {
    return {"events", {"ring", "bursts", "verified", "work", "hostage", "after", "rate", "latency"}, 4, measure};
}

} // namespace bench::events
