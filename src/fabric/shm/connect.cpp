// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/port/environment.hpp"
#include "base/port/process.hpp"
#include "base/port/shared_memory.hpp"
#include "fabric/ring_endpoint.hpp"
#include "fabric/shm/handshake.hpp"
#include "fabric/shm/protocol.hpp"
#include "fabric/shm/shm.hpp"

namespace skerry::inline SKERRY_ABI::fabric::shm {

namespace {

// The shared memory as this process sees it.
class mapping {
  public:
    mapping(void* begin, std::size_t bytes) noexcept : begin_(begin), bytes_(bytes) {}
    mapping(mapping&& other) noexcept : begin_(std::exchange(other.begin_, nullptr)), bytes_(other.bytes_) {}
    mapping& operator=(mapping&&) = delete;
    ~mapping() {
        if (begin_ != nullptr) {
            port::unmap_shared(begin_, bytes_);
        }
    }
    [[nodiscard]] control& head() const noexcept { return *static_cast<control*>(begin_); }
    [[nodiscard]] segment<across_processes> words() const noexcept { return segment_of(begin_, head().processes); }

  private:
    void* begin_;
    std::size_t bytes_;
};

// Holds the memory that the endpoint, a later base, refers to.
struct holder {
    mapping shared;
};

class process : holder, public ring_endpoint<across_processes> {
  public:
    process(mapping&& mapped, const capabilities& about, std::vector<std::uint32_t> reached)
        : holder{std::move(mapped)},
          ring_endpoint(holder::shared.words(), about, std::move(reached)) {}
};

std::uint64_t whole(const char* variable, std::uint64_t least, std::uint64_t most) {
    const std::optional<std::string> value = port::environment(variable);
    if (!value) {
        throw std::invalid_argument("skerry: " + std::string(variable) +
                                    " is not set; start the program with 'skerry launch'");
    }
    return port::parse_whole(variable, *value, least, most);
}

mapping open(unsigned processes) {
    const int descriptor = static_cast<int>(whole(descriptor_variable, 0, INT32_MAX));
    const std::size_t bytes = port::shared_memory_size(descriptor);
    const std::size_t wanted = shared_bytes(processes);
    void* const begin = bytes >= control_bytes ? port::map_shared(descriptor, bytes) : nullptr;
    if (begin == nullptr) {
        throw std::invalid_argument("skerry: " + std::string(descriptor_variable) + "=" + std::to_string(descriptor) +
                                    " is not the memory that 'skerry launch' shares; a process connects once, and its "
                                    "own children cannot");
    }
    mapping result(begin, bytes);
    const control& head = result.head();
    if (head.magic != magic_number) {
        throw std::invalid_argument("skerry: " + std::string(descriptor_variable) + "=" + std::to_string(descriptor) +
                                    " is not the memory that 'skerry launch' shares; a process connects once, and its "
                                    "own children cannot");
    }
    if (head.layout != layout_of_this_build() || bytes != wanted || head.processes != processes) {
        throw std::invalid_argument("skerry: 'skerry launch' and this program were built from different versions of "
                                    "Skerry, layouts " +
                                    std::to_string(head.layout) + " and " + std::to_string(layout_of_this_build()));
    }
    port::close_shared_memory(descriptor); // the mapping stays; programs that this one starts see nothing of it
    return result;
}

// A rank is for one process. Its own children, and whatever the program that was launched starts, have the same
// variables and perhaps the descriptor: who comes first is the one.
void join_as(unsigned self, control& shared) {
    std::uint32_t other = 0;
    // relaxed: nothing else is told by it
    if (!shared.hellos[self].process.compare_exchange_strong(other, port::process_id(), detail::memory_order::relaxed,
                                                             detail::memory_order::relaxed)) {
        throw std::invalid_argument("skerry: process " + std::to_string(other) + " of the system has joined with " +
                                    std::string(rank_variable) + "=" + std::to_string(self) +
                                    " before; a process connects once, and its own children cannot");
    }
}

} // namespace

bool launched() { return port::environment(rank_variable).has_value(); }

place_in_line launched_as() {
    if (!launched()) {
        return {};
    }
    const auto processes = static_cast<unsigned>(whole(ranks_variable, 1, most_processes));
    return {static_cast<unsigned>(whole(rank_variable, 0, processes - 1)), processes};
}

connection connect(const connect_options& options) {
    const auto processes = static_cast<unsigned>(whole(ranks_variable, 1, most_processes));
    const auto self = static_cast<unsigned>(whole(rank_variable, 0, processes - 1));
    mapping shared = open(processes);
    join_as(self, shared.head());
    agreed with_others = shake_hands(shared.head(), shared.words(), self, options);
    capabilities about;
    about.name = "shm";
    about.self = self;
    about.peers = processes;
    about.bulk_copy = true;
    for (unsigned i = 0; i < processes; ++i) {
        about.copy_needs_peer = about.copy_needs_peer || (i != self && with_others.reached[i] == 0);
    }
    about.fetch = !about.copy_needs_peer;
    about.kick = true;
    about.failure_detection = true;
    return {std::make_unique<process>(std::move(shared), about, std::move(with_others.reached)),
            std::move(with_others.arena)};
}

} // namespace skerry::inline SKERRY_ABI::fabric::shm
