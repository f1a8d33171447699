// SPDX-License-Identifier: Apache-2.0

#include "event_run.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include <skerry/event.h>
#include <skerry/skerry.hpp>

#include "../unit/event/receiving.hpp"

namespace random_events {

namespace {

using namespace skerry::test;

constexpr std::uint32_t events = 256;
constexpr std::chrono::seconds patience{30}; // a program that lasts longer never ends

class running {
  public:
    explicit running(const program& p)
        : p_(p),
          allowed_(all_cores()),
          received_(p.nodes.size()),
          refused_(p.nodes.size()),
          ended_(p.nodes.size()),
          inside_(p.queues.size() + 1),
          arrived_(p.queues.size()),
          outputs_(p.queues.size()),
          done_(p.groups.size()),
          told_(p.groups.size()) {}

    std::string run() {
        static_cast<void>(take_errors());
        skerry_em_options_t options;
        skerry_em_options_init(&options);
        options.asynchronous = p_.asynchronous ? 1 : 0;
        options.cooperative = p_.cooperative ? 1 : 0;
        options.esv = p_.verified ? 1 : 0;
        need(skerry_em_configure(&options), "skerry_em_configure()");
        need(em_register_error_handler(keep_error), "em_register_error_handler()");
        const em_conf_t conf = configuration(p_.cores, events);
        need(em_init(&conf), "em_init()");
        {
            std::vector<std::jthread> cores;
            for (int i = 0; i < p_.cores; ++i) {
                cores.emplace_back([this] { be_a_core(); });
            }
            const std::jthread resumer([this](const std::stop_token& stop) { resume_others(stop); });
            create();
            perform();
            finish();
            over_ = true;
        }
        need(em_term(nullptr), "em_term()");
        for (const error_seen& e : take_errors()) {
            if (e.error != status_of(EM_ERR_OPERATION_FAILED)) { // of what was refused
                is_wrong("an error: " + e.text);
            }
        }
        hold_against_the_program();
        return wrong_;
    }

  private:
    struct output {
        running* all;
        unsigned queue;
        std::atomic<unsigned> calls{0};
    };

    void is_wrong(const std::string& what) {
        const std::lock_guard lock(lock_);
        wrong_ += wrong_.empty() ? what : std::string();
    }
    void need(em_status_t status, const std::string& what) {
        if (status != EM_OK) {
            is_wrong(what + " returned " + std::to_string(status));
        }
    }

    // --- the machine

    void be_a_core() {
        need(em_init_core(), "em_init_core()");
        while (!over_) {
            static_cast<void>(em_dispatch_ns(1'000'000, nullptr, nullptr));
        }
        need(em_term_core(), "em_term_core()");
    }

    void create() {
        const em_core_mask_t all = mask_of(all_cores());
        masked_ = em_queue_group_create_sync("masked", &all);
        const em_atomic_group_t joined = em_atomic_group_create("joined", masked_);
        eo_ = em_eo_create("all", start_nothing, nullptr, stop_nothing, nullptr, receive, this);
        for (unsigned i = 0; i < p_.queues.size(); ++i) {
            const queue& q = p_.queues[i];
            em_queue_conf_t conf{};
            conf.min_events = q.most;
            em_output_queue_conf_t out{take_output, &outputs_[i], 0};
            if (q.type == EM_QUEUE_TYPE_OUTPUT) {
                outputs_[i].all = this;
                outputs_[i].queue = i;
                conf.conf = &out;
                conf.conf_len = sizeof out;
            }
            const bool scheduled = q.scheduled();
            queues_.push_back(q.joined ? em_queue_create_ag("queue", q.priority, joined, &conf)
                                       : em_queue_create("queue", q.type,
                                                         scheduled ? q.priority : em_queue_prio_t{EM_QUEUE_PRIO_UNDEF},
                                                         !scheduled ? EM_QUEUE_GROUP_UNDEF
                                                         : q.masked ? masked_
                                                                    : EM_QUEUE_GROUP_DEFAULT,
                                                         &conf));
            if (q.received()) {
                need(em_eo_add_queue_sync(eo_, queues_[i]), "em_eo_add_queue_sync()");
            }
        }
        listener_ = em_eo_create("listener", start_nothing, nullptr, stop_nothing, nullptr, receive_told, this);
        told_queue_ =
            em_queue_create("told", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_HIGHEST, EM_QUEUE_GROUP_DEFAULT, nullptr);
        need(em_eo_add_queue_sync(listener_, told_queue_), "em_eo_add_queue_sync()");
        for (std::size_t i = 0; i < p_.groups.size(); ++i) {
            groups_.push_back(em_event_group_create());
        }
        need(em_eo_start_sync(eo_, nullptr, nullptr), "em_eo_start_sync()");
        need(em_eo_start_sync(listener_, nullptr, nullptr), "em_eo_start_sync()");
    }

