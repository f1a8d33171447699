// SPDX-License-Identifier: Apache-2.0
#pragma once

// A control group with one controller, below the one that this process is in: for a child of run_in_child, which goes
// in.

#include <cerrno>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "base/port/file.hpp"
#include "base/port/thread.hpp"

namespace skerry_test {

class control_group {
  public:
    // Null, and a `reason`: this process may make none.
    static std::unique_ptr<control_group> make(const char* controller, std::string& reason) {
        if (const auto folder = own_folder(controller)) {
            auto made = std::make_unique<control_group>(*folder + "/skerry-test-" + std::to_string(getpid()));
            if (made->made()) {
                return made;
            }
        }
        reason = "to make a control group with the controller '" + std::string(controller) +
                 "' takes root, or a group that is delegated to this user";
        return nullptr;
    }

    explicit control_group(const std::string& path) : path_(path), made_(mkdir(path.c_str(), 0755) == 0) {}
    control_group(const control_group&) = delete;
    control_group& operator=(const control_group&) = delete;
    ~control_group() {
        // The kernel lets go of a dead member a moment after it was waited for.
        while (made_ && rmdir(path_.c_str()) != 0 && errno == EBUSY) {
            skerry::port::yield();
        }
    }

    bool made() const { return made_; }
    const std::string& path() const { return path_; }
    bool set(const char* file, const std::string& text) const { return write_file(path_ + file, text); }
    bool enter() const { return set("/cgroup.procs", "0"); }

    bool set_quota(long quota_us) const {
        return set("/cpu.max", std::to_string(quota_us) + " 100000") ||
               (set("/cpu.cfs_period_us", "100000") && set("/cpu.cfs_quota_us", std::to_string(quota_us)));
    }

  private:
    // Where it can be made; nothing if the kernel forbids it.
    static std::optional<std::string> own_folder(const char* controller) {
        const std::string content = skerry::port::read_small_file("/proc/self/cgroup").value_or("");
        const std::string v1 = ':' + std::string(controller) + ':';
        if (const auto at = content.find(v1); at != std::string::npos) {
            const auto begin = at + v1.size();
            return without_end_slash("/sys/fs/cgroup/" + std::string(controller) +
                                     content.substr(begin, content.find('\n', begin) - begin));
        }
        if (const auto at = content.find("0::"); at != std::string::npos) {
            std::string folder =
                without_end_slash("/sys/fs/cgroup" + content.substr(at + 3, content.find('\n', at) - at - 3));
            if (write_file(folder + "/cgroup.subtree_control", '+' + std::string(controller))) {
                return folder;
            }
        }
        return std::nullopt;
    }

    static bool write_file(const std::string& path, const std::string& text) {
        std::ofstream file(path);
        file << text << std::flush;
        return static_cast<bool>(file);
    }
    static std::string without_end_slash(std::string path) {
        while (!path.empty() && path.back() == '/') {
            path.pop_back();
        }
        return path;
    }

    std::string path_;
    bool made_;
};

} // namespace skerry_test
