// SPDX-License-Identifier: Apache-2.0
#include "base/port/loaded_code.hpp"

#include <algorithm>

#include <link.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

int visit(dl_phdr_info* info, std::size_t, void* argument) {
    loaded_range range{.begin = ~std::uintptr_t{0}, .end = 0};
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& header = info->dlpi_phdr[i];
        if (header.p_type == PT_LOAD) {
            const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
            range.begin = std::min(range.begin, begin);
            range.end = std::max(range.end, begin + header.p_memsz);
        }
    }
    if (range.begin < range.end) {
        static_cast<std::vector<loaded_range>*>(argument)->push_back(range);
    }
    return 0;
}

} // namespace

std::vector<loaded_range> loaded_code() {
    std::vector<loaded_range> ranges;
    ::dl_iterate_phdr(visit, &ranges);
    return ranges;
}

} // namespace skerry::inline SKERRY_ABI::port
