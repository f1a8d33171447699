// SPDX-License-Identifier: Apache-2.0
#include "sim/machine_description.hpp"

#include <bit>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>

#include <toml++/toml.h>

#include "sim/protocol/protocol.hpp"

namespace skerry_sim {

namespace {

constexpr unsigned line_bytes = 64;
constexpr unsigned most_cores = 64; // the set of a line's holders is one word

constexpr const detail::protocol_kind* protocols[] = {&detail::gpu_wb, &detail::gpu_wt, &detail::mesi};

// As messages list them: "a", "b" or "c".
std::string protocol_names() {
    std::string text;
    const std::size_t number = std::size(protocols);
    for (std::size_t i = 0; i < number; ++i) {
        text.append(i == 0 ? "" : i + 1 == number ? " or " : ", ").append("\"").append(protocols[i]->name).append("\"");
    }
    return text;
}

std::string spelled(const toml::node& node) {
    std::ostringstream text;
    node.visit([&](const auto& value) { text << value; });
    return text.str();
}

class reader {
  public:
    explicit reader(std::string_view source) : source_(source) {}

    [[noreturn]] void fail(const toml::source_region& where, const std::string& what) const {
        std::string place = source_;
        if (where.begin.line != 0) {
            place += ":" + std::to_string(where.begin.line);
        }
        throw bad_machine("skerry: sim: " + place + ": " + what);
    }

    // From here on the keys of this configuration stand for the file's own.
    void choose(const toml::table& file, std::string_view name, std::initializer_list<std::string_view> sections) {
        const toml::table* const configs = file["configs"].as_table();
        std::string there_are;
        if (configs != nullptr) {
            for (const auto& [key, value] : *configs) {
                there_are.append(there_are.empty() ? "there are " : ", ").append(key.str());
            }
        }
        const toml::node* const chosen = configs == nullptr ? nullptr : configs->get(name);
        if (chosen == nullptr) {
            fail(file.source(), "there is no configuration '" + std::string(name) + "'; " +
                                    (there_are.empty() ? "the file has none" : there_are));
        }
        config_ = chosen->as_table();
        config_name_ = "[configs." + std::string(name) + "]";
        if (config_ == nullptr) {
            fail(chosen->source(), config_name_ + " = " + spelled(*chosen) + ": a section is accepted");
        }
        known(*config_, config_name_, sections);
    }

    // Whether the file or the configuration has the section.
    bool has(const toml::table& file, const char* name) const {
        return file.contains(name) || (config_ != nullptr && config_->contains(name));
    }

    // The section, which has these keys and no others. What it lacks the configuration may have.
    const toml::table& section(const toml::table& file, const char* name,
                               std::initializer_list<std::string_view> keys) {
        if (const toml::node* const more = config_ == nullptr ? nullptr : config_->get(name)) {
            if (!more->is_table()) {
                fail(more->source(),
                     config_name_ + " has " + name + " = " + spelled(*more) + ": keys " + name + ".KEY are accepted");
            }
            known(*more->as_table(), config_name_ + ": " + name, keys);
            if (!file.contains(name)) {
                return *more->as_table();
            }
        }
        const toml::node* const node = file.get(name);
        if (node == nullptr) {
            fail(file.source(), "section [" + std::string(name) + "] is missing");
        }
        if (!node->is_table()) {
            fail(node->source(), std::string(name) + " = " + spelled(*node) + ": a section [" + name + "] is accepted");
        }
        known(*node->as_table(), "[" + std::string(name) + "]", keys);
        return *node->as_table();
    }

    void known(const toml::table& table, const std::string& where, std::initializer_list<std::string_view> keys) const {
        for (const auto& [key, value] : table) {
            bool found = false;
            std::string accepted;
            for (const std::string_view k : keys) {
                found = found || k == key.str();
                accepted.append(accepted.empty() ? "" : ", ").append(k);
            }
            if (!found) {
                // NOLINTNEXTLINE(performance-inefficient-string-concatenation): once, and then it throws
                fail(key.source(), where + " has no key '" + std::string(key.str()) + "'; accepted are " + accepted);
            }
        }
    }

