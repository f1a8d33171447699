// SPDX-License-Identifier: Apache-2.0
#pragma once

// A segment in this process's own memory, for back ends whose endpoints all live here.

#include <cstring>

#include <skerry/detail/base/cache_line.hpp>

#include "fabric/fabric.hpp"
#include "fabric/segment.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

// Thread safety: constant after construction. std::bad_alloc without memory.
template <class M>
class own_segment {
  public:
    explicit own_segment(unsigned endpoints)
        : memory_(static_cast<std::byte*>(::operator new(segment<M>::bytes(endpoints, false), alignment)),
                  memory_deleter{detail::cache_line}),
          view_(memory_.get(), endpoints) {
        std::memset(memory_.get(), 0, segment<M>::bytes(endpoints, false));
    }

    [[nodiscard]] const segment<M>& view() const noexcept { return view_; }

  private:
    static constexpr std::align_val_t alignment{detail::cache_line};

    memory memory_;
    segment<M> view_;
};

} // namespace skerry::inline SKERRY_ABI::fabric
