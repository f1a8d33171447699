// SPDX-License-Identifier: Apache-2.0
#pragma once

// A control group with a memory limit, inside of this process's own or beside it: for a child of run_in_child, which
// goes in. Without the right to make one (a container, a user without delegation) there is none, and the test says so.

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "base/port/cgroup.hpp"

namespace skerry_test {

class memory_group {
  public:
    explicit memory_group(std::size_t bytes) {
        const auto own = skerry::port::read_memory_kills();
        if (!own) {
            return;
        }
        // Version 2 gives a limit to a group beside the own one only: none that has processes has groups with limits.
        const auto here = std::filesystem::path(own->where).parent_path();
        for (const auto& parent : {here, here.parent_path()}) {
            const auto group = parent / ("skerry-test-" + std::to_string(::getpid()));
            std::error_code failed;
            if (!std::filesystem::create_directory(group, failed) || failed) {
                continue;
            }
            made_ = group;
            write("memory.swap.max", 0);
            write("memory.swappiness", 0); // of version 1
            if (write("memory.max", bytes) || write("memory.limit_in_bytes", bytes)) {
                return;
            }
            remove();
        }
    }
    memory_group(const memory_group&) = delete;
    memory_group& operator=(const memory_group&) = delete;
    ~memory_group() { remove(); }

    [[nodiscard]] bool made() const { return !made_.empty(); }
    static constexpr const char* not_made =
        "to make a control group with a memory limit takes root, or a group that is delegated to this user";

    // The calling process belongs to it until its end, and so do its children.
    [[nodiscard]] bool enter() const { return write("cgroup.procs", static_cast<std::size_t>(::getpid())); }

  private:
    bool write(const char* file, std::size_t number) const {
        if (!std::filesystem::exists(made_ / file)) {
            return false;
        }
        std::ofstream out(made_ / file);
        out << number << std::flush;
        return out.good();
    }

    void remove() {
        std::error_code ignored;
        std::filesystem::remove(made_, ignored);
        made_.clear();
    }

    std::filesystem::path made_;
};

} // namespace skerry_test
