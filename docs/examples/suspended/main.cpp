// SPDX-License-Identifier: Apache-2.0
// Requests that need an answer from elsewhere: each receive function waits for its own, and one core has all of them
// under way at a time.
#include <skerry/event.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>

struct request {
    int number, answer;
};

// Stands for what is elsewhere: a disk, another machine. It answers in its own time, on a thread of its own.
class service {
  public:
    void ask(em_event_t event) {
        const std::lock_guard lock(lock_);
        asked_.push(event);
        ++all_;
        more_.notify_one();
    }
    void stop() {
        const std::lock_guard lock(lock_);
        over_ = true;
        more_.notify_one();
    }
    int asked_for() {
        const std::lock_guard lock(lock_);
        return all_;
    }
    // [resume]
    void run(int at_first) { // answers nothing before so many have asked
        std::unique_lock lock(lock_);
        for (;;) {
            more_.wait(lock, [&] { return over_ || (all_ >= at_first && !asked_.empty()); });
            if (over_) return;
            const em_event_t event = asked_.front();
            asked_.pop();
            request& r = *static_cast<request*>(em_event_pointer(event)); // which waits, so nobody else uses it
            r.answer = r.number * r.number;
            skerry_em_resume(event);
        }
    }
    // [/resume]

  private:
    std::mutex lock_;
    std::condition_variable more_;
    std::queue<em_event_t> asked_;
    int all_ = 0;
    bool over_ = false;
};

constexpr int count = 100;
service elsewhere;
int right = 0; // one core, so no two receive functions at a time
std::atomic<int> left = count;

em_status_t start(void*, em_eo_t, const em_eo_conf_t*) { return EM_OK; }
em_status_t stop(void*, em_eo_t) { return EM_OK; }

// [suspend]
void receive(void*, em_event_t event, em_event_type_t, em_queue_t, void*) {
    request& r = *static_cast<request*>(em_event_pointer(event));
    elsewhere.ask(event);
    if (skerry_em_suspend() == EM_OK && r.answer == r.number * r.number) ++right;
    em_free(event);
    --left;
}
// [/suspend]

int main() {
    // [begin]
    skerry_em_options_t options;
    skerry_em_options_init(&options);
    options.cooperative = 1;
    if (skerry_em_configure(&options) != EM_OK) return 1;
    // [/begin]
    em_conf_t conf;
    em_conf_init(&conf);
    conf.thread_per_core = 1;
    conf.core_count = 1;
    em_core_mask_set_count(1, &conf.phys_mask);
    if (em_init(&conf) != EM_OK || em_init_core() != EM_OK) return 1;
    const em_eo_t eo = em_eo_create("asks", start, nullptr, stop, nullptr, receive, nullptr);
    const em_queue_t queue =
        em_queue_create("in", EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
    em_eo_add_queue_sync(eo, queue);
    em_eo_start_sync(eo, nullptr, nullptr);
    for (int i = 0; i < count; ++i) {
        const em_event_t event = em_alloc(sizeof(request), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
        *static_cast<request*>(em_event_pointer(event)) = {i, 0};
        if (em_send(event, queue) != EM_OK) return 1;
    }
    std::thread answers([] { elsewhere.run(count); });
    while (left > 0) em_dispatch(count);
    elsewhere.stop();
    answers.join();
    em_eo_stop_sync(eo);
    em_term_core(); // would wait for what is suspended
    em_term(&conf);
    std::printf("%d of %d answers arrived, %d were waited for at a time\n", right, count, elsewhere.asked_for());
    return right == count && elsewhere.asked_for() == count ? 0 : 1;
}
