// SPDX-License-Identifier: Apache-2.0
#pragma once

// A host that takes a random program through a task manager and holds it against a judge (order.hpp):
//  - a task is ready once, and when the judge says that it may run;
//  - a manager that is quiet has given out every task that may run and that it has taken in, if its Ready FIFO has
//    room;
//  - it never stops for good;
//  - at the end nothing is left in it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "deps/nexus/device.hpp"
#include "order.hpp"
#include "programs.hpp"

namespace nexus_dv {

// eager: does all it can at each turn. slow: one word at a time, and tasks are long. stuttering: a random number of
// words, reads and cycles. withholding: does not write the last word of a task before all that it waits for has ended.
enum class manner : std::uint8_t { eager, slow, stuttering, withholding };
inline constexpr std::array<std::string_view, 4> manner_names{"eager", "slow", "stuttering", "withholding"};

enum class ends : std::uint8_t { oldest_first, newest_first, any };
inline constexpr std::array<std::string_view, 3> ends_names{"oldest first", "newest first", "any"};

struct host_habits {
    manner how = manner::eager;
    ends order = ends::any;
    unsigned cores = 8; // tasks that run at the same time
};

struct outcome {
    std::string wrong; // empty: all went well
    std::uint64_t cycles = 0;
    std::uint64_t tasks = 0;
    std::uint64_t most_inside = 0;
};

// The function pointer of a task: some of its high bits count, too.
inline std::uint64_t function_of(std::size_t task) noexcept { return 0xa50000000000U | (task * 16); }

template <class Judge>
class host {
  public:
    // `window`: no more tasks than these are submitted and have not ended.
    host(nexus_device& device, Judge& judge, const program& tasks, const host_habits& habits, std::size_t window,
         random_bits& random)
        : device_(device),
          judge_(judge),
          program_(tasks),
          habits_(habits),
          window_(window),
          random_(random),
          states_(tasks.tasks(), state::unknown) {}