    // --- what threads do

    void perform() {
        const std::jthread second([this] {
            for (const unsigned root : p_.others) {
                send(root, EM_EVENT_UNDEF);
            }
        });
        for (const step& s : p_.steps) {
            switch (s.what) {
            case step::kind::mask: change_mask(s.number); break;
            case step::kind::send: send(s.number, EM_EVENT_UNDEF); break;
            case step::kind::group: begin_phase(s.number, 0); break;
            }
        }
        change_mask(all_cores());
    }

    void finish() {
        const auto late = std::chrono::steady_clock::now() + patience;
        while (pending_ != 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            if (std::chrono::steady_clock::now() > late) {
                std::printf("This program does not end:\n%s%s\n", text_of(p_).c_str(), wrong_.c_str());
                std::fflush(stdout);
                std::_Exit(EXIT_FAILURE);
            }
        }
        need(em_eo_stop_sync(eo_), "em_eo_stop_sync()"); // so no function runs
        need(em_eo_stop_sync(listener_), "em_eo_stop_sync()");
        for (unsigned i = 0; i < p_.queues.size(); ++i) {
            if (p_.queues[i].type == EM_QUEUE_TYPE_UNSCHEDULED) {
                while (const em_event_t e = em_queue_dequeue(queues_[i])) {
                    arrive(i, static_cast<unsigned>(free_value(e)));
                }
            }
        }
        if (free_events(events) != events) {
            is_wrong("not all events have come back to the pool");
        }
    }

    [[nodiscard]] std::uint64_t all_cores() const { return (std::uint64_t{1} << p_.cores) - 1; }

    void change_mask(std::uint64_t next) {
        allowed_ |= next;
        const em_core_mask_t mask = mask_of(next);
        need(em_queue_group_modify_sync(masked_, &mask), "em_queue_group_modify_sync()");
        allowed_ = next;
    }

    // As that event, or as a new one.
    void send(unsigned number, em_event_t e) {
        const node& n = p_.nodes[number];
        ++pending_;
        if (e == EM_EVENT_UNDEF) {
            e = make_event(static_cast<int>(number));
        } else {
            *static_cast<int*>(em_event_pointer(e)) = static_cast<int>(number);
        }
        const em_queue_t to = queues_[n.to];
        if ((n.group != none ? em_send_group(e, to, groups_[n.group]) : em_send(e, to)) != EM_OK) {
            refused_[number] = true;
            em_free(e); // it is ours still
            --pending_;
        } else if (p_.queues[n.to].type == EM_QUEUE_TYPE_UNSCHEDULED) {
            --pending_;
        }
    }

    void resume_others(const std::stop_token& stop) {
        std::unique_lock lock(resumer_lock_);
        while (given_.wait(lock, stop, [this] { return !to_resume_.empty(); })) {
            const em_event_t e = to_resume_.front();
            to_resume_.pop_front();
            lock.unlock();
            need(skerry_em_resume(e), "skerry_em_resume()");
            lock.lock();
        }
    }

    void begin_phase(unsigned number, unsigned phase) {
        ++pending_;
        const group::phase& begun = p_.groups[number].phases[phase];
        const em_notif_t then{make_event(static_cast<int>(number)), told_queue_, EM_EVENT_GROUP_UNDEF};
        need(em_event_group_apply(groups_[number], begun.count, 1, &then), "em_event_group_apply()");
        for (const unsigned root : begun.roots) {
            send(root, EM_EVENT_UNDEF);
        }
    }

    // --- what cores do

    void arrive(unsigned queue, unsigned number) {
        ++received_[number];
        const std::lock_guard lock(lock_);
        arrived_[queue].push_back(number);
    }

    static int take_output(const em_event_t taken[], const unsigned num, const em_queue_t /*queue*/, void* to) {
        output& o = *static_cast<output*>(to);
        if (o.all->p_.reluctant && ++o.calls % 3 == 0) {
            return 0;
        }
        for (unsigned i = 0; i < num; ++i) {
            o.all->arrive(o.queue, static_cast<unsigned>(free_value(taken[i])));
            --o.all->pending_;
        }
        return static_cast<int>(num);
    }

