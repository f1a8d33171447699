// SPDX-License-Identifier: Apache-2.0
// Written by tools/generate from spec/nexus.toml; change that file.
#pragma once

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The registers of a task manager, by their offset in bytes.
enum class nexus_register : std::uint8_t {
    // Write: puts a header or an access word into the New FIFO, which must have room.
    new_task = 0x00,
    // Read: state of the New FIFO.
    new_status = 0x08,
    // Read: takes a word from the Ready FIFO, which must have one.
    ready_task = 0x10,
    // Read: state of the Ready FIFO.
    ready_status = 0x18,
    // Write: puts a word into the Finished FIFO, which must have room.
    finished_task = 0x20,
    // Read: state of the Finished FIFO.
    finished_status = 0x28,
    // Read: the sizes of the manager; they never change.
    shape = 0x30,
    // Read: tasks that were taken in so far: all their words have come, and the accesses of each stand in their
    // order.
    tasks = 0x38,
};

// Table I of the paper.
inline constexpr std::uint32_t nexus_pool_entries = 1024;
inline constexpr std::uint32_t nexus_entry_accesses = 8;
inline constexpr std::uint32_t nexus_table_sets = 256;
inline constexpr std::uint32_t nexus_table_ways = 8;

// Header: the first word of a task; its access words follow, so that a task with n accesses is n + 1 words.
struct nexus_header_word {
    // Bits 47:0: function pointer: the manager hands it back when the task is ready, and looks at no bit of it.
    std::uint64_t function = 0;
    // Bits 59:48: number of access words that follow.
    std::uint16_t accesses = 0;
    // Bit 60: reserved for the waiter of a taskwait_on, which the manager itself would end: 0.
    bool taskwait_on = false;

    static constexpr std::uint64_t most_function = 0xffffffffffff;
    static constexpr std::uint64_t most_accesses = 0xfff;
    static constexpr std::uint64_t most_taskwait_on = 0x1;

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        std::uint64_t word = 0;
        word |= static_cast<std::uint64_t>(function) & most_function;
        word |= (static_cast<std::uint64_t>(accesses) & most_accesses) << 48;
        word |= (static_cast<std::uint64_t>(taskwait_on) & most_taskwait_on) << 60;
        return word;
    }
    [[nodiscard]] static constexpr nexus_header_word unpack(std::uint64_t word) noexcept {
        nexus_header_word w;
        w.function = word & most_function;
        w.accesses = static_cast<std::uint16_t>((word >> 48) & most_accesses);
        w.taskwait_on = ((word >> 60) & most_taskwait_on) != 0;
        return w;
    }
    friend constexpr bool operator==(const nexus_header_word&, const nexus_header_word&) = default;
};

// Mode of the access word: how; the strongest of several is their bitwise or.
enum class nexus_mode : std::uint8_t { in = 1, out = 2, inout = 3 };

// Access: one access of a task.
struct nexus_access_word {
    // Bits 47:0: what is accessed; two addresses are the same or have nothing in common.
    std::uint64_t address = 0;
    // Bits 49:48: how; the strongest of several is their bitwise or.
    nexus_mode mode = nexus_mode::in;

    static constexpr std::uint64_t most_address = 0xffffffffffff;
    static constexpr std::uint64_t most_mode = 0x3;

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        std::uint64_t word = 0;
        word |= static_cast<std::uint64_t>(address) & most_address;
        word |= (static_cast<std::uint64_t>(mode) & most_mode) << 48;
        return word;
    }
    [[nodiscard]] static constexpr nexus_access_word unpack(std::uint64_t word) noexcept {
        nexus_access_word w;
        w.address = word & most_address;
        w.mode = static_cast<nexus_mode>((word >> 48) & most_mode);
        return w;
    }
    friend constexpr bool operator==(const nexus_access_word&, const nexus_access_word&) = default;
};

// Ready: a task whose turn has come.
struct nexus_ready_word {
    // Bits 47:0: function pointer of its header word.
    std::uint64_t function = 0;
    // Bits 63:48: its number in the task pool; it belongs to the task until its finished word is taken.
    std::uint16_t id = 0;

    static constexpr std::uint64_t most_function = 0xffffffffffff;
    static constexpr std::uint64_t most_id = 0xffff;

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        std::uint64_t word = 0;
        word |= static_cast<std::uint64_t>(function) & most_function;
        word |= (static_cast<std::uint64_t>(id) & most_id) << 48;
        return word;
    }
    [[nodiscard]] static constexpr nexus_ready_word unpack(std::uint64_t word) noexcept {
        nexus_ready_word w;
        w.function = word & most_function;
        w.id = static_cast<std::uint16_t>((word >> 48) & most_id);
        return w;
    }
    friend constexpr bool operator==(const nexus_ready_word&, const nexus_ready_word&) = default;
};

