// SPDX-License-Identifier: Apache-2.0
#include "input/lines.hpp"

#include <algorithm>

namespace apps::input {

entry_lines::entry_lines(const text& t, std::size_t begin, std::size_t block_bytes)
    : text_(t),
      blocks_(blocks_of_lines(t.bytes(), begin, block_bytes)),
      first_(first_items(blocks_, [&](block b) {
          std::size_t count = 0;
          for (cursor c(t.bytes(), b); !c.at_end(); c.next_line()) count += static_cast<std::size_t>(states_entry(c));
          return count;
      })) {}

std::size_t entry_lines::offset_of(std::size_t index) const {
    const auto after = std::upper_bound(first_.begin(), first_.end(), index);
    const auto b = static_cast<std::size_t>(after - first_.begin()) - 1;
    std::size_t offset = text_.bytes().size();
    each(b, [&](std::size_t i, const cursor& c) -> flaw {
        if (i == index) offset = c.at();
        return {};
    });
    return offset;
}

} // namespace apps::input
