// SPDX-License-Identifier: Apache-2.0
#include "base/port/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/port/file.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

std::string_view trim(std::string_view text) noexcept {
    constexpr std::string_view blank = " \t\n";
    const auto first = text.find_first_not_of(blank);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blank) + 1 - first);
}

// Takes what stands before the first `separator` off the front of `rest`.
std::string_view take(std::string_view& rest, char separator) noexcept {
    const auto end = std::min(rest.find(separator), rest.size());
    const std::string_view piece = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return piece;
}

std::optional<long long> number(std::string_view text) noexcept {
    long long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> ratio(std::optional<long long> quota, std::optional<long long> period) noexcept {
    if (!quota || !period || *quota <= 0 || *period <= 0) {
        return std::nullopt;
    }
    return static_cast<double>(*quota) / static_cast<double>(*period);
}

bool contains(std::string_view list, std::string_view word) noexcept {
    while (!list.empty()) {
        if (take(list, ',') == word) {
            return true;
        }
    }
    return false;
}

// The kernel writes blank, tab, newline and backslash in paths as three octal digits.
std::string unescape(std::string_view text) {
    const auto octal = [](char c) { return c >= '0' && c <= '7'; };
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
            result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
            i += 3;
        } else {
            result += text[i];
        }
    }
    return result;
}

struct mount {
    std::string root;  // which part of the hierarchy is visible
    std::string point; // where
    std::string options;
    bool unified = false;
};

// proc_pid_mountinfo(5): id parent major:minor root point options [optional...] - type source super-options
std::vector<mount> read_mounts(std::string_view text) {
    std::vector<mount> result;
    while (!text.empty()) {
        std::string_view line = take(text, '\n');
        const auto dash = line.find(" - ");
        if (dash == std::string_view::npos) {
            continue;
        }
        std::string_view tail = line.substr(dash + 3);
        const std::string_view type = take(tail, ' ');
        if (type != "cgroup" && type != "cgroup2") {
            continue;
        }
        take(tail, ' ');
        take(line, ' ');
        take(line, ' ');
        take(line, ' ');
        const std::string_view root = take(line, ' ');
        const std::string_view point = take(line, ' ');
        result.push_back({unescape(root), unescape(point), std::string(tail), type == "cgroup2"});
    }
    return result;
}

// One line of /proc/self/cgroup, "id:controllers:path". Version 2 has id 0 and no controllers.
struct membership {
    bool unified = false;
    std::string_view controllers;
    std::string_view path;
};

std::vector<membership> read_memberships(std::string_view text) {
    std::vector<membership> result;
    while (!text.empty()) {
        std::string_view line = take(text, '\n');
        const std::string_view id = take(line, ':');
        const std::string_view controllers = take(line, ':');
        if (!line.empty()) {
            result.push_back({id == "0" && controllers.empty(), controllers, line});
        }
    }
    return result;
}

// The process's own group below a mount. Without a cgroup namespace a container mounts its group as the root, while the
// path still starts at the host's; a group outside of what is mounted is seen as the mount's top.
std::string group_below(const mount& m, std::string_view path) {
    if (m.root != "/" && path.substr(0, m.root.size()) == m.root &&
        (path.size() == m.root.size() || path[m.root.size()] == '/')) {
        path.remove_prefix(m.root.size());
    } else if (m.root != "/") {
        return "";
    }
    while (!path.empty() && path.back() == '/') {
        path.remove_suffix(1);
    }
    return path.find("/..") != std::string_view::npos ? std::string() : std::string(path);
}

constexpr std::string_view version_2; // has one group for all controllers
constexpr std::string_view controllers[] = {version_2, "cpu", "cpuset", "memory"};

// The process's group of each controller that this file reads, and where it is mounted.
template <class F>
void for_each_group(const std::string& root, F&& call) {
    const auto groups = read_small_file(root + "/proc/self/cgroup");
    const auto mounts = read_small_file(root + "/proc/self/mountinfo");
    if (!groups || !mounts) {
        return;
    }
    const std::vector<mount> visible = read_mounts(*mounts);
    for (const membership& member : read_memberships(*groups)) {
        for (const std::string_view controller : controllers) {
            const bool meant = controller == version_2 ? member.unified : contains(member.controllers, controller);
            const auto m = std::find_if(visible.begin(), visible.end(), [&](const mount& at) {
                return at.unified == (controller == version_2) && (at.unified || contains(at.options, controller));
            });
            if (meant && m != visible.end()) {
                call(*m, controller, member.path);
            }
        }
    }
}

class reader {
  public:
    explicit reader(const std::string& root) : root_(root) {}

