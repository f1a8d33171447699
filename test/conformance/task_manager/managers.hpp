// SPDX-License-Identifier: Apache-2.0
#pragma once

// The orders that the suite holds against one another, and runtimes that have them.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <ostream>
#include <random>

#include <gtest/gtest.h>

#include <skerry/dataflow.hpp>
#include <skerry/region.hpp>
#include <skerry/runtime.hpp>

#include "deps/nexus/driver.hpp"
#include "deps/nexus/model.hpp"
#include "sched/entry.hpp"

namespace task_manager_test {

namespace detail = skerry::detail;

// The golden model behind a slow connection: each word takes a random number of polls, in order for each FIFO.
class delayed_model final : public detail::nexus_device {
  public:
    explicit delayed_model(const detail::nexus_sizes& sizes, unsigned seed) : inner_(sizes), random_(seed) {}

    [[nodiscard]] std::uint64_t read(detail::nexus_register from) noexcept override {
        switch (from) {
        case detail::nexus_register::new_status: return status(from, new_.size());
        case detail::nexus_register::finished_status: return status(from, finished_.size());
        case detail::nexus_register::ready_status: {
            detail::nexus_status_word s = unpack(from);
            s.occupancy = static_cast<std::uint16_t>(ready_.empty() || ready_.front().polls != 0 ? 0 : 1);
            s.quiet = nothing_moves(s.quiet);
            return s.pack();
        }
        case detail::nexus_register::ready_task: {
            const std::uint64_t word = ready_.front().word;
            ready_.pop_front();
            return word;
        }
        default: return inner_.read(from);
        }
    }
    void write(detail::nexus_register to, std::uint64_t word) noexcept override {
        (to == detail::nexus_register::new_task ? new_ : finished_).push_back({word, some()});
    }
    std::uint64_t advance(std::uint64_t cycles) noexcept override {
        arrive(new_, detail::nexus_register::new_task);
        arrive(finished_, detail::nexus_register::finished_task);
        inner_.advance(cycles);
        while (unpack(detail::nexus_register::ready_status).occupancy != 0) {
            ready_.push_back({inner_.read(detail::nexus_register::ready_task), some()});
        }
        if (!ready_.empty() && ready_.front().polls != 0) {
            --ready_.front().polls;
        }
        return 0; // what goes on is for the next poll
    }

  private:
    struct on_its_way {
        std::uint64_t word;
        unsigned polls;
    };

    [[nodiscard]] detail::nexus_status_word unpack(detail::nexus_register from) noexcept {
        return detail::nexus_status_word::unpack(inner_.read(from));
    }
    [[nodiscard]] bool nothing_moves(bool inner_is_quiet) const noexcept {
        return inner_is_quiet && new_.empty() && finished_.empty() && ready_.empty();
    }
    [[nodiscard]] std::uint64_t status(detail::nexus_register from, std::size_t more) noexcept {
        detail::nexus_status_word s = unpack(from);
        s.occupancy = static_cast<std::uint16_t>(s.occupancy + more);
        s.quiet = nothing_moves(s.quiet);
        return s.pack();
    }
    void arrive(std::deque<on_its_way>& words, detail::nexus_register at) noexcept {
        while (!words.empty() && words.front().polls == 0) {
            inner_.write(at, words.front().word);
            words.pop_front();
        }
        if (!words.empty()) {
            --words.front().polls;
        }
    }
    [[nodiscard]] unsigned some() noexcept { return static_cast<unsigned>(random_() % 4); }

    detail::nexus_model inner_;
    std::deque<on_its_way> new_;
    std::deque<on_its_way> finished_;
    std::deque<on_its_way> ready_;
    std::minstd_rand random_;
};

enum class kind : std::uint8_t { software, model, small_model, delayed, small_delayed };

struct setting {
    kind manager;
    unsigned workers;
};

inline void PrintTo(const setting& s, std::ostream* out) {
    constexpr const char* names[] = {"software", "model", "small_model", "delayed", "small_delayed"};
    *out << names[static_cast<int>(s.manager)] << '_' << s.workers;
}

inline std::unique_ptr<detail::nexus_device> device_of(kind k) {
    // A pool of 8 and two words of each FIFO: everything is full always.
    const detail::nexus_sizes small{
        .pool = 8, .sets = 4, .ways = 4, .new_depth = 2, .ready_depth = 1, .finished_depth = 1};
    switch (k) {
    case kind::software: return nullptr;
    case kind::model: return std::make_unique<detail::nexus_model>();
    case kind::small_model: return std::make_unique<detail::nexus_model>(small);
    case kind::delayed: return std::make_unique<delayed_model>(detail::nexus_sizes{}, 1);
    case kind::small_delayed: return std::make_unique<delayed_model>(small, 2);
    }
    return nullptr;
}

// A runtime with so many workers, whose dataflow tasks the manager orders inside run(). No task is left behind it.
class managed_runtime {
  public:
    explicit managed_runtime(const setting& s) : runtime_(with(s.workers)) {
        runtime_.run([&] { // before the first task
            if (auto device = device_of(s.manager)) {
                manager_ = std::make_unique<detail::nexus_driver>(detail::current_team(), std::move(device));
                detail::current_team().look_outward(manager_.get());
            }
        });
    }
    managed_runtime(const managed_runtime&) = delete;
    managed_runtime& operator=(const managed_runtime&) = delete;
    ~managed_runtime() = default;

    template <class F>
    void run(F&& f) {
        runtime_.run(f);
    }
    [[nodiscard]] skerry::runtime& native() noexcept { return runtime_; }
    // Null: software.
    [[nodiscard]] detail::nexus_driver* manager() noexcept { return manager_.get(); }
    [[nodiscard]] std::uint64_t managed() const noexcept { return manager_ ? manager_->managed_tasks() : 0; }
    [[nodiscard]] std::uint64_t unmanaged() const noexcept { return manager_ ? manager_->unmanaged_tasks() : 0; }

  private:
    static skerry::options with(unsigned workers) {
        skerry::options o;
        o.workers = workers;
        return o;
    }

    std::unique_ptr<detail::nexus_driver> manager_; // first: workers look there until they stop
    skerry::runtime runtime_;
};

inline const auto all_settings = testing::Values(
    setting{kind::software, 1}, setting{kind::software, 2}, setting{kind::software, 4}, setting{kind::model, 1},
    setting{kind::model, 2}, setting{kind::model, 4}, setting{kind::small_model, 1}, setting{kind::small_model, 2},
    setting{kind::small_model, 4}, setting{kind::delayed, 1}, setting{kind::delayed, 2}, setting{kind::delayed, 4},
    setting{kind::small_delayed, 1}, setting{kind::small_delayed, 2}, setting{kind::small_delayed, 4});

} // namespace task_manager_test
