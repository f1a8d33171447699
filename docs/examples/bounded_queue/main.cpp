// SPDX-License-Identifier: Apache-2.0

// A pipeline over a bounded queue: a thread of the program's own brings lines, tasks take them. Whoever waits for the
// queue does so in blocking(), so that another thread works in its place.
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <skerry/skerry.hpp>

template <class T>
class bounded_queue {
  public:
    explicit bounded_queue(std::size_t most) : most_(most) {}

    void push(T item) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return items_.size() < most_; });
        items_.push_back(std::move(item));
        changed_.notify_all();
    }
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }
    std::optional<T> pop() { // nothing: the queue is closed and empty
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || !items_.empty(); });
        if (items_.empty()) return std::nullopt;
        std::optional<T> item(std::move(items_.front()));
        items_.pop_front();
        changed_.notify_all();
        return item;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<T> items_;
    const std::size_t most_;
    bool closed_ = false;
};

int main() {
    bounded_queue<std::string> lines(16);
    std::jthread source([&] { // stands for a socket
        for (int i = 0; i < 10'000; ++i) lines.push("line " + std::to_string(i));
        lines.close();
    });
    std::atomic<std::size_t> bytes = 0;
    skerry::finish([&](skerry::scope& all) {
        for (int consumer = 0; consumer < 4; ++consumer)
            all.async([&] {
                while (std::optional<std::string> line = skerry::blocking([&] { return lines.pop(); }))
                    bytes += line->size();
            });
    });
    std::printf("%zu bytes\n", bytes.load());
    return bytes == 88'890 ? 0 : 1; // 10,000 times "line ", and 38,890 digits
}