    static void receive(void* context, em_event_t e, em_event_type_t /*type*/, em_queue_t q, void* /*ctx*/) {
        running& r = *static_cast<running*>(context);
        const auto number = static_cast<unsigned>(value_of(e));
        const node& n = r.p_.nodes[number];
        if (r.queues_[n.to] != q) {
            r.is_wrong("event " + std::to_string(number) + " came from another queue");
        }
        r.receive_node(number, n, e);
        if (n.group != none) {
            ++r.done_[n.group];
        }
        --r.pending_;
    }

    void receive_node(unsigned number, const node& n, em_event_t e) {
        const std::string name = "event " + std::to_string(number);
        const unsigned of = p_.nodes[n.context].to;
        const bool atomic = p_.queues[of].type == EM_QUEUE_TYPE_ATOMIC;
        std::atomic<int>& inside = inside_[p_.queues[of].joined ? p_.queues.size() : of];
        bool alone = atomic && !ended_[n.context];
        if (alone && ++inside != 1) {
            is_wrong(name + ": another core is in the same atomic context");
        }
        arrive(n.to, number);
        em_sched_context_type_t holds = ended_[n.context] ? EM_SCHED_CONTEXT_TYPE_NONE
                                        : atomic          ? EM_SCHED_CONTEXT_TYPE_ATOMIC
                                        : p_.queues[of].type == EM_QUEUE_TYPE_PARALLEL_ORDERED
                                            ? EM_SCHED_CONTEXT_TYPE_ORDERED
                                            : EM_SCHED_CONTEXT_TYPE_NONE;
        check_receiver(name, n, holds);
        if (n.asks_ahead) {
            em_preschedule();
        }
        for (std::size_t i = 0; i <= n.children.size(); ++i) {
            if (n.ends == i) {
                if (alone) {
                    --inside;
                    alone = false;
                }
                ended_[number] = true;
                em_atomic_processing_end();
                em_ordered_processing_end();
                holds = EM_SCHED_CONTEXT_TYPE_NONE;
            }
            if (n.suspends == i) {
                pause(name, n, e);
                check_receiver(name, n, holds);
            }
            if (i == n.children.size()) {
                break;
            }
            dawdle(n.dawdles);
            const bool last = i + 1 == n.children.size();
            const em_event_t as = last && n.hands_on ? std::exchange(e, EM_EVENT_UNDEF) : EM_EVENT_UNDEF;
            if (n.forked[i]) {
                skerry::parallel_invoke([&] { dawdle(n.dawdles); }, [&] { send(n.children[i], as); });
            } else {
                send(n.children[i], as);
            }
        }
        dawdle(n.dawdles);
        check_mask(name, n);
        if (e != EM_EVENT_UNDEF) {
            em_free(e);
        }
        if (alone) {
            --inside;
        }
    }

    void pause(const std::string& name, const node& n, em_event_t e) {
        const int core = em_core_id();
        if (n.resumed_ahead) {
            need(skerry_em_resume(e), "skerry_em_resume()");
        } else {
            const std::lock_guard lock(resumer_lock_);
            to_resume_.push_back(e);
            given_.notify_one();
        }
        need(skerry_em_suspend(), "skerry_em_suspend()");
        if (em_core_id() != core) {
            is_wrong(name + ": it goes on on another core");
        }
    }

    static void dawdle(unsigned turns) {
        for (; turns != 0; --turns) {
            std::this_thread::yield();
        }
    }

    void check_receiver(const std::string& name, const node& n, em_sched_context_type_t holds) {
        em_queue_t scheduled = EM_QUEUE_UNDEF;
        const em_sched_context_type_t held = em_sched_context_type_current(&scheduled);
        if (held != holds || scheduled != queues_[p_.nodes[n.context].to]) {
            is_wrong(name + ": it is received in another context");
        }
        if (em_event_group_current() != (n.group != none ? groups_[n.group] : EM_EVENT_GROUP_UNDEF)) {
            is_wrong(name + ": it counts for another event group");
        }
        check_mask(name, n);
    }

    void check_mask(const std::string& name, const node& n) {
        if (p_.queues[n.to].masked && (allowed_ >> em_core_id() & 1) == 0) {
            is_wrong(name + ": its core is not in the mask");
        }
    }

    static void receive_told(void* context, em_event_t e, em_event_type_t /*type*/, em_queue_t /*q*/, void* /*ctx*/) {
        running& r = *static_cast<running*>(context);
        const auto number = static_cast<unsigned>(free_value(e));
        const std::vector<group::phase>& phases = r.p_.groups[number].phases;
        const unsigned phase = r.told_[number]++;
        int count = 0;
        for (unsigned i = 0; i <= phase && i < phases.size(); ++i) {
            count += phases[i].count;
        }
        if (phase >= phases.size() || r.done_[number] != count) {
            r.is_wrong("group " + std::to_string(number) + ": " + std::to_string(r.done_[number]) +
                       " receive functions have returned at notification " + std::to_string(phase));
        }
        if (phase + 1 < phases.size()) {
            r.begin_phase(number, phase + 1);
        }
        --r.pending_;
    }

