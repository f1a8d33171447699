// SPDX-License-Identifier: Apache-2.0
#include "packets/work.hpp"

#include <algorithm>
#include <memory>

namespace apps::packets {

void pass_serially(const capture_files& files, std::uint32_t passes, output& to, work_result& result) {
    result.passes.resize(passes);
    std::vector<std::byte> frame(files.largest);
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
        flow_tables tables;
        read_pass(files, pass, [&](const packet_head& head, std::span<const std::byte> bytes) {
            ++result.read;
            std::ranges::copy(bytes, frame.begin());
            const std::span<std::byte> own = std::span(frame).first(bytes.size());
            const handled h = handle(own, head);
            ++result.packets[static_cast<std::size_t>(h.fate)];
            if (h.fate == fate::counted) tables[share_of(h.seen.key)][h.seen.key].count(h.seen);
            if (!is_dropped(h.fate)) to.write(own, head, h.digest);
        });
        result.end_pass(pass, tables, files);
    }
}

} // namespace apps::packets
