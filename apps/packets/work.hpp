// SPDX-License-Identifier: Apache-2.0
#pragma once

// The whole work: passes over files, and what comes of it.

#include "packets/capture.hpp"
#include "packets/flows.hpp"
#include "packets/output.hpp"
#include "packets/packet.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace apps::packets {

struct work_result {
    std::array<std::uint64_t, fates> packets{}; ///< by fate
    std::uint64_t read = 0;
    std::vector<pass_result> passes{};
    std::string first_table{}; ///< of the first pass

    void end_pass(std::uint32_t pass, const flow_tables& tables, const capture_files& files) {
        std::string text = text_of(tables, files.names);
        passes[pass] = result_of(tables, text);
        if (pass == 0) first_table = std::move(text);
    }
};

/// Reads a pass's packets in their order and calls f(head, bytes) for each. Errors: as of `capture`, and input_error: a
/// file has changed, since there are not as many packets as before, or one is larger.
template <class F>
void read_pass(const capture_files& files, std::uint32_t pass, F&& f) {
    for (std::uint32_t i = 0; i < files.names.size(); ++i) {
        capture file(files.names[i]);
        std::uint64_t packets = 0;
        while (const auto frame = file.next()) {
            const auto captured = static_cast<std::uint32_t>(frame->data.size());
            if (++packets > files.packets_of[i] || captured > files.largest) refuse_changed(files.names[i]);
            f(packet_head{frame->at_ns, captured, frame->on_wire, i, pass, file.link()}, frame->data);
        }
        if (packets != files.packets_of[i]) refuse_changed(files.names[i]);
    }
}

/// One packet after the other: what an event machine does with them, as plain code.
void pass_serially(const capture_files& files, std::uint32_t passes, output& to, work_result& result);

} // namespace apps::packets
