// SPDX-License-Identifier: Apache-2.0
#include "frontend/kernel/transfers.hpp"

#include <algorithm>

namespace skerry::inline SKERRY_ABI::detail {

namespace {

struct element_range {
    std::size_t first;
    std::size_t last;
};

// The elements that these iterations may touch, cut at the array's ends. Precondition: the loop was checked.
element_range touched(const kernel_argument& a, long first, long last) noexcept {
    if (!a.each) {
        return {0, a.count};
    }
    const std::size_t from = static_cast<std::size_t>(first) * a.stride;
    const std::size_t to = static_cast<std::size_t>(last) * a.stride;
    return {from - std::min(from, a.before), to + std::min(a.count - to, a.after)};
}

bool overlap(const kernel_argument& a, const element_range& of_a, const kernel_argument& b,
             const element_range& of_b) noexcept {
    return a.data + of_a.first * a.element < b.data + of_b.last * b.element &&
           b.data + of_b.first * b.element < a.data + of_a.last * a.element;
}

bool same_each(const kernel_argument& a, const kernel_argument& b) noexcept {
    return a.each && b.each && a.data == b.data && a.element == b.element && a.stride == b.stride && a.before == 0 &&
           a.after == 0 && b.before == 0 && b.after == 0;
}

// Of a chunk's iterations.
element_range touched(const kernel_argument& a, const kernel_call& call, const split_chunk& chunk) noexcept {
    return touched(a, call.first + static_cast<long>(chunk.first), call.first + static_cast<long>(chunk.last));
}

void add(std::vector<transfer>& to, const transfer& t) {
    if (t.bytes != 0 && t.rows != 0 && std::ranges::find(to, t) == to.end()) {
        to.push_back(t);
    }
}

} // namespace

transfer_plan::transfer_plan(const kernel_call& call) : call_(call), piece_of_(call.code->count, no_piece) {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < call.code->count; ++k) {
        if (call.arguments[k].count != 0) {
            order.push_back(k);
        }
    }
    std::ranges::sort(order, {}, [&](std::size_t k) { return call.arguments[k].data; });
    for (const std::size_t k : order) {
        const kernel_argument& a = call.arguments[k];
        std::byte* const end = a.data + a.count * a.element;
        if (pieces_.empty() || pieces_.back().begin + pieces_.back().bytes <= a.data) {
            pieces_.push_back({a.data, 0});
        }
        shared_bytes& last = pieces_.back();
        last.bytes = std::max(last.bytes, static_cast<std::size_t>(end - last.begin));
        piece_of_[k] = pieces_.size() - 1;
    }
}

bool transfer_plan::updates() const noexcept {
    for (std::size_t k = 0; k < call_.code->count; ++k) {
        for (std::size_t j = 0; j < call_.code->count; ++j) {
            if (call_.arguments[k].writes && call_.arguments[j].reads && piece_of_[k] == piece_of_[j]) {
                return true;
            }
        }
    }
    return false;
}

bool transfer_plan::can_split() const noexcept {
    for (std::size_t k = 0; k < call_.code->count; ++k) {
        const kernel_argument& written = call_.arguments[k];
        if (!written.writes || written.count == 0) {
            continue;
        }
        if (!written.each) {
            return false;
        }
        for (std::size_t j = 0; j < call_.code->count; ++j) {
            const kernel_argument& other = call_.arguments[j];
            if (j != k && other.count != 0 && !same_each(written, other) &&
                overlap(written, touched(written, call_.first, call_.last), other,
                        touched(other, call_.first, call_.last))) {
                return false;
            }
        }
    }
    return true;
}

void transfer_plan::add_elements(std::vector<transfer>& to, std::size_t argument, std::size_t first,
                                 std::size_t last) const {
    const kernel_argument& a = call_.arguments[argument];
    add(to, {piece_of_[argument], a.data + first * a.element, (last - first) * a.element, 1, 0});
}

void transfer_plan::add_whole(std::vector<transfer>& to, std::size_t argument) const {
    const kernel_argument& a = call_.arguments[argument];
    if (a.count == 0) {
        return;
    }
    for (std::size_t plane = 0; plane < a.rows[1]; ++plane) {
        add(to, {piece_of_[argument], a.data + plane * a.pitch[1] * a.element, a.row * a.element, a.rows[0],
                 a.pitch[0] * a.element});
    }
}

std::vector<transfer> transfer_plan::before_all() const {
    std::vector<transfer> all;
    for (std::size_t k = 0; k < call_.code->count; ++k) {
        if (!call_.arguments[k].each) {
            add_whole(all, k);
        }
    }
    return all;
}

std::vector<transfer> transfer_plan::before(const split_chunk& chunk) const {
    std::vector<transfer> all;
    for (std::size_t k = 0; k < call_.code->count; ++k) {
        const kernel_argument& a = call_.arguments[k];
        if (a.each && a.reads) {
            const element_range range = touched(a, call_, chunk);
            add_elements(all, k, range.first, range.last);
        }
    }
    return all;
}

std::vector<transfer> transfer_plan::after(const split_chunk& chunk) const {
    std::vector<transfer> all;
    for (std::size_t k = 0; k < call_.code->count; ++k) {
        const kernel_argument& a = call_.arguments[k];
        if (a.writes && a.each) {
            const element_range range = touched(a, call_, chunk);
            add_elements(all, k, range.first, range.last);
        } else if (a.writes) {
            add_whole(all, k);
        }
    }
    return all;
}

std::uint64_t bytes_of(const std::vector<transfer>& transfers) noexcept {
    std::uint64_t sum = 0;
    for (const transfer& t : transfers) {
        sum += std::uint64_t{t.bytes} * t.rows;
    }
    return sum;
}

} // namespace skerry::inline SKERRY_ABI::detail
