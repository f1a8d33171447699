// SPDX-License-Identifier: Apache-2.0

#include "trace/part.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>
#include <type_traits>

#include <skerry/detail/trace/names.hpp>

#include "trace/event_info.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Also tells the byte order: read the wrong way round it is another number. The last digits are the version.
constexpr std::uint64_t magic = 0x736b'7274'7263'0002U;

class packer {
  public:
    template <class T>
    void number(T value) {
        static_assert(std::is_arithmetic_v<T>);
        raw(&value, sizeof value);
    }
    void text(const std::string& s) {
        number<std::uint64_t>(s.size());
        raw(s.data(), s.size());
    }
    void records(const std::vector<trace_record>& all) {
        number<std::uint64_t>(all.size());
        raw(all.data(), all.size() * sizeof(trace_record));
    }
    [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

  private:
    void raw(const void* from, std::size_t size) {
        const auto* const first = static_cast<const std::byte*>(from);
        bytes_.insert(bytes_.end(), first, first + size);
    }
    std::vector<std::byte> bytes_;
};

class unpacker {
  public:
    explicit unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <class T>
    [[nodiscard]] T number() {
        T value{};
        std::memcpy(&value, take(1, sizeof value), sizeof value);
        return value;
    }
    [[nodiscard]] std::string text() {
        const auto size = number<std::uint64_t>();
        return {reinterpret_cast<const char*>(take(size, 1)), static_cast<std::size_t>(size)};
    }
    [[nodiscard]] std::vector<trace_record> records() {
        const auto count = number<std::uint64_t>();
        const std::byte* const from = take(count, sizeof(trace_record));
        std::vector<trace_record> all(static_cast<std::size_t>(count));
        if (count != 0) {
            std::memcpy(all.data(), from, all.size() * sizeof(trace_record));
        }
        return all;
    }
    // A count of things that take at least `least` bytes each: what is absurd is refused before memory is asked for.
    [[nodiscard]] std::size_t count(std::size_t least) {
        const auto n = number<std::uint64_t>();
        check(n, least);
        return static_cast<std::size_t>(n);
    }
    void finish() const {
        if (!rest_.empty()) {
            throw std::invalid_argument("skerry: a part of a trace has bytes behind its end");
        }
    }

  private:
    void check(std::uint64_t count, std::size_t size) const {
        if (count > rest_.size() / size) {
            throw std::invalid_argument("skerry: a part of a trace is cut short");
        }
    }
    const std::byte* take(std::uint64_t count, std::size_t size) {
        check(count, size);
        const std::byte* const from = rest_.data();
        rest_ = rest_.subspan(static_cast<std::size_t>(count) * size);
        return from;
    }
    std::span<const std::byte> rest_;
};

} // namespace

void resolve_names(trace_part& part) {
    std::set<std::uint64_t> code;
    std::set<std::uint64_t> text;
    std::set<std::uint64_t> types;
    for (const trace_executor& e : part.executors) {
        for (const trace_record& r : e.records) {
            const trace_event_info* const info = info_of(r.event);
            if (info == nullptr || r.argument == 0) {
                continue;
            }
            if (info->argument.type == trace_type::code) {
                switch (static_cast<task_naming>(r.detail)) {
                case task_naming::code: code.insert(r.argument); break;
                case task_naming::text: text.insert(r.argument); break;
                case task_naming::type: types.insert(r.argument); break;
                }
            } else if (info->argument.type == trace_type::text) {
                text.insert(r.argument);
            }
        }
    }
    part.names.clear();
    for (const std::uint64_t address : code) {
        part.names.push_back({address, name_of_code(address)});
    }
    const auto literal_at = [](std::uint64_t address) {
        return reinterpret_cast<const char*>(static_cast<std::uintptr_t>(address));
    };
    for (const std::uint64_t address : text) {
        part.names.push_back({address, literal_at(address)});
    }
    for (const std::uint64_t address : types) {
        part.names.push_back({address, name_of_type(literal_at(address))});
    }
    std::sort(part.names.begin(), part.names.end(),
              [](const trace_name& a, const trace_name& b) { return a.address < b.address; });
}

std::vector<std::byte> to_bytes(const trace_part& part) {
    packer out;
    out.number(magic);
    out.number(part.domain);
    out.number(part.rank);
    out.text(part.name);
    out.number(part.clock.ticks_per_second);
    out.number(part.clock.origin_ticks);
    out.number(part.clock.origin_ns);
    out.number(part.clock.ahead_ns);
    out.number<std::uint64_t>(part.executors.size());
    for (const trace_executor& e : part.executors) {
        out.number(e.number);
        out.text(e.name);
        out.number(e.dropped);
        out.records(e.records);
    }
    out.number<std::uint64_t>(part.names.size());
    for (const trace_name& n : part.names) {
        out.number(n.address);
        out.text(n.text);
    }
    return out.take();
}

trace_part part_from_bytes(std::span<const std::byte> bytes) {
    unpacker in(bytes);
    if (in.number<std::uint64_t>() != magic) {
        throw std::invalid_argument("skerry: these bytes are no part of a trace of this version and byte order");
    }
    trace_part part;
    part.domain = in.number<std::uint32_t>();
    part.rank = in.number<std::uint32_t>();
    part.name = in.text();
    part.clock.ticks_per_second = in.number<double>();
    part.clock.origin_ticks = in.number<std::uint64_t>();
    part.clock.origin_ns = in.number<std::uint64_t>();
    part.clock.ahead_ns = in.number<std::int64_t>();
    constexpr std::size_t least_executor = 4 + 8 + 8 + 8;
    constexpr std::size_t least_name = 8 + 8;
    for (std::size_t n = in.count(least_executor); n != 0; --n) {
        trace_executor e;
        e.number = in.number<std::uint32_t>();
        e.name = in.text();
        e.dropped = in.number<std::uint64_t>();
        e.records = in.records();
        part.executors.push_back(std::move(e));
    }
    for (std::size_t n = in.count(least_name); n != 0; --n) {
        const auto address = in.number<std::uint64_t>();
        part.names.push_back({address, in.text()});
    }
    in.finish();
    return part;
}

} // namespace skerry::inline SKERRY_ABI::detail
