// SPDX-License-Identifier: Apache-2.0
#include "packets/machine.hpp"

#include "support/event_cores.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <limits>
#include <new>
#include <semaphore>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <skerry/event.h>

namespace apps::packets {

namespace {

constexpr std::uint32_t small_bytes = 2048;
constexpr std::uint32_t small_under_way = 1024; // packets
constexpr std::uint32_t large_under_way = 64;   // more than a batch
constexpr std::uint32_t passes_under_way = 4;
constexpr std::uint32_t records = small_under_way + large_under_way + passes_under_way;

/// In front of the bytes of a packet in its event.
struct packet_in_event {
    packet_head head;
    std::uint64_t digest = 0;           ///< of what goes out
    em_event_t record = EM_EVENT_UNDEF; ///< for what is seen of it: a core may not wait for a free one
};

/// In a record.
struct seen_in_pass {
    observation seen;
    std::uint32_t pass = 0;
};

std::vector<event_size> sizes_for(const capture_files& files) {
    constexpr std::size_t head = sizeof(packet_in_event);
    std::vector<event_size> all{{head + small_bytes, small_under_way}};
    if (files.largest > small_bytes) all.push_back({head + files.largest, large_under_way});
    return all;
}

// What it rests on has been refused: a pass that never ends would be waited for.
void require(em_status_t status) {
    if (status != EM_OK) std::terminate();
}

class packet_machine {
  public:
    packet_machine(const capture_files& files, output& to, work_result& result, const machine_settings& settings)
        : awaited_(files.packets * result.passes.size()),
          files_(files),
          to_(to),
          result_(result),
          report_(settings.report),
          by_fate_(settings.cores),
          cores_("packets", settings.cores, sizes_for(files)) {
        make_records();
        count_ = event_cores::object("count", count_some, this);
        end_ = event_cores::object("end", end_pass, this);
        handle_ = event_cores::object("handle", handle_some, this);
        for (std::size_t i = 0; i < shares; ++i) flows_[i] = cores_.queue(count_, EM_QUEUE_TYPE_ATOMIC);
        ends_ = cores_.queue(end_, EM_QUEUE_TYPE_ATOMIC);
        in_ = cores_.queue(handle_, EM_QUEUE_TYPE_PARALLEL_ORDERED);
        em_output_queue_conf_t out{.output_fn = put_out, .output_fn_args = this, .args_len = 0};
        em_queue_conf_t conf{};
        conf.conf_len = sizeof out;
        conf.conf = &out;
        out_ = em_queue_create("out", EM_QUEUE_TYPE_OUTPUT, EM_QUEUE_PRIO_UNDEF, EM_QUEUE_GROUP_UNDEF, &conf);
        cores_.need(out_ != EM_QUEUE_UNDEF ? EM_OK : EM_ERR_NOT_CREATED, "em_queue_create()");
        for (pass_slot& slot : slots_) slot.group = em_event_group_create();
        start(end_);
        start(count_);
        start(handle_);
        if (report_) report_in(settings.period);
    }
    packet_machine(const packet_machine&) = delete;
    packet_machine& operator=(const packet_machine&) = delete;

    ~packet_machine() {
        if (report_) end_reports();
        if (!is_whole_) drain();
        for (const em_eo_t eo : started_) static_cast<void>(em_eo_stop_sync(eo)); // those that send first
        cores_.end();
        for (const auto& of_core : by_fate_) {
            for (std::size_t i = 0; i < fates; ++i) result_.packets[i] += of_core.packets[i];
        }
    }

