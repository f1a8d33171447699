// SPDX-License-Identifier: Apache-2.0
#pragma once

// The golden model of the task manager Nexus++: what any hardware behind the same registers must do, as a plain class.
// It shares nothing with the hardware but the words. It allocates at construction only.
//
// Thread safety: one thread at a time.
//
// Invariants, which broken() looks for:
//  1. An address has one row at most.
//  2. A row has one active writer or any number of active readers, not both.
//  3. A row without an active access has no waiting one.
//  4. The first waiting access of a row cannot be active: it writes, or a writer is active.
//  5. Entries of the pool that no task holds are on the free list, each once.
//  6. A task is as many accesses short of ready as are waiting.
//  7. A task is ready, running, or waits for an access.

#include <cstdint>
#include <vector>

#include "deps/nexus/device.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct nexus_sizes {
    std::uint32_t pool = nexus_pool_entries; // entries of the task pool: 1 to 65,535
    std::uint32_t sets = nexus_table_sets;   // of the dependence table: a power of two, to 32,768
    std::uint32_t ways = nexus_table_ways;   // 1 to 255
    std::uint32_t new_depth = 64;            // words of each FIFO: 1 to 65,535
    std::uint32_t ready_depth = 64;
    std::uint32_t finished_depth = 64;
};

class nexus_model final : public nexus_device {
  public:
    explicit nexus_model(const nexus_sizes& sizes = {});

    [[nodiscard]] std::uint64_t read(nexus_register from) noexcept override;
    void write(nexus_register to, std::uint64_t word) noexcept override;
    // A cycle takes one finished word with all that follows of it or, if there is none, one word of a new task, and
    // moves one ready task into the Ready FIFO.
    std::uint64_t advance(std::uint64_t cycles) noexcept override;

    // No task is inside and no address has a row.
    [[nodiscard]] bool empty() const noexcept;
    // The first invariant that does not hold, in words; nullptr: all hold. Steps: sizes of pool and table.
    [[nodiscard]] const char* broken() const;

  private:
    using index = std::uint32_t;
    static constexpr index none = ~index{0};

    // A ring of fixed depth.
    class ring {
      public:
        explicit ring(std::uint32_t depth);
        [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
        [[nodiscard]] bool full() const noexcept { return size_ == words_.size(); }
        [[nodiscard]] std::uint32_t depth() const noexcept { return static_cast<std::uint32_t>(words_.size()); }
        [[nodiscard]] std::uint64_t front() const noexcept { return words_[first_]; }
        void push(std::uint64_t word) noexcept;
        std::uint64_t pop() noexcept;

      private:
        std::vector<std::uint64_t> words_;
        std::uint32_t first_ = 0;
        std::uint32_t size_ = 0;
    };

    enum class state : std::uint8_t { unused, entering, waiting, ready, running, continued };

    // An access of a task: of its entry, the number modulo nexus_entry_accesses.
    struct access {
        index row = none;
        index next = none; // that waits for the same address
        bool writes = false;
        bool waits = false;
    };
    // An entry of the task pool: a task, or (`continued`) accesses of one that it had no more room for.
    struct entry {
        std::uint64_t function = 0;
        index owner = none;        // the entry that is the task
        index next = none;         // more accesses of this task; in the free list, the next free one
        std::uint32_t used = 0;    // accesses here
        std::uint32_t waiting = 0; // accesses of the whole task that wait
        state is = state::unused;
    };
    // A row of the dependence table; its address is in addresses_.
    struct row {
        std::uint32_t readers = 0; // active
        bool writer = false;       // active
        index first = none;        // accesses that wait, in the order of their tasks
        index last = none;
        index claimed = none; // access of the task that is being taken in
    };

    static constexpr std::uint64_t no_address = ~std::uint64_t{0};

    bool step() noexcept;
    bool take_new() noexcept;
    void begin(const nexus_header_word& header) noexcept;
    bool claim(const nexus_access_word& word) noexcept;
    void enter() noexcept;
    void finish(index id) noexcept;
    void release(access& ended) noexcept;
    void activate(row& r, index which) noexcept;
    [[nodiscard]] index find_row(std::uint64_t address) noexcept;

    // Constant.
    nexus_sizes sizes_;
    nexus_shape_word shape_;

    ring new_;
    ring ready_;
    ring finished_;
    ring turn_; // ids of ready tasks, before the Ready FIFO; as deep as the pool, so it is never full

    std::vector<entry> pool_;
    std::vector<access> accesses_; // nexus_entry_accesses for each entry
    std::vector<std::uint64_t> addresses_;
    std::vector<row> rows_;
    index free_ = none;
    std::uint32_t free_count_ = 0;
    std::uint32_t rows_used_ = 0;

    // The task that is being taken in.
    index entering_ = none;
    index filling_ = none;      // its entry that gets the next access
    std::uint32_t missing_ = 0; // access words that are still to come
    std::uint64_t tasks_ = 0;   // taken in so far
    bool quiet_ = true;
};

} // namespace skerry::inline SKERRY_ABI::detail
