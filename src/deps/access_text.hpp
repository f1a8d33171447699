// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tasks and accesses as messages name them. Async-signal-safe.

#include <array>
#include <cstddef>
#include <string_view>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/access.hpp>
#include <skerry/detail/deps/crossing_type.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

#include "base/text.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// "inout 8 bytes at 0x200000100040", "in region 4294967296"
template <std::size_t N>
void put(fixed_text<N>& text, const access& a) noexcept {
    constexpr std::array<std::string_view, 3> modes{"in", "out", "inout"}; // in the enumerators' order
    text << modes[static_cast<std::size_t>(a.mode)];
    if (a.kind == access_kind::region) {
        text << " region " << a.first;
    } else if (a.kind == access_kind::part && a.part->shape().runs() > 1) {
        const byte_box box = a.part->shape();
        text << ' ' << box.bytes() << " bytes in " << box.runs() << " rows from " << hex{a.first} << " on";
    } else {
        text << ' ' << box_of(a).bytes() << " bytes at " << hex{a.first};
    }
}

// "task 'gemm'"
template <std::size_t N>
void put(fixed_text<N>& text, const dependent_task& task) noexcept {
    if (task.name != nullptr) {
        text << "task '" << task.name << '\'';
    } else {
        text << "a task without a name";
    }
}

// The same; a task without a name is known by the type that spawn() made for it, as the compiler writes it.
template <std::size_t N>
void put_with_type(fixed_text<N>& text, const dependent_task& task) noexcept {
    put(text, task);
    if (task.name == nullptr && task.type.crossing != nullptr) {
        const std::string_view type = task.type.crossing->name;
        const std::size_t with = type.find('[');
        text << ' ' << (with != std::string_view::npos ? type.substr(with) : type).substr(0, 160);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
