// SPDX-License-Identifier: Apache-2.0
#include "input/gzip.hpp"

#include "program.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>

#define ZLIB_CONST // zlib then takes its input as constant
#include <zlib.h>

namespace apps::input {
namespace {

/// The graph of short lines takes up to six times their bytes while it is built.
constexpr std::uint64_t share_of_text = 8;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// The first number of a file that the kernel writes, behind `label` if one is given.
std::uint64_t number_in(const std::filesystem::path& file, std::string_view label = {}) {
    std::ifstream in(file);
    std::string word;
    while (!label.empty() && in >> word && word != label) {
    }
    std::uint64_t value = 0;
    return in >> value ? value : no_limit; // a group without a limit says "max"
}

/// What the control groups above this process allow (cgroups(7)).
std::uint64_t memory_of_control_group() {
    struct version {
        std::string_view line; // what the process's line begins with, behind a number
        const char* root;
        const char* limit;
    };
    constexpr std::array versions{version{"::/", "/sys/fs/cgroup", "memory.max"},
                                  version{":memory:/", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"}};
    std::uint64_t least = no_limit;
    for (const version& v : versions) {
        const std::filesystem::path root = v.root;
        least = std::min(least, number_in(root / v.limit)); // of a container, whose own group looks like the root
        std::ifstream in("/proc/self/cgroup");
        for (std::string line; std::getline(in, line);) {
            const std::size_t name = line.find(':');
            if (name == std::string::npos || !std::string_view(line).substr(name).starts_with(v.line)) continue;
            for (std::filesystem::path group = line.substr(name + v.line.size()); !group.empty();
                 group = group.parent_path())
                least = std::min(least, number_in(root / group / v.limit));
        }
    }
    return least;
}

std::uint64_t memory_of_process() {
    std::uint64_t least = no_limit;
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
        rlimit limit{};
        if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            least = std::min<std::uint64_t>(least, limit.rlim_cur);
    }
    return least;
}

std::uint64_t memory_of_machine() {
    constexpr std::uint64_t unit = 1024;
    const std::uint64_t free = number_in("/proc/meminfo", "MemAvailable:");
    if (free != no_limit) return free * unit;
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

class inflater {
  public:
    inflater() {
        constexpr int gzip_form = 16;
        if (::inflateInit2(&state_, MAX_WBITS + gzip_form) != Z_OK) throw std::bad_alloc();
    }
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;
    ~inflater() { ::inflateEnd(&state_); }

    /// Moves both ends on; zlib's code for how it went.
    int step(std::string_view& packed, char*& out, std::size_t room) {
        constexpr std::size_t most = std::numeric_limits<uInt>::max();
        const auto in_size = static_cast<uInt>(std::min(packed.size(), most));
        const auto out_size = static_cast<uInt>(std::min(room, most));
        state_.next_in = reinterpret_cast<const Bytef*>(packed.data());
        state_.avail_in = in_size;
        state_.next_out = reinterpret_cast<Bytef*>(out);
        state_.avail_out = out_size;
        const int code = ::inflate(&state_, Z_NO_FLUSH);
        packed.remove_prefix(in_size - state_.avail_in);
        out += out_size - state_.avail_out;
        return code;
    }

    void next_member() { ::inflateReset(&state_); }
    const char* text_of(int code) const { return state_.msg != nullptr ? state_.msg : ::zError(code); }

  private:
    z_stream state_{};
};

/// At most `most` bytes of memory, which grow as they are filled.
class growing_memory {
  public:
    growing_memory(const std::string& name, std::size_t first, std::uint64_t most) : name_(name), most_(most) {
        grow_to(std::min<std::uint64_t>(first, most));
    }

    std::size_t room() const { return memory.size() - used; }
    void make_room() { grow_to(std::min(most_, 2 * std::uint64_t{memory.size()})); }

    mapping memory;
    std::size_t used = 0;

  private:
    void grow_to(std::uint64_t size) {
        if (size > memory.size() && memory.resize(static_cast<std::size_t>(size))) return;
        throw input_error(name_ + ": unpacked it is larger than " + std::to_string(used) +
                          " bytes, too much for the memory here; unpack it with gunzip, and give the plain file");
    }

    const std::string& name_;
    const std::uint64_t most_;
};

} // namespace

std::uint64_t memory_for_text() {
    return std::min({memory_of_machine(), memory_of_control_group(), memory_of_process()}) / share_of_text;
}

mapping unpack_gzip(const std::string& name, std::string_view packed, std::uint64_t most) {
    constexpr std::size_t usual_ratio = 4;
    growing_memory text(name, usual_ratio * packed.size(), most);
    inflater gzip;
    for (bool ended = false; !packed.empty() || !ended;) {
        if (ended) {
            if (packed.find_first_not_of('\0') == std::string_view::npos) break;
            if (!is_gzip(packed)) throw input_error(name + ": the packed bytes are damaged: others follow their end");
            gzip.next_member();
        }
        const std::size_t before = packed.size();
        char* const begin = text.memory.data() + text.used;
        char* end = begin;
        const int code = gzip.step(packed, end, text.room());
        text.used += static_cast<std::size_t>(end - begin);
        ended = code == Z_STREAM_END;
        if (code == Z_MEM_ERROR) throw std::bad_alloc();
        if (code == Z_DATA_ERROR || code == Z_NEED_DICT)
            throw input_error(name + ": the packed bytes are damaged: " + gzip.text_of(code));
        if (ended || end != begin || packed.size() != before) continue;
        // What stands behind the last byte of the text needs no room, so it is asked for only here.
        if (text.room() != 0) throw input_error(name + ": truncated: the packed bytes end early");
        text.make_room();
    }
    if (text.used == 0) return {};
    text.memory.resize(text.used); // to a smaller size: cannot fail
    return std::move(text.memory);
}

} // namespace apps::input