    void send_pass(std::uint32_t pass) {
        pass_slot& slot = slots_[pass % passes_under_way];
        slot.free.acquire();
        const em_event_t over = record();
        ::new (em_event_pointer(over)) std::uint32_t(pass);
        em_notif_t notice{};
        notice.event = over;
        notice.queue = ends_;
        cores_.need(em_event_group_apply(slot.group, static_cast<int>(files_.packets), 1, &notice),
                    "em_event_group_apply()");
        batch to_handle(*this, slot.group);
        read_pass(files_, pass, [&](const packet_head& head, std::span<const std::byte> bytes) {
            const em_event_t e = wait_for(sizeof(packet_in_event) + bytes.size(), EM_POOL_DEFAULT);
            auto* const at = static_cast<std::byte*>(em_event_pointer(e));
            ::new (at) packet_in_event{head, 0, record()};
            std::ranges::copy(bytes, at + sizeof(packet_in_event));
            to_handle.add(e);
        });
        to_handle.send();
    }

    /// Waits until all is counted and written. Behind the last pass.
    void await_all() {
        for (pass_slot& slot : slots_) slot.free.acquire();
        await_gone(); // what the last receive functions have sent to the output is put out behind them
        is_whole_ = true;
    }

  private:
    /// Passes begin in their order, and end in any.
    struct pass_slot {
        std::binary_semaphore free{1};
        em_event_group_t group = EM_EVENT_GROUP_UNDEF;
        flow_tables tables{};
    };
    struct alignas(64) fates_of_core {
        std::array<std::uint64_t, fates> packets{};
    };

    /// Packets that are sent together. Fewer than there are of any size, so whoever waits for one has sent others.
    /// Errors: as of need().
    class batch {
      public:
        batch(packet_machine& of, em_event_group_t group) : of_(of), group_(group) {}
        batch(const batch&) = delete;
        batch& operator=(const batch&) = delete;
        ~batch() { // of a pass that was given up: what was read of it comes to its end
            if (count_ != 0) send_some();
            for (const em_event_t e : std::span(all_).first(count_)) {
                em_free(packet_of(e).record);
                em_free(e);
            }
        }

        void add(em_event_t e) {
            all_[count_++] = e;
            if (count_ == all_.size()) send();
        }
        void send() {
            if (count_ != 0) send_some();
            of_.cores_.need(count_ == 0 ? EM_OK : EM_ERR_OPERATION_FAILED, "em_send_group_multi()");
        }

      private:
        void send_some() {
            const int asked = static_cast<int>(count_);
            const int sent = em_send_group_multi(all_.data(), asked, of_.in_, group_);
            of_.result_.read += static_cast<std::uint64_t>(sent);
            std::shift_left(all_.begin(), all_.begin() + asked, sent);
            count_ -= static_cast<std::size_t>(sent);
        }

        packet_machine& of_;
        const em_event_group_t group_;
        std::array<em_event_t, EM_SCHED_MULTI_MAX_BURST> all_{};
        std::size_t count_ = 0;
    };

    void await_gone() {
        for (std::uint64_t gone = gone_; gone != awaited_; gone = gone_) gone_.wait(gone);
    }
    // A pass was given up: what was sent of it comes to its end before anybody stops. A record each is with what is
    // under way, but for one, with the group of that pass, which does not end.
    void drain() {
        awaited_ = result_.read;
        await_gone();
        std::vector<em_event_t> all(records - 1);
        for (em_event_t& one : all) one = record();
        em_free_multi(all.data(), static_cast<int>(all.size()));
    }

    void make_records() {
        em_pool_cfg_t config;
        em_pool_cfg_init(&config);
        config.subpool[0].size = sizeof(seen_in_pass);
        config.subpool[0].num = records;
        records_ = em_pool_create("records", EM_POOL_UNDEF, &config);
        cores_.need(records_ != EM_POOL_UNDEF ? EM_OK : EM_ERR_ALLOC_FAILED, "em_pool_create()");
    }
    void start(em_eo_t eo) {
        cores_.need(em_eo_start_sync(eo, nullptr, nullptr), "em_eo_start_sync()");
        started_.insert(started_.begin(), eo);
    }
    void report_in(std::chrono::nanoseconds period) {
        em_timer_attr_t attributes;
        em_timer_attr_init(&attributes);
        const em_timer_t timer = em_timer_create(&attributes);
        report_object_ = event_cores::object("report", report_now, this);
        const em_queue_t reports = cores_.queue(report_object_, EM_QUEUE_TYPE_ATOMIC);
        start(report_object_);
        timeout_ = em_tmo_create(timer, EM_TMO_FLAG_PERIODIC, reports);
        cores_.need(em_tmo_set_periodic(timeout_, 0, static_cast<em_timer_tick_t>(period.count()), record()),
                    "em_tmo_set_periodic()");
    }

