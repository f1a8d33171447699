// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI {

// What arrives at a wait when a task failed in another process: objects of exceptions stay there, texts cross. what()
// is that of the original.
class remote_error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

} // namespace skerry::inline SKERRY_ABI
