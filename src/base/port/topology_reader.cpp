// SPDX-License-Identifier: Apache-2.0
#include "base/port/topology.hpp"

#include <algorithm>
#include <compare>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <hwloc.h>
#include <hwloc/distances.h>

namespace skerry::inline SKERRY_ABI::port {

class topology_reader {
  public:
    // Nothing if hwloc fails, or does not know each of `cpus`.
    static std::optional<topology> read(const char* synthetic, const std::vector<unsigned>& cpus) {
        hwloc_topology_t raw = nullptr;
        if (::hwloc_topology_init(&raw) != 0) {
            return std::nullopt;
        }
        const handle machine(raw);
        if (!load(raw, synthetic)) {
            return std::nullopt;
        }
        topology result;
        result.detailed_ = true;
        result.numa_nodes_ = count(raw, HWLOC_OBJ_NUMANODE);
        if (!find_places(result, raw, cpus)) {
            return std::nullopt;
        }
        read_latency(result, raw);
        return result;
    }

  private:
    struct destroy {
        void operator()(hwloc_topology_t t) const noexcept { ::hwloc_topology_destroy(t); }
    };
    using handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, destroy>;

    static bool load(hwloc_topology_t raw, const char* synthetic) {
        if (synthetic != nullptr) {
            if (::hwloc_topology_set_synthetic(raw, synthetic) != 0) {
                return false;
            }
        } else {
            // The x86 back end binds the calling thread to each CPU in turn; what it finds beyond /sys is not needed.
            ::hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
        }
        ::hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
        ::hwloc_topology_set_type_filter(raw, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
        ::hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
        ::hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
                                            HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                                            HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
        return ::hwloc_topology_load(raw) == 0;
    }

    static unsigned count(hwloc_topology_t raw, hwloc_obj_type_t type) {
        return static_cast<unsigned>(std::max(::hwloc_get_nbobjs_by_type(raw, type), 0));
    }

    static bool find_places(topology& result, hwloc_topology_t raw, const std::vector<unsigned>& cpus) {
        struct found {
            unsigned thread; // which hyper-thread of its core
            unsigned order;
            topology::place place;
        };
        std::vector<found> all;
        std::vector<std::uint64_t> packages;
        std::uint64_t last_core = 0;
        unsigned thread = 0;
        for (hwloc_obj_t pu = nullptr; (pu = ::hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_PU, pu)) != nullptr;) {
            if (!std::binary_search(cpus.begin(), cpus.end(), pu->os_index)) {
                continue;
            }
            // A machine without core objects has them in its PUs.
            hwloc_obj_t const core_object = ::hwloc_get_ancestor_obj_by_type(raw, HWLOC_OBJ_CORE, pu);
            const std::uint64_t core = core_object != nullptr ? core_object->gp_index : pu->gp_index;
            thread = !all.empty() && core == last_core ? thread + 1 : 0;
            last_core = core;
            result.cores_ += thread == 0 ? 1U : 0U;
            if (hwloc_obj_t const package = ::hwloc_get_ancestor_obj_by_type(raw, HWLOC_OBJ_PACKAGE, pu);
                package != nullptr) {
                packages.push_back(package->gp_index);
            }
            all.push_back({thread, pu->logical_index, describe(raw, pu)});
        }
        if (all.size() != cpus.size()) {
            return false;
        }
        std::sort(packages.begin(), packages.end());
        const auto end = std::unique(packages.begin(), packages.end());
        result.packages_ = std::max(1U, static_cast<unsigned>(end - packages.begin()));
        std::sort(all.begin(), all.end(), [](const found& a, const found& b) {
            return std::tie(a.thread, a.order) < std::tie(b.thread, b.order);
        });
        for (found& f : all) {
            result.places_.push_back(std::move(f.place));
        }
        return true;
    }

    static topology::place describe(hwloc_topology_t raw, hwloc_obj_t pu) {
        topology::place result;
        result.cpu = pu->os_index;
        const int node = pu->nodeset != nullptr ? ::hwloc_bitmap_first(pu->nodeset) : -1;
        hwloc_obj_t const memory =
            node >= 0 ? ::hwloc_get_numanode_obj_by_os_index(raw, static_cast<unsigned>(node)) : nullptr;
        result.numa_node = memory != nullptr ? memory->logical_index : 0;
        for (hwloc_obj_t up = pu->parent; up != nullptr; up = up->parent) {
            result.ancestors.push_back(up->gp_index);
        }
        std::reverse(result.ancestors.begin(), result.ancestors.end());
        return result;
    }

    static void read_latency(topology& result, hwloc_topology_t raw) {
        unsigned matrices = 1;
        hwloc_distances_s* matrix = nullptr;
        if (::hwloc_distances_get_by_type(raw, HWLOC_OBJ_NUMANODE, &matrices, &matrix,
                                          HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
            matrices == 0) {
            return;
        }
        const auto release = [raw](hwloc_distances_s* m) { ::hwloc_distances_release(raw, m); };
        const std::unique_ptr<hwloc_distances_s, decltype(release)> owner(matrix, release);
        const std::size_t n = result.numa_nodes_;
        if (matrix->nbobjs != n) {
            return;
        }
        result.latency_.resize(n * n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                const std::size_t row = matrix->objs[i]->logical_index;
                const std::size_t column = matrix->objs[j]->logical_index;
                result.latency_[row * n + column] = std::max(matrix->values[i * n + j], matrix->values[j * n + i]);
            }
        }
    }
};

topology topology::of_this_machine(const std::vector<unsigned>& cpus) {
    std::optional<topology> read = topology_reader::read(nullptr, cpus);
    return read ? *std::move(read) : flat(cpus);
}

topology topology::of_description(const std::string& synthetic, const std::vector<unsigned>& cpus) {
    std::optional<topology> read = topology_reader::read(synthetic.c_str(), cpus);
    return read ? *std::move(read) : flat(cpus);
}

} // namespace skerry::inline SKERRY_ABI::port
