// SPDX-License-Identifier: Apache-2.0
#include "fabric/threads/threads.hpp"

#include <skerry/detail/sync/machine.hpp>

#include "fabric/own_segment.hpp"
#include "fabric/ring_endpoint.hpp"

namespace skerry::inline SKERRY_ABI::fabric::threads {

namespace {

using detail::machine;

// Holds the memory that the endpoint, a later base, refers to.
struct holder {
    std::shared_ptr<own_segment<machine>> words;
};

class one_of_many : holder, public ring_endpoint<machine> {
  public:
    one_of_many(const std::shared_ptr<own_segment<machine>>& shared, const capabilities& about)
        : holder{shared},
          ring_endpoint(shared->view(), about) {}
};

} // namespace

std::vector<std::unique_ptr<endpoint>> make(unsigned count) {
    const auto words = std::make_shared<own_segment<machine>>(count);
    capabilities about;
    about.name = "threads";
    about.peers = count;
    about.bulk_copy = true;
    about.fetch = true;
    about.shared_addresses = true;
    about.kick = true;
    std::vector<std::unique_ptr<endpoint>> result;
    for (unsigned i = 0; i < count; ++i) {
        about.self = i;
        result.push_back(std::make_unique<one_of_many>(words, about));
    }
    return result;
}

} // namespace skerry::inline SKERRY_ABI::fabric::threads
