// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine that is simulated: what machines/*.toml say. machines/README.md explains the keys.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace skerry_sim {

namespace detail {
struct protocol_kind; // sim/protocol/protocol.hpp
}

// How cores send each other messages and copy bytes without sharing memory (sim/message_network.hpp).
struct fabric_description {
    unsigned request_slots = 0; // credits of each ordered pair of cores
    unsigned reply_slots = 0;

    // Nodes stand in a mesh of its own, core c on node c / node_cores; on a node there are no hops.
    unsigned node_cores = 0;
    unsigned columns = 0;
    unsigned rows = 0;
    unsigned layers = 0;

    // Of the core that does it.
    unsigned post_cycles = 0;
    unsigned poll_cycles = 0; // for a look, and for each message taken

    // From the end of a post until the message can be taken: message_cycles + hops * hop_cycles. Credits, kicks, news
    // of an end and each way of a copy take as long.
    unsigned message_cycles = 0;
    unsigned hop_cycles = 0;

    unsigned copy_start_cycles = 0; // of the asking core, for each extent
    unsigned copy_bytes_per_cycle = 0;

    unsigned failure_cycles = 0; // how much later than another end a death is known

    unsigned hops(unsigned a, unsigned b) const noexcept;
    std::int64_t way(unsigned a, unsigned b) const noexcept {
        return std::int64_t{message_cycles} + std::int64_t{hops(a, b)} * hop_cycles;
    }
};

struct interrupts_description {
    unsigned entry_cycles = 0; // from a core's last instruction to the handler's first
};

struct machine_description {
    std::string name;

    struct {
        unsigned count = 0;
        unsigned columns = 0; // of the mesh; cores fill it row by row
        unsigned block_cycles = 0;
    } cores;

    struct {
        const detail::protocol_kind* protocol = nullptr;
        unsigned bytes = 0;
        unsigned ways = 0;
        unsigned write_buffer = 0; // writes that may be on their way; 0: the protocol buffers none
    } l1;

    struct {
        unsigned banks = 0; // bank b lies below column b mod columns
        unsigned bank_bytes = 0;
        unsigned ways = 0;
        unsigned cycles = 0;
    } l2;

    struct {
        unsigned channel_cycles = 0;
        unsigned router_cycles = 0;
        unsigned flit_bytes = 0;
    } network;

    struct {
        unsigned cycles = 0;
        unsigned line_cycles = 0; // how long one line keeps its controller busy
    } dram;

    std::optional<interrupts_description> interrupts; // none: its cores have no user-level interrupts

    std::optional<fabric_description> fabric; // none: its cores share memory and send no messages

    // From one core to the next: the least time in which anything that one core does can reach another.
    unsigned least_latency() const noexcept { return network.channel_cycles + network.router_cycles + 2; }
};

// A description that cannot be used. Its text names the file, the line, the key, its value and what is accepted.
class bad_machine : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The protocol that descriptions call by this name; null if there is none.
const detail::protocol_kind* protocol_named(std::string_view name) noexcept;

// `source` is the name by which messages call the text. Keys of the section [configs.CONFIG] stand for the file's own;
// without a configuration the file's hold. Throws bad_machine.
machine_description parse_machine(std::string_view text, std::string_view source, std::string_view config = {});
machine_description read_machine(const std::filesystem::path& file, std::string_view config = {});

} // namespace skerry_sim
