// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include <skerry/skerry.hpp>

namespace {

// [finish]
struct node {
    node* left = nullptr;
    node* right = nullptr;
    int value = 1;
};

void visit(skerry::scope& s, const node& n, std::atomic<int>& sum) {
    sum += n.value;
    if (n.left != nullptr) s.async([&s, &n, &sum] { visit(s, *n.left, sum); });
    if (n.right != nullptr) s.async([&s, &n, &sum] { visit(s, *n.right, sum); });
}

int total(const node& root) {
    std::atomic<int> sum = 0;
    skerry::finish([&](skerry::scope& s) { visit(s, root, sum); }); // returns when the whole tree was visited
    return sum;
}
// [/finish]

bool futures() {
    // [submit]
    skerry::future<int> answer = skerry::submit([] { return 6 * 7; });
    // ... other work ...
    int value = answer.get(); // runs the task here if no worker has started it
    // [/submit]
    return value == 42;
}

bool groups() {
    // [group]
    std::atomic<bool> found = false;
    skerry::task_group search;
    for (int part = 0; part < 8; ++part) {
        search.run([&, part] {
            for (int i = 0; i < 1000 && !skerry::stop_requested(); ++i) {
                if (part * 1000 + i == 4711) {
                    found = true;
                    search.cancel(); // parts not started are skipped, the others see stop_requested()
                }
            }
        });
    }
    search.wait();
    // [/group]
    return found;
}

// [deadline]
// False: the time was up, and what had not started was skipped. Work may still have ended: look at its result.
template <class F>
bool within(std::chrono::milliseconds limit, F&& work) {
    skerry::task_group group;
    std::mutex m;
    std::condition_variable_any over;
    std::jthread timer([&](std::stop_token done) { // destroyed before the group: its destructor stops the timer
        std::unique_lock lock(m);
        if (!over.wait_for(lock, done, limit, [&] { return done.stop_requested(); })) {
            group.cancel();
        }
    });
    group.run(work);
    return group.wait() == skerry::group_status::complete;
}
// [/deadline]

bool deadlines() {
    std::atomic<int> calls = 0;
    const auto count = [&calls] { skerry::parallel_for(0, 1000, [&calls](int) { ++calls; }); };
    const bool done = within(std::chrono::hours(1), count);
    const bool late = !within(std::chrono::milliseconds(0), [&count] {
        while (!skerry::stop_requested()) {
        }
        count(); // is skipped
    });
    return done && late && calls == 1000;
}

bool others() {
    // [local]
    skerry::worker_local<long> sums; // one per worker: nobody fights over it
    skerry::parallel_for(0, 1000, [&](int i) { sums.local() += i; });
    long sum = sums.combine([](long a, long b) { return a + b; });
    // [/local]
    // [blocking]
    int bytes = skerry::blocking([] {
        return 512; /* a read(), a lock, a sleep: another thread works meanwhile */
    });
    // [/blocking]
    // [runtime]
    skerry::options o = skerry::options::from_environment();
    o.workers = 3;
    skerry::runtime three(o);
    int result = three.run([] { return skerry::parallel_reduce(std::vector<int>{1, 2, 3}); });
    skerry::statistics counts = three.stats();
    // [/runtime]
    return sum == 499500 && bytes == 512 && result == 6 && counts.slots_high_water >= 1;
}

} // namespace

int main() {
    node leaf;
    node middle{&leaf, nullptr, 2};
    node root{&middle, &leaf, 3};
    return total(root) == 7 && futures() && groups() && deadlines() && others() ? 0 : 1;
}
