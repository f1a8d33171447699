// SPDX-License-Identifier: Apache-2.0
#include "fabric/sequential/sequential.hpp"

#include <skerry/detail/sync/machine.hpp>

#include "fabric/own_segment.hpp"
#include "fabric/ring_endpoint.hpp"

namespace skerry::inline SKERRY_ABI::fabric::sequential {

namespace {

using detail::machine;

capabilities about() noexcept {
    capabilities result;
    result.name = "sequential";
    result.bulk_copy = true;
    result.fetch = true;
    result.shared_addresses = true;
    result.kick = true;
    return result;
}

// Holds the memory that the endpoint, a later base, refers to.
struct holder {
    own_segment<machine> words{1};
};

class loop : holder, public ring_endpoint<machine> {
  public:
    loop() : ring_endpoint(holder::words.view(), about()) {}
};

} // namespace

std::unique_ptr<endpoint> make() { return std::make_unique<loop>(); }

} // namespace skerry::inline SKERRY_ABI::fabric::sequential
