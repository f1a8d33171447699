// SPDX-License-Identifier: Apache-2.0
#include "base/port/cpu_limits.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include <sched.h>
#include <unistd.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

std::string list_text(const std::vector<unsigned>& cpus) {
    std::string text;
    for (std::size_t i = 0; i < cpus.size();) {
        std::size_t last = i;
        while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) {
            ++last;
        }
        text += text.empty() ? "" : ","; // apart: GCC 12 takes `"," + string` for an overlapping copy
        text += std::to_string(cpus[i]);
        if (last > i) {
            text += '-';
            text += std::to_string(cpus[last]);
        }
        i = last + 1;
    }
    return text;
}

} // namespace

std::vector<unsigned> process_cpus() {
    std::vector<unsigned> result;
    // The kernel answers EINVAL while the set is smaller than its own; the largest Linux build has 8192 CPUs.
    for (unsigned capacity = CPU_SETSIZE; capacity <= 65536 && result.empty(); capacity *= 2) {
        const auto release = [](cpu_set_t* set) { CPU_FREE(set); };
        const std::unique_ptr<cpu_set_t, decltype(release)> set(CPU_ALLOC(capacity), release);
        if (set == nullptr) {
            throw std::bad_alloc();
        }
        const std::size_t bytes = CPU_ALLOC_SIZE(capacity);
        CPU_ZERO_S(bytes, set.get());
        if (::sched_getaffinity(::getpid(), bytes, set.get()) != 0) {
            if (errno == EINVAL) {
                continue;
            }
            break;
        }
        for (unsigned cpu = 0; cpu < capacity; ++cpu) {
            if (CPU_ISSET_S(cpu, bytes, set.get())) {
                result.push_back(cpu);
            }
        }
    }
    if (result.empty()) {
        result.push_back(0);
    }
    return result;
}

cpu_limits combine_cpu_limits(std::vector<unsigned> cpus, std::vector<cpu_limit> groups) {
    cpu_limits result;
    result.found.push_back({static_cast<double>(cpus.size()), "sched_getaffinity", list_text(cpus)});
    std::move(groups.begin(), groups.end(), std::back_inserter(result.found));
    result.cpus = std::move(cpus);
    result.tightest = *std::min_element(result.found.begin(), result.found.end(),
                                        [](const cpu_limit& a, const cpu_limit& b) { return a.cpus < b.cpus; });
    result.workers = std::max(1U, static_cast<unsigned>(std::ceil(result.tightest.cpus)));
    return result;
}

cpu_limits read_cpu_limits() { return combine_cpu_limits(process_cpus(), read_cgroup_limits()); }

} // namespace skerry::inline SKERRY_ABI::port
