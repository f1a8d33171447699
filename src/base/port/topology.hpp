// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which logical CPUs the process may use and how far they are from each other, as hwloc knows it.
//
// A *place* is one allowed logical CPU. Places are numbered so that the first n of them are n different cores as far
// as there are so many (hyper-threads come last), neighbours in the machine having neighbouring numbers: worker w sits
// at place w % size(). Distance counts the NUMA latency first, then the levels up to a common cache or package.
// Thread safety: constant after construction. Errors: a machine that hwloc cannot describe is taken as flat: every
// place a core of its own, all equally far. std::bad_alloc without memory.

#include <cstdint>
#include <string>
#include <vector>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

class topology {
  public:
    // Asks hwloc for this machine: a few milliseconds, so not on the way of a program that has one worker.
    // `cpus`: the allowed logical CPUs, ascending and not empty (process_cpus()).
    static topology of_this_machine(const std::vector<unsigned>& cpus);

    // A machine described in hwloc's synthetic language ("pack:2 core:4 pu:2"); flat over `cpus` if it is malformed.
    static topology of_description(const std::string& synthetic, const std::vector<unsigned>& cpus);

    // All places equally far. Precondition: `cpus` is not empty.
    static topology flat(const std::vector<unsigned>& cpus);

    unsigned size() const noexcept { return static_cast<unsigned>(places_.size()); }
    unsigned cores() const noexcept { return cores_; }
    unsigned packages() const noexcept { return packages_; }
    unsigned numa_nodes() const noexcept { return numa_nodes_; }

    // True if hwloc described the machine.
    bool detailed() const noexcept { return detailed_; }

    // The logical CPU of a place, as the system numbers it. Precondition: where < size().
    unsigned cpu(unsigned where) const noexcept { return places_[where].cpu; }

    // 0 from a place to itself; symmetric; comparable, not a time. Precondition: a, b < size(). O(levels).
    std::uint64_t distance(unsigned a, unsigned b) const noexcept;

    // The other workers of `workers`, nearest first. Equally far ones start behind `from` and wrap around, so that
    // thieves do not all begin with the same victim. Precondition: from < workers. O(workers log workers).
    std::vector<unsigned> victims_in_distance_order(unsigned from, unsigned workers) const;

  private:
    friend class topology_reader;

    struct place {
        unsigned cpu = 0;
        unsigned numa_node = 0;
        std::vector<std::uint64_t> ancestors; // the machine first, the core last
    };

    std::vector<place> places_;
    std::vector<std::uint64_t> latency_; // numa_nodes_ x numa_nodes_, or empty: the machine does not tell
    unsigned cores_ = 0;
    unsigned packages_ = 0;
    unsigned numa_nodes_ = 0;
    bool detailed_ = false;
};

} // namespace skerry::inline SKERRY_ABI::port
