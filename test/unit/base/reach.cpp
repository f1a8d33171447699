// SPDX-License-Identifier: Apache-2.0
#include "reach.hpp"

#include <cstdint>

#include "base/port/peer_memory.hpp"
#include "base/port/process.hpp"
#include "child.hpp"

namespace skerry_test {

bool processes_reach_each_other() {
    namespace port = skerry::port;
    static char byte = 1;
    port::admit_siblings(); // the child too descends from this one's parent
    const std::uint32_t parent = port::process_id();
    const auto end = run_in_child([parent] {
        char found = 0;
        const port::peer_range one{&found, reinterpret_cast<std::uintptr_t>(&byte), 1};
        return port::read_peer(parent, {&one, 1}) == 1 && port::write_peer(parent, {&one, 1}) == 1 ? 0 : 1;
    });
    return end.exited && end.code == 0;
}

} // namespace skerry_test
