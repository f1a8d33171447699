// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// A set of addresses, as ranges that neither overlap nor touch. Thread safety: one thread at a time.
class byte_ranges {
  public:
    // Errors: std::bad_alloc; O(log n) but for the ranges that it swallows.
    void insert(std::uintptr_t first, std::size_t bytes) {
        if (bytes == 0) {
            return;
        }
        std::uintptr_t last = first + bytes;
        auto at = ends_.upper_bound(first);
        if (at != ends_.begin() && std::prev(at)->second >= first) {
            --at;
            first = at->first;
        }
        while (at != ends_.end() && at->first <= last) {
            last = at->second > last ? at->second : last;
            at = ends_.erase(at);
        }
        ends_[first] = last;
    }

    // Errors: std::bad_alloc, if a range is cut in two; nothing has changed then.
    void erase(std::uintptr_t first, std::size_t bytes) {
        if (bytes == 0) {
            return; // a range would be cut into two that touch
        }
        const std::uintptr_t last = first + bytes;
        auto at = ends_.upper_bound(first);
        if (at != ends_.begin() && std::prev(at)->second > first) {
            --at;
        }
        if (at != ends_.end() && at->first < first) {
            if (at->second > last) {
                ends_.emplace(last, at->second);
            }
            at->second = first;
            ++at;
        }
        while (at != ends_.end() && at->first < last) {
            if (at->second > last) {
                auto rest = ends_.extract(at);
                if (rest) { // always, which GCC 12 does not see
                    rest.key() = last;
                    ends_.insert(std::move(rest));
                }
                return;
            }
            at = ends_.erase(at);
        }
    }

    [[nodiscard]] bool contains(std::uintptr_t first, std::size_t bytes) const noexcept {
        const auto at = ends_.upper_bound(first);
        return bytes == 0 || (at != ends_.begin() && std::prev(at)->second >= first + bytes);
    }
    // Calls f(first byte, bytes) for what it lacks of this range, by address. O(log n) but for the ranges that it
    // meets.
    template <class F>
    void for_each_missing(std::uintptr_t first, std::size_t bytes, F f) const {
        const std::uintptr_t last = first + bytes;
        auto at = ends_.upper_bound(first);
        if (at != ends_.begin() && std::prev(at)->second > first) {
            first = std::prev(at)->second;
        }
        for (; first < last && at != ends_.end() && at->first < last; ++at) {
            f(first, at->first - first);
            first = at->second;
        }
        if (first < last) {
            f(first, last - first);
        }
    }
    // Calls f(first byte, bytes) for what it has of this range, likewise.
    template <class F>
    void for_each_common(std::uintptr_t first, std::size_t bytes, F f) const {
        const std::uintptr_t last = first + bytes;
        auto at = ends_.upper_bound(first);
        if (at != ends_.begin() && std::prev(at)->second > first) {
            --at;
        }
        for (; bytes != 0 && at != ends_.end() && at->first < last; ++at) {
            const std::uintptr_t begin = std::max(at->first, first);
            f(begin, std::min(at->second, last) - begin);
        }
    }
    // The range with the least address: its first byte, its bytes. Precondition: not empty.
    [[nodiscard]] std::pair<std::uintptr_t, std::size_t> front() const noexcept {
        return {ends_.begin()->first, ends_.begin()->second - ends_.begin()->first};
    }
    // By address.
    template <class F>
    void for_each(F f) const {
        for (const auto& [first, last] : ends_) {
            f(first, last - first);
        }
    }
    void clear() noexcept { ends_.clear(); }
    [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }

  private:
    std::map<std::uintptr_t, std::uintptr_t> ends_; // begin to end
};

} // namespace skerry::inline SKERRY_ABI::detail
