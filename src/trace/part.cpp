// SPDX-License-Identifier: Apache-2.0

#include "trace/part.hpp"

#include <algorithm>
#include <set>

#include <skerry/detail/trace/names.hpp>

#include "trace/event_info.hpp"

namespace skerry::inline SKERRY_ABI::detail {

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
    const auto literal_at = [](std::uint64_t address) { return reinterpret_cast<const char*>(address); };
    for (const std::uint64_t address : text) {
        part.names.push_back({address, literal_at(address)});
    }
    for (const std::uint64_t address : types) {
        part.names.push_back({address, name_of_type(literal_at(address))});
    }
    std::sort(part.names.begin(), part.names.end(),
              [](const trace_name& a, const trace_name& b) { return a.address < b.address; });
}

} // namespace skerry::inline SKERRY_ABI::detail
