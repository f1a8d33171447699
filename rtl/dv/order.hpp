// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two judges of a task manager. Each hears of the same tasks, and knows which may run.
//   order_by_address   from the rule alone: the last writer of each address and who has read since
//   golden_order       the golden model, with a pool and a table that never fill

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "deps/nexus/model.hpp"

namespace nexus_dv {

using namespace skerry::detail;

class order_by_address {
  public:
    // Tasks have the numbers 0, 1, 2 ... in the order of their submission.
    void submit(std::span<const std::uint64_t> accesses) {
        const std::size_t number = tasks_.size();
        tasks_.emplace_back();
        // Strongest mode of each address.
        std::unordered_map<std::uint64_t, bool> writes;
        for (const std::uint64_t word : accesses) {
            const auto access = nexus_access_word::unpack(word);
            writes[access.address] |= access.mode != nexus_mode::in;
        }
        for (const auto& [address, written] : writes) {
            history& past = addresses_[address];
            if (written) {
                for (const std::size_t reader : past.readers) order(reader, number);
                if (past.readers.empty() && past.written) order(past.writer, number);
                past.readers.clear();
                past.writer = number;
                past.written = true;
            } else {
                if (past.written) order(past.writer, number);
                past.readers.push_back(number);
            }
        }
    }
    [[nodiscard]] bool may_run(std::size_t task) const { return tasks_[task].unmet == 0; }
    void finish(std::size_t task) {
        tasks_[task].ended = true;
        for (const std::size_t after : tasks_[task].successors) --tasks_[after].unmet;
        tasks_[task].successors = {};
    }

  private:
    struct history {
        std::size_t writer = 0;
        bool written = false;
        std::vector<std::size_t> readers; // since then
    };
    struct node {
        std::size_t unmet = 0;
        bool ended = false;
        std::vector<std::size_t> successors;
    };
    void order(std::size_t before, std::size_t after) {
        if (tasks_[before].ended) return;
        tasks_[before].successors.push_back(after);
        ++tasks_[after].unmet;
    }

    std::vector<node> tasks_;
    std::unordered_map<std::uint64_t, history> addresses_;
};

class golden_order {
  public:
    // `window`: tasks that are inside at the same time, at most. A task has 8 accesses at most.
    explicit golden_order(std::uint32_t window)
        : model_({.pool = window, .sets = 4096, .ways = 64, .new_depth = 16, .ready_depth = window}) {}

    void submit(std::span<const std::uint64_t> accesses) {
        const nexus_header_word header{.function = ids_.size(),
                                       .accesses = static_cast<std::uint16_t>(accesses.size())};
        ids_.push_back(unknown);
        model_.write(nexus_register::new_task, header.pack());
        for (const std::uint64_t word : accesses) model_.write(nexus_register::new_task, word);
        settle();
    }
    [[nodiscard]] bool may_run(std::size_t task) const { return ids_[task] != unknown; }
    void finish(std::size_t task) {
        model_.write(nexus_register::finished_task, nexus_finished_word{.id = ids_[task]}.pack());
        settle();
    }
    [[nodiscard]] bool empty() const noexcept { return model_.empty(); }

  private:
    static constexpr std::uint16_t unknown = 0xffff;

    void settle() {
        model_.advance(~std::uint64_t{0});
        while (nexus_status_word::unpack(model_.read(nexus_register::ready_status)).occupancy != 0) {
            const auto word = nexus_ready_word::unpack(model_.read(nexus_register::ready_task));
            ids_[word.function] = word.id;
        }
    }

    nexus_model model_;
    std::vector<std::uint16_t> ids_; // by number of the task
};

} // namespace nexus_dv
