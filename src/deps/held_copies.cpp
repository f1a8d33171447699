// SPDX-License-Identifier: Apache-2.0

#include "deps/held_copies.hpp"

#include <algorithm>

#include <skerry/detail/core/part_name.hpp>

#include "deps/access_ranges.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

fabric::extent same_place(std::uintptr_t first, std::size_t bytes) noexcept {
    return {reinterpret_cast<void*>(first), first, bytes};
}

} // namespace

bool held_copies::contains(unsigned p, std::uintptr_t first, std::size_t bytes) const {
    bool all = true;
    for_each_missing(p, first, bytes, [&all](std::uintptr_t, std::size_t) { all = false; });
    return all;
}

void held_copies::lend(unsigned p, const access& a, std::vector<fabric::extent>& lent) {
    for_each_run(a, [&](std::uintptr_t first, std::size_t bytes) {
        kept_[p].for_each_common(first, bytes, [&](std::uintptr_t at, std::size_t n) {
            lent.push_back(same_place(at, n));
            both_[p].insert(at, n);
        });
        kept_[p].erase(first, bytes);
    });
}

bool held_copies::keep_nothing() const noexcept {
    return std::ranges::all_of(kept_, [](const byte_ranges& kept) { return kept.empty(); });
}

bool held_copies::fetch(unsigned p, std::span<const fabric::extent> what, trace_sink<machine> track) {
    if (what.empty()) {
        return true;
    }
    if (!steal_.fetch(p, what, track)) {
        return false;
    }
    for (const fabric::extent& e : what) {
        both_[p].insert(e.there, e.bytes);
        kept_[p].erase(e.there, e.bytes);
    }
    return true;
}

// What others than `but` keep of what for_each_piece() calls its argument for, in one copy from each.
template <class ForEachPiece>
bool held_copies::bring_pieces(ForEachPiece&& for_each_piece, unsigned but, trace_sink<machine> track) {
    bool all = true;
    for (unsigned p = 0; p < kept_.size(); ++p) {
        if (p != but && !kept_[p].empty()) {
            std::vector<fabric::extent> what;
            for_each_piece([&](std::uintptr_t first, std::size_t bytes) {
                kept_[p].for_each_common(
                    first, bytes, [&what](std::uintptr_t at, std::size_t n) { what.push_back(same_place(at, n)); });
            });
            all = fetch(p, what, track) && all;
        }
    }
    return all;
}

bool held_copies::bring(std::uintptr_t first, std::size_t bytes, unsigned but, trace_sink<machine> track) {
    return bring_pieces([&](auto&& take) { take(first, bytes); }, but, track);
}

bool held_copies::bring(const access& a, unsigned but, trace_sink<machine> track) {
    if (a.kind == access_kind::region) {
        return bring_all(track);
    }
    return bring_pieces([&](auto&& take) { for_each_run(a, take); }, but, track);
}

bool held_copies::bring_all(trace_sink<machine> track) {
    bool all = true;
    for (unsigned p = 0; p < kept_.size(); ++p) {
        std::vector<fabric::extent> what;
        kept_[p].for_each([&what](std::uintptr_t at, std::size_t n) { what.push_back(same_place(at, n)); });
        all = fetch(p, what, track) && all;
    }
    return all;
}

bool held_copies::bring_some(std::size_t most, trace_sink<machine> track) {
    for (unsigned p = 0; p < kept_.size(); ++p) {
        if (!kept_[p].empty()) {
            const auto [first, bytes] = kept_[p].front();
            const fabric::extent some = same_place(first, std::min(bytes, most));
            return fetch(p, {&some, 1}, track);
        }
    }
    return false;
}

void held_copies::forget(std::uintptr_t first, std::size_t bytes, unsigned but) {
    for (unsigned p = 0; p < both_.size(); ++p) {
        if (p != but) {
            both_[p].erase(first, bytes);
        }
    }
}

void held_copies::forget(const access& a, unsigned but) {
    if (a.kind == access_kind::region) {
        for (unsigned p = 0; p < both_.size(); ++p) {
            if (p != but) {
                both_[p].clear();
            }
        }
        return;
    }
    for_each_run(a, [&](std::uintptr_t at, std::size_t n) { forget(at, n, but); });
}

void held_copies::forget_all() noexcept {
    for (byte_ranges& both : both_) {
        both.clear();
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