// Finished: a task has ended.
struct nexus_finished_word {
    // Bits 15:0: the id of its ready word.
    std::uint16_t id = 0;

    static constexpr std::uint64_t most_id = 0xffff;

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        std::uint64_t word = 0;
        word |= static_cast<std::uint64_t>(id) & most_id;
        return word;
    }
    [[nodiscard]] static constexpr nexus_finished_word unpack(std::uint64_t word) noexcept {
        nexus_finished_word w;
        w.id = static_cast<std::uint16_t>(word & most_id);
        return w;
    }
    friend constexpr bool operator==(const nexus_finished_word&, const nexus_finished_word&) = default;
};

// Status: the state of a FIFO.
struct nexus_status_word {
    // Bits 15:0: words in the FIFO.
    std::uint16_t occupancy = 0;
    // Bits 31:16: words for which the FIFO has room.
    std::uint16_t depth = 0;
    // Bit 63: nothing is under way in the manager: time alone changes nothing, only a word that is written or read.
    bool quiet = false;

    static constexpr std::uint64_t most_occupancy = 0xffff;
    static constexpr std::uint64_t most_depth = 0xffff;
    static constexpr std::uint64_t most_quiet = 0x1;

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        std::uint64_t word = 0;
        word |= static_cast<std::uint64_t>(occupancy) & most_occupancy;
        word |= (static_cast<std::uint64_t>(depth) & most_depth) << 16;
        word |= (static_cast<std::uint64_t>(quiet) & most_quiet) << 63;
        return word;
    }
    [[nodiscard]] static constexpr nexus_status_word unpack(std::uint64_t word) noexcept {
        nexus_status_word w;
        w.occupancy = static_cast<std::uint16_t>(word & most_occupancy);
        w.depth = static_cast<std::uint16_t>((word >> 16) & most_depth);
        w.quiet = ((word >> 63) & most_quiet) != 0;
        return w;
    }
    friend constexpr bool operator==(const nexus_status_word&, const nexus_status_word&) = default;
};

// Shape: the sizes of this manager, which decide what can never fit.
struct nexus_shape_word {
    // Bits 15:0: entries of the task pool.
    std::uint16_t pool = 0;
    // Bits 31:16: sets of the dependence table, a power of two.
    std::uint16_t sets = 0;
    // Bits 39:32: addresses that each set has room for.
    std::uint8_t ways = 0;
    // Bits 51:40: access words that one task may have.
    std::uint16_t accesses = 0;

    static constexpr std::uint64_t most_pool = 0xffff;
    static constexpr std::uint64_t most_sets = 0xffff;
    static constexpr std::uint64_t most_ways = 0xff;
    static constexpr std::uint64_t most_accesses = 0xfff;

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        std::uint64_t word = 0;
        word |= static_cast<std::uint64_t>(pool) & most_pool;
        word |= (static_cast<std::uint64_t>(sets) & most_sets) << 16;
        word |= (static_cast<std::uint64_t>(ways) & most_ways) << 32;
        word |= (static_cast<std::uint64_t>(accesses) & most_accesses) << 40;
        return word;
    }
    [[nodiscard]] static constexpr nexus_shape_word unpack(std::uint64_t word) noexcept {
        nexus_shape_word w;
        w.pool = static_cast<std::uint16_t>(word & most_pool);
        w.sets = static_cast<std::uint16_t>((word >> 16) & most_sets);
        w.ways = static_cast<std::uint8_t>((word >> 32) & most_ways);
        w.accesses = static_cast<std::uint16_t>((word >> 40) & most_accesses);
        return w;
    }
    friend constexpr bool operator==(const nexus_shape_word&, const nexus_shape_word&) = default;
};

// Number: a count.
struct nexus_number_word {
    // Bits 63:0: how many.
    std::uint64_t count = 0;

    static constexpr std::uint64_t most_count = 0xffffffffffffffff;

    [[nodiscard]] constexpr std::uint64_t pack() const noexcept {
        std::uint64_t word = 0;
        word |= static_cast<std::uint64_t>(count) & most_count;
        return word;
    }
    [[nodiscard]] static constexpr nexus_number_word unpack(std::uint64_t word) noexcept {
        nexus_number_word w;
        w.count = word & most_count;
        return w;
    }
    friend constexpr bool operator==(const nexus_number_word&, const nexus_number_word&) = default;
};

} // namespace skerry::inline SKERRY_ABI::detail