    void end_reports() {
        em_event_t left = EM_EVENT_UNDEF;
        if (em_tmo_cancel(timeout_, &left) == EM_OK) {
            em_free(left);
        } else { // it has expired, and the event comes
            last_report_.acquire();
        }
    }

    em_event_t wait_for(std::size_t bytes, em_pool_t pool) const {
        const em_event_t e = skerry_em_alloc_wait(static_cast<std::uint32_t>(bytes), EM_EVENT_TYPE_SW, pool,
                                                  std::numeric_limits<std::uint64_t>::max());
        cores_.need(e != EM_EVENT_UNDEF ? EM_OK : EM_ERR_ALLOC_FAILED, "skerry_em_alloc_wait()");
        return e;
    }
    em_event_t record() const { return wait_for(sizeof(seen_in_pass), records_); }

    void let_go(em_event_t e) {
        em_free(e);
        if (gone_.fetch_add(1) + 1 == awaited_) gone_.notify_one();
    }

    static packet_in_event& packet_of(em_event_t e) { return *static_cast<packet_in_event*>(em_event_pointer(e)); }
    static std::span<std::byte> frame_of(packet_in_event& p) {
        return {reinterpret_cast<std::byte*>(&p) + sizeof p, p.head.captured};
    }

    // What is sent one after another to the same queue.
    class row {
      public:
        explicit row(em_event_group_t group = EM_EVENT_GROUP_UNDEF) : group_(group) {}
        row(const row&) = delete;
        row& operator=(const row&) = delete;
        ~row() { send(); }
        void add(em_event_t e, em_queue_t to) {
            if (to != to_) send();
            to_ = to;
            all_[count_++] = e;
        }

      private:
        void send() {
            const int asked = static_cast<int>(std::exchange(count_, 0));
            if (asked == 0) return;
            if (group_ != EM_EVENT_GROUP_UNDEF) require(em_event_group_increment(asked));
            const int sent = group_ != EM_EVENT_GROUP_UNDEF ? em_send_group_multi(all_.data(), asked, to_, group_)
                                                            : em_send_multi(all_.data(), asked, to_);
            require(sent == asked ? EM_OK : EM_ERR_OPERATION_FAILED);
        }

        const em_event_group_t group_;
        em_queue_t to_ = EM_QUEUE_UNDEF;
        std::array<em_event_t, EM_SCHED_MULTI_MAX_BURST> all_{};
        std::size_t count_ = 0;
    };

    static void handle_some(void* context, em_event_t events[], int n, em_queue_t /*queue*/, void* /*q*/) {
        packet_machine& self = *static_cast<packet_machine*>(context);
        fates_of_core& fates = self.by_fate_[static_cast<std::size_t>(em_core_id())];
        row counted(em_event_group_current());
        row out;
        for (const em_event_t e : std::span(events, static_cast<std::size_t>(n))) {
            packet_in_event& p = packet_of(e);
            const handled h = handle(frame_of(p), p.head);
            ++fates.packets[static_cast<std::size_t>(h.fate)];
            p.digest = h.digest;
            if (h.fate == fate::counted) {
                ::new (em_event_pointer(p.record)) seen_in_pass{h.seen, p.head.pass};
                counted.add(p.record, self.flows_[share_of(h.seen.key)]);
            } else {
                em_free(p.record);
            }
            if (is_dropped(h.fate)) {
                self.let_go(e);
            } else {
                out.add(e, self.out_);
            }
        }
    }