    unsigned number(const toml::table& table, const char* section, const char* key, unsigned least, unsigned most,
                    bool power_of_two = false) const {
        const std::string name = std::string(section) + "." + key;
        const std::string accepted = std::string(power_of_two ? "a power of two" : "a whole number") + " from " +
                                     std::to_string(least) + " to " + std::to_string(most);
        const toml::node* const node = value_of(table, section, key);
        if (node == nullptr) {
            fail(table.source(), name + " is missing; " + accepted + " is accepted");
        }
        const auto* const whole = node->as_integer();
        if (whole == nullptr || whole->get() < least || whole->get() > most ||
            (power_of_two && !std::has_single_bit(static_cast<std::uint64_t>(whole->get())))) {
            fail(node->source(), name + " = " + spelled(*node) + ": not understood; " + accepted + " is accepted");
        }
        return static_cast<unsigned>(whole->get());
    }

    std::string word(const toml::table& table, const char* section, const char* key,
                     const std::string& accepted) const {
        const std::string name = (*section == 0 ? "" : std::string(section) + ".") + key;
        const toml::node* const node = value_of(table, section, key);
        if (node == nullptr) {
            fail(table.source(), name + " is missing; " + accepted + " is accepted");
        }
        if (!node->is_string() || node->as_string()->get().empty()) {
            fail(node->source(), name + " = " + spelled(*node) + ": not understood; " + accepted + " is accepted");
        }
        return node->as_string()->get();
    }

    // Null: neither the configuration nor the file has it.
    const toml::node* value_of(const toml::table& table, const char* section, const char* key) const {
        if (config_ != nullptr) {
            if (const toml::table* const more = (*config_)[section].as_table();
                more != nullptr && more->contains(key)) {
                return more->get(key);
            }
        }
        return table.get(key);
    }

