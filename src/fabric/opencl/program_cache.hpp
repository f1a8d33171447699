// SPDX-License-Identifier: Apache-2.0
#pragma once

// Built programs in the user's cache, a file for each: $XDG_CACHE_HOME, or else $HOME/.cache, then skerry/kernels.
// A file holds its key, so that two keys of one name are told apart. What cannot be read or written is as if it were
// not there.
//
// Thread safety: any thread, any process: a file appears in one step.

#include <string>
#include <vector>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::fabric::opencl {

// Empty: there is none. Errors: std::bad_alloc.
[[nodiscard]] std::vector<unsigned char> cached_program(const std::string& key);
void keep_program(const std::string& key, const std::vector<unsigned char>& program);

} // namespace skerry::inline SKERRY_ABI::fabric::opencl