    static int put_out(const em_event_t events[], const unsigned count, const em_queue_t /*queue*/, void* context) {
        packet_machine& self = *static_cast<packet_machine*>(context);
        for (unsigned i = 0; i < count; ++i) {
            packet_in_event& p = packet_of(events[i]);
            self.to_.write(frame_of(p), p.head, p.digest);
            self.let_go(events[i]);
        }
        return static_cast<int>(count);
    }

    static void count_some(void* context, em_event_t events[], int n, em_queue_t /*queue*/, void* /*q*/) {
        packet_machine& self = *static_cast<packet_machine*>(context);
        struct freed { // also when there is no memory for what follows
            ~freed() { em_free_multi(events, n); }
            em_event_t* events;
            int n;
        } const behind{events, n};
        for (const em_event_t e : std::span(events, static_cast<std::size_t>(n))) {
            const auto [seen, pass] = *static_cast<const seen_in_pass*>(em_event_pointer(e));
            flow_tables& tables = self.slots_[pass % passes_under_way].tables;
            tables[share_of(seen.key)][seen.key].count(seen);
        }
    }

    static void end_pass(void* context, em_event_t e, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
        packet_machine& self = *static_cast<packet_machine*>(context);
        const std::uint32_t pass = *static_cast<const std::uint32_t*>(em_event_pointer(e));
        em_free(e);
        struct freed { // whatever is thrown, so that nobody waits for the place
            ~freed() {
                for (flow_table& table : slot.tables) table.clear();
                slot.free.release();
            }
            pass_slot& slot;
        } const behind{self.slots_[pass % passes_under_way]};
        self.result_.end_pass(pass, behind.slot.tables, self.files_);
    }

    static void report_now(void* context, em_event_t e, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*q*/) {
        packet_machine& self = *static_cast<packet_machine*>(context);
        self.report_(self.gone_);
        if (em_tmo_ack(self.timeout_, e) == EM_OK) return;
        em_free(e); // it was cancelled meanwhile
        self.last_report_.release();
    }

    std::atomic<std::uint64_t> awaited_; // packets of all passes; when one was given up, those that were sent
    bool is_whole_ = false;
    const capture_files& files_;
    output& to_; // of the output queue's function
    work_result& result_;
    const reporter& report_;
    std::array<pass_slot, passes_under_way> slots_;
    std::vector<fates_of_core> by_fate_;
    std::vector<em_eo_t> started_; // the last one first
    std::array<em_queue_t, shares> flows_{};
    em_queue_t in_ = EM_QUEUE_UNDEF;
    em_queue_t ends_ = EM_QUEUE_UNDEF;
    em_queue_t out_ = EM_QUEUE_UNDEF;
    em_eo_t handle_ = EM_EO_UNDEF;
    em_eo_t count_ = EM_EO_UNDEF;
    em_eo_t end_ = EM_EO_UNDEF;
    em_eo_t report_object_ = EM_EO_UNDEF;
    em_pool_t records_ = EM_POOL_UNDEF;
    em_tmo_t timeout_ = EM_TMO_UNDEF;
    std::binary_semaphore last_report_{0};
    std::atomic<std::uint64_t> gone_{0}; // packets that have gone out or were dropped
    event_cores cores_;                  // last: they dispatch from here on
};

} // namespace

void pass_by_events(const capture_files& files, std::uint32_t passes, output& to, work_result& result,
                    const machine_settings& settings) {
    machine_settings s = settings;
    if (s.cores == 0) s.cores = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
    result.passes.resize(passes);
    packet_machine m(files, to, result, s);
    for (std::uint32_t pass = 0; pass < passes; ++pass) m.send_pass(pass);
    m.await_all();
}

} // namespace apps::packets