    // Every level from the group to the mount point.
    void levels(const mount& m, std::string_view path, void (reader::*read)(const std::string&)) {
        std::string group = group_below(m, path);
        if (!directory_exists(root_ + m.point + group)) {
            group.clear();
        }
        (this->*read)(m.point + group);
        while (!group.empty()) {
            group.resize(group.rfind('/'));
            (this->*read)(m.point + group);
        }
    }

    void unified(const std::string& group) {
        add(group + "/cpu.max", [](std::string_view text) { return parse_cpu_max(text); });
        add(group + "/cpuset.cpus.effective", count_cpus);
    }

    void cpu(const std::string& group) {
        const auto period = read_small_file(root_ + group + "/cpu.cfs_period_us");
        add(group + "/cpu.cfs_quota_us", [&](std::string_view text) -> std::optional<double> {
            const auto quota = number(text);
            if (quota && *quota < 0) {
                return no_limit;
            }
            return period ? ratio(quota, number(trim(*period))) : std::nullopt;
        });
    }

    void cpuset(const std::string& group) {
        // effective_cpus tells what is left after hot-unplugging; mounts with the option noprefix drop the first word.
        for (const char* const name : {"/cpuset.effective_cpus", "/effective_cpus", "/cpuset.cpus", "/cpus"}) {
            if (add(group + name, count_cpus)) {
                return;
            }
        }
    }

    std::vector<cpu_limit> found() && { return std::move(found_); }

  private:
    static std::optional<double> count_cpus(std::string_view text) {
        const auto cpus = parse_cpu_list(text);
        if (!cpus) {
            return std::nullopt;
        }
        // An empty set in a group that was never configured is no limit.
        return cpus->empty() ? no_limit : static_cast<double>(cpus->size());
    }

    template <class Parse>
    bool add(const std::string& path, Parse parse) {
        const auto content = read_small_file(root_ + path);
        if (!content) {
            return false;
        }
        const std::string text(trim(*content));
        const std::optional<double> cpus = parse(text);
        found_.push_back({cpus.value_or(no_limit), path, cpus ? text : "not understood: " + text});
        return true;
    }

    const std::string& root_;
    std::vector<cpu_limit> found_;
};

} // namespace

std::optional<std::vector<unsigned>> parse_cpu_list(std::string_view text) {
    constexpr long long most = 1'000'000;
    std::vector<unsigned> cpus;
    text = trim(text);
    while (!text.empty()) {
        std::string_view range = take(text, ',');
        const bool single = range.find('-') == std::string_view::npos;
        const auto first = number(take(range, '-'));
        const auto last = single ? first : number(range);
        if (!first || !last || *first < 0 || *last < *first || *last > most) {
            return std::nullopt;
        }
        for (long long cpu = *first; cpu <= *last; ++cpu) {
            cpus.push_back(static_cast<unsigned>(cpu));
        }
    }
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
    return cpus;
}

std::optional<double> parse_cpu_max(std::string_view text) {
    text = trim(text);
    const std::string_view quota = take(text, ' ');
    const auto period = number(text);
    if (quota == "max" && period && *period > 0) {
        return no_limit;
    }
    return ratio(number(quota), period);
}

std::optional<unsigned long long> parse_count(std::string_view text, std::string_view word) {
    while (!text.empty()) {
        std::string_view line = take(text, '\n');
        if (take(line, ' ') == word) {
            const auto count = number(trim(line));
            return count && *count >= 0 ? std::optional(static_cast<unsigned long long>(*count)) : std::nullopt;
        }
    }
    return std::nullopt;
}

std::vector<cpu_limit> read_cgroup_limits(const std::string& root) {
    reader result(root);
    for_each_group(root, [&](const mount& m, std::string_view controller, std::string_view path) {
        if (controller == version_2) {
            result.levels(m, path, &reader::unified);
        } else if (controller == "cpu") {
            result.levels(m, path, &reader::cpu);
        } else if (controller == "cpuset") {
            result.levels(m, path, &reader::cpuset);
        }
    });
    return std::move(result).found();
}

std::optional<memory_kills> read_memory_kills(const std::string& root) {
    std::optional<memory_kills> result;
    for_each_group(root, [&](const mount& m, std::string_view controller, std::string_view path) {
        if (controller != version_2 && controller != "memory") {
            return;
        }
        const std::string where =
            m.point + group_below(m, path) + (controller == version_2 ? "/memory.events" : "/memory.oom_control");
        const auto content = read_small_file(root + where);
        if (const auto count = content ? parse_count(*content, "oom_kill") : std::nullopt) {
            result = {*count, where};
        }
    });
    return result;
}

} // namespace skerry::inline SKERRY_ABI::port