  private:
    std::string source_;
    const toml::table* config_ = nullptr;
    std::string config_name_;
};

fabric_description read_fabric(reader& in, const toml::table& file, unsigned cores) {
    const auto& table = in.section(file, "fabric",
                                   {"request_slots", "reply_slots", "node_cores", "columns", "rows", "layers",
                                    "post_cycles", "poll_cycles", "message_cycles", "hop_cycles", "copy_start_cycles",
                                    "copy_bytes_per_cycle", "failure_cycles"});
    fabric_description fabric;
    const auto number = [&](const char* key, unsigned least, unsigned most) {
        return in.number(table, "fabric", key, least, most);
    };
    fabric.request_slots = number("request_slots", 1, 4096);
    fabric.reply_slots = number("reply_slots", 1, 4096);
    fabric.node_cores = number("node_cores", 1, most_cores);
    fabric.columns = number("columns", 1, most_cores);
    fabric.rows = number("rows", 1, most_cores);
    fabric.layers = number("layers", 1, most_cores);
    const unsigned places = fabric.node_cores * fabric.columns * fabric.rows * fabric.layers;
    if (places < cores) {
        in.fail(table.source(), "[fabric] has node_cores * columns * rows * layers = " + std::to_string(places) +
                                    " places for the " + std::to_string(cores) +
                                    " cores of cores.count; at least as many are accepted");
    }
    // A look and a post take time, so that a core which does nothing else gets somewhere.
    fabric.post_cycles = number("post_cycles", 1, 10000);
    fabric.poll_cycles = number("poll_cycles", 1, 10000);
    fabric.message_cycles = number("message_cycles", 1, 100000);
    fabric.hop_cycles = number("hop_cycles", 0, 100000);
    fabric.copy_start_cycles = number("copy_start_cycles", 0, 100000);
    fabric.copy_bytes_per_cycle = number("copy_bytes_per_cycle", 1, 4096);
    fabric.failure_cycles = number("failure_cycles", 0, 100000000);
    return fabric;
}

} // namespace

unsigned fabric_description::hops(unsigned a, unsigned b) const noexcept {
    const unsigned from = a / node_cores;
    const unsigned to = b / node_cores;
    const auto apart = [](unsigned x, unsigned y) { return x < y ? y - x : x - y; };
    return apart(from % columns, to % columns) + apart(from / columns % rows, to / columns % rows) +
           apart(from / columns / rows, to / columns / rows);
}

const detail::protocol_kind* protocol_named(std::string_view name) noexcept {
    for (const detail::protocol_kind* const p : protocols) {
        if (name == p->name) {
            return p;
        }
    }
    return nullptr;
}

machine_description parse_machine(std::string_view text, std::string_view source, std::string_view config) {
    reader in(source);
    toml::table file;
    try {
        file = toml::parse(text);
    } catch (const toml::parse_error& error) {
        in.fail(error.source(), "not TOML: " + std::string(error.description()));
    }
    in.known(file, "the file", {"name", "cores", "l1", "l2", "network", "dram", "interrupts", "fabric", "configs"});
    if (!config.empty()) {
        in.choose(file, config, {"cores", "l1", "l2", "network", "dram", "interrupts", "fabric"});
    }

    machine_description machine;
    machine.name = in.word(file, "", "name", "a text");
    machine.name.append(config.empty() ? "" : "/").append(config);

    const auto& cores = in.section(file, "cores", {"count", "columns", "block_cycles"});
    machine.cores.count = in.number(cores, "cores", "count", 1, most_cores);
    machine.cores.columns = in.number(cores, "cores", "columns", 1, machine.cores.count);
    machine.cores.block_cycles = in.number(cores, "cores", "block_cycles", 1, 100);

    const auto& l1 = in.section(file, "l1", {"protocol", "bytes", "ways", "write_buffer"});
    const std::string protocol = in.word(l1, "l1", "protocol", protocol_names());
    machine.l1.protocol = protocol_named(protocol);
    if (machine.l1.protocol == nullptr) {
        in.fail(in.value_of(l1, "l1", "protocol")->source(),
                "l1.protocol = '" + protocol + "': not understood; " + protocol_names() + " is accepted");
    }
    machine.l1.ways = in.number(l1, "l1", "ways", 1, 16);
    machine.l1.bytes = in.number(l1, "l1", "bytes", 32 * line_bytes * machine.l1.ways, 1U << 20);
    if (!std::has_single_bit(machine.l1.bytes / (line_bytes * machine.l1.ways)) ||
        machine.l1.bytes % (line_bytes * machine.l1.ways) != 0) {
        const toml::node& bytes = *in.value_of(l1, "l1", "bytes");
        in.fail(bytes.source(), "l1.bytes = " + spelled(bytes) +
                                    ": not understood; a power of two of lines of 64 bytes in each way is accepted");
    }

    if (machine.l1.protocol->buffers_writes || in.value_of(l1, "l1", "write_buffer") != nullptr) {
        machine.l1.write_buffer = in.number(l1, "l1", "write_buffer", 1, 1024);
    }

    const auto& l2 = in.section(file, "l2", {"banks", "bank_bytes", "ways", "cycles"});
    machine.l2.banks = in.number(l2, "l2", "banks", 1, 64);
    machine.l2.ways = in.number(l2, "l2", "ways", 1, 32);
    machine.l2.bank_bytes = in.number(l2, "l2", "bank_bytes", line_bytes * machine.l2.ways, 1U << 28);
    machine.l2.cycles = in.number(l2, "l2", "cycles", 1, 10000);

    const auto& network = in.section(file, "network", {"channel_cycles", "router_cycles", "flit_bytes"});
    machine.network.channel_cycles = in.number(network, "network", "channel_cycles", 1, 1000);
    machine.network.router_cycles = in.number(network, "network", "router_cycles", 0, 1000);
    machine.network.flit_bytes = in.number(network, "network", "flit_bytes", 1, 256, true);

    const auto& dram = in.section(file, "dram", {"cycles", "line_cycles"});
    machine.dram.cycles = in.number(dram, "dram", "cycles", 1, 100000);
    machine.dram.line_cycles = in.number(dram, "dram", "line_cycles", 1, 100000);

    if (in.has(file, "interrupts")) {
        const auto& interrupts = in.section(file, "interrupts", {"entry_cycles"});
        machine.interrupts.emplace().entry_cycles = in.number(interrupts, "interrupts", "entry_cycles", 0, 10000);
    }

    if (in.has(file, "fabric")) {
        machine.fabric = read_fabric(in, file, machine.cores.count);
    }
    return machine;
}

machine_description read_machine(const std::filesystem::path& file, std::string_view config) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf())) {
        throw bad_machine("skerry: sim: " + file.string() + ": cannot be read");
    }
    return parse_machine(text.str(), file.string(), config);
}

} // namespace skerry_sim