    outcome run() {
        std::uint64_t idle_turns = 0;
        while (result_.wrong.empty() && result_.tasks < program_.tasks()) {
            moved_ = false;
            submit();
            pass();
            take();
            end();
            const auto status = status_of(nexus_register::ready_status);
            if (status.quiet) look_at_quiet(status);
            idle_turns = moved_ ? 0 : idle_turns + 1;
            if (idle_turns > (status.quiet ? 100U : 20'000U)) fail("does not go on", oldest_);
        }
        if (result_.wrong.empty()) {
            device_.advance(settle_cycles);
            if (status_of(nexus_register::ready_status).occupancy != 0) fail("has a task more than there were", 0);
            if (device_.read(nexus_register::tasks) != program_.tasks()) fail("counts its tasks wrong", 0);
            if (!status_of(nexus_register::new_status).quiet) fail("is not quiet at the end", 0);
        }
        return result_;
    }

  private:
    enum class state : std::uint8_t { unknown, submitted, running, ended };
    static constexpr std::uint64_t settle_cycles = 100'000;

    void fail(std::string_view what, std::size_t task) {
        if (result_.wrong.empty()) result_.wrong = std::string(what) + " (task " + std::to_string(task) + ')';
    }
    nexus_status_word status_of(nexus_register from) { return nexus_status_word::unpack(device_.read(from)); }

    // Words of new tasks.
    void submit() {
        if (written_ == program_.tasks()) return;
        const auto status = status_of(nexus_register::new_status);
        std::uint64_t room = std::uint64_t{status.depth} - status.occupancy;
        if (habits_.how == manner::slow) room = std::min<std::uint64_t>(room, 1);
        if (habits_.how == manner::stuttering) room = std::min(room, below(random_, 12));
        while (room-- != 0 && written_ < program_.tasks()) {
            const auto accesses = program_.of(written_);
            if (next_word_ == 0) {
                if (written_ - result_.tasks >= window_) return;
                judge_.submit(accesses);
                order_.submit(accesses);
                const nexus_header_word header{.function = function_of(written_),
                                               .accesses = static_cast<std::uint16_t>(accesses.size())};
                device_.write(nexus_register::new_task, header.pack());
                result_.most_inside = std::max<std::uint64_t>(result_.most_inside, written_ + 1 - result_.tasks);
            } else {
                if (habits_.how == manner::withholding && next_word_ == accesses.size() && !order_.may_run(written_))
                    return;
                device_.write(nexus_register::new_task, accesses[next_word_ - 1]);
            }
            moved_ = true;
            if (next_word_++ == accesses.size()) {
                states_[written_] = state::submitted;
                ++written_;
                next_word_ = 0;
            }
        }
    }

    void pass() {
        std::uint64_t cycles = 4;
        if (habits_.how == manner::slow) cycles = 30;
        if (habits_.how == manner::stuttering) cycles = 1 + below(random_, below(random_, 8) == 0 ? 200 : 10);
        result_.cycles += device_.advance(cycles);
    }

    // Ready words, for cores that are free.
    void take() {
        std::uint64_t words = status_of(nexus_register::ready_status).occupancy;
        if (habits_.how == manner::stuttering) words = std::min(words, below(random_, 4));
        while (words-- != 0 && running_.size() < habits_.cores) {
            const auto ready = nexus_ready_word::unpack(device_.read(nexus_register::ready_task));
            moved_ = true;
            const std::size_t task = (ready.function & ~function_of(0)) / 16;
            if (function_of(task) != ready.function || task >= program_.tasks())
                return fail("gives out what is no task", task);
            if (states_[task] == state::unknown) return fail("gives out a task that has not been submitted", task);
            if (states_[task] != state::submitted) return fail("gives out a task twice", task);
            if (!judge_.may_run(task)) return fail("gives out a task before its turn", task);
            states_[task] = state::running;
            running_.push_back({.task = task, .id = ready.id});
        }
    }

    void end() {
        const auto status = status_of(nexus_register::finished_status);
        std::uint64_t room = std::uint64_t{status.depth} - status.occupancy;
        if (habits_.how == manner::slow) room = below(random_, 10) == 0 ? 1 : 0;
        if (habits_.how == manner::stuttering) room = std::min(room, below(random_, 5));
        // A quiet manager waits for us.
        if (status.quiet && room == 0 && status.occupancy < status.depth) room = 1;
        while (room-- != 0 && !running_.empty()) {
            std::size_t which = 0;
            if (habits_.order == ends::newest_first) which = running_.size() - 1;
            if (habits_.order == ends::any) which = below(random_, running_.size());
            const core ended = running_[which];
            running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(which));
            states_[ended.task] = state::ended;
            judge_.finish(ended.task);
            order_.finish(ended.task);
            device_.write(nexus_register::finished_task, nexus_finished_word{.id = ended.id}.pack());
            ++result_.tasks;
            moved_ = true;
        }
    }

    void look_at_quiet(const nexus_status_word& ready) {
        if (ready.occupancy == ready.depth) return;
        // What lies in the Ready FIFO has been given out: count it.
        const std::uint64_t taken = device_.read(nexus_register::tasks);
        std::size_t waiting = 0;
        for (std::size_t t = oldest_; t < taken; ++t) {
            if (t == oldest_ && states_[t] != state::submitted)
                ++oldest_;
            else if (states_[t] == state::submitted && judge_.may_run(t))
                ++waiting;
        }
        // One too many is seen when it is taken.
        if (waiting > ready.occupancy) fail("is quiet, and a task that may run is not given out", oldest_);
    }

    struct core {
        std::size_t task;
        std::uint16_t id;
    };

    nexus_device& device_;
    Judge& judge_;
    const program& program_;
    const host_habits habits_;
    const std::size_t window_;
    random_bits& random_;

    order_by_address order_; // for the host that withholds
    std::vector<state> states_;
    std::vector<core> running_;
    std::size_t oldest_ = 0;    // all tasks before it have been given out
    std::size_t written_ = 0;   // tasks whose words are all written
    std::size_t next_word_ = 0; // of the next one; 0 is its header
    bool moved_ = false;
    outcome result_;
};

} // namespace nexus_dv