    // --- what a serial run would show

    void hold_against_the_program() {
        for (const step& s : p_.steps) {
            if (s.what == step::kind::send) {
                expect_sent(s.number);
            }
        }
        for (const unsigned root : p_.others) {
            expect_sent(root);
        }
        for (std::size_t g = 0; g < p_.groups.size(); ++g) {
            for (const group::phase& phase : p_.groups[g].phases) {
                for (const unsigned root : phase.roots) {
                    expect_sent(root);
                }
            }
            if (told_[g] != p_.groups[g].phases.size()) {
                is_wrong("group " + std::to_string(g) + " has notified " + std::to_string(told_[g]) + " times");
            }
        }
        for (unsigned i = 0; i < p_.queues.size(); ++i) {
            if (p_.queues[i].shows_order()) {
                expect_order(i);
                expect_together(i);
            }
        }
    }

    // It, and what its receive function sends.
    void expect_sent(unsigned number) {
        const node& n = p_.nodes[number];
        const queue& to = p_.queues[n.to];
        const bool may_be_refused = to.most != 0 || (p_.reluctant && to.type == EM_QUEUE_TYPE_OUTPUT);
        const int expected = refused_[number] ? 0 : 1;
        if ((expected == 0 && !may_be_refused) || received_[number] != expected) {
            is_wrong("event " + std::to_string(number) + (expected == 0 ? " was refused" : " was not") +
                     ", and arrived " + std::to_string(received_[number]) + " times");
        }
        if (expected == 1) {
            for (const unsigned child : n.children) {
                expect_sent(child);
            }
        }
    }

    void expect_order(unsigned queue) {
        std::map<std::string, unsigned> last;
        for (const unsigned number : arrived_[queue]) {
            const node& n = p_.nodes[number];
            const auto [before, first] = last.emplace(n.stream, number);
            if (!first && p_.nodes[std::exchange(before->second, number)].position > n.position) {
                is_wrong("queue " + std::to_string(queue) + ": event " + std::to_string(number) +
                         " came behind one that was sent later, both " + n.stream);
            }
        }
    }

    // What one ordered context has sent, among what others of the same queue have.
    void expect_together(unsigned queue) {
        std::map<unsigned, unsigned> current;
        std::set<unsigned> over;
        for (const unsigned number : arrived_[queue]) {
            const unsigned context = p_.nodes[number].ordered_by;
            if (context == none) {
                continue;
            }
            const auto [now, first] = current.emplace(p_.nodes[context].to, context);
            if (!first && now->second != context) {
                over.insert(std::exchange(now->second, context));
            }
            if (over.contains(context)) {
                is_wrong("queue " + std::to_string(queue) + ": event " + std::to_string(number) +
                         " came apart from the others of its ordered context");
            }
        }
    }

    const program& p_;
    em_queue_group_t masked_ = EM_QUEUE_GROUP_UNDEF;
    em_eo_t eo_ = EM_EO_UNDEF;
    em_eo_t listener_ = EM_EO_UNDEF;
    em_queue_t told_queue_ = EM_QUEUE_UNDEF;
    std::vector<em_queue_t> queues_;
    std::vector<em_event_group_t> groups_;

    std::atomic<bool> over_{false};
    std::atomic<int> pending_{0};        // sent and not done with
    std::atomic<std::uint64_t> allowed_; // cores, of the masked queue group
    std::vector<std::atomic<int>> received_;
    std::vector<std::atomic<bool>> refused_;
    std::vector<std::atomic<bool>> ended_; // contexts
    std::vector<std::atomic<int>> inside_; // of each queue; last, of the atomic group
    std::mutex resumer_lock_;
    std::condition_variable_any given_;
    std::deque<em_event_t> to_resume_; // guarded by it
    std::mutex lock_;
    // Guarded by lock_ while cores run.
    std::vector<std::vector<unsigned>> arrived_; // at each queue
    std::string wrong_;                          // the first thing that was
    std::vector<output> outputs_;
    std::vector<std::atomic<int>> done_;      // receive functions that have counted for each group
    std::vector<std::atomic<unsigned>> told_; // notifications
};

} // namespace

std::string run_program(const program& p) { return running(p).run(); }

} // namespace random_events
