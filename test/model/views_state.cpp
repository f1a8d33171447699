// SPDX-License-Identifier: Apache-2.0

// The state of a memory of views: what of it nobody can tell any more, its bytes, and its text.

#include <algorithm>
#include <cstring>

#include "views.hpp"

namespace skerry::model {

// --- what nobody can tell -------------------------------------------------------------------------------------------

void views::reduce(std::uint32_t running) {
    wake();
    for (unsigned t = 0; t < threads_; ++t) {
        if ((running >> t & 1U) == 0) {
            const view lit = known_[t].lit;
            known_[t] = thread{};
            known_[t].lit = lit;
        }
    }
    for (unsigned p = 0; p < places_count_; ++p) {
        unsigned oldest = places_[p].count - 1U;
        for (unsigned t = 0; t < threads_; ++t) {
            oldest = (running >> t & 1U) != 0 ? std::min<unsigned>(oldest, known_[t].current.at[p]) : oldest;
        }
        oldest = std::max(oldest, too_old(p));
        if (oldest != 0) {
            drop_older(p, oldest);
        }
    }
    reduce_fences();
    for (unsigned p = places_count_; p-- > 0;) {
        if (places_[p].reader == 0) {
            merge_twins(p);
        }
        if (places_[p].count == 1 && (places_[p].reader != 0 || equal(at(p, 0).seen, view{}))) {
            remove(p);
        }
    }
}

// Two stores of one value that carry the same, one directly behind the other for ever: nobody can tell them apart, and
// nothing can come between.
void views::merge_twins(unsigned p) {
    for (unsigned i = 0; i + 1 < places_[p].count;) {
        message& first = at(p, i);
        message& second = at(p, i + 1);
        view carried = first.seen;
        carried.at[p] = second.seen.at[p];
        if (second.attached != 0 && first.plain == 0 && first.value == second.value && equal(carried, second.seen)) {
            second.attached = first.attached;
            std::move(&second, messages_.data() + messages_count_, &first);
            --messages_count_;
            --places_[p].count;
            each_view([&](view& v) { v.at[p] = static_cast<std::uint8_t>(v.at[p] > i ? v.at[p] - 1 : v.at[p]); });
        } else {
            ++i;
        }
    }
}

void views::reduce_fences() {
    for (unsigned t = 0; t < threads_; ++t) {
        thread& k = known_[t];
        for (unsigned p = 0; p < places_count_; ++p) {
            k.lit.at[p] = places_[p].reader != 0 || k.lit.at[p] <= fences_.at[p] ? std::uint8_t{0} : k.lit.at[p];
            k.owed.at[p] = k.owed.at[p] <= k.current.at[p] ? std::uint8_t{0} : k.owed.at[p];
        }
    }
}

// --- bytes ----------------------------------------------------------------------------------------------------------

template <class F>
void views::each_byte_range(F f) {
    f(&places_count_, sizeof places_count_);
    f(&messages_count_, sizeof messages_count_);
    f(&asked_, sizeof asked_);
    f(places_.data(), places_count_ * sizeof(place));
    for (unsigned i = 0; i < messages_count_; ++i) {
        message& m = messages_[i];
        f(&m.value, sizeof m.value);
        f(&m.attached, sizeof m.attached);
        f(&m.plain, sizeof m.plain);
    }
    each_view([&](view& v) { f(v.at.data(), places_count_); });
}

void views::encode() {
    wake();
    std::size_t size = 0;
    each_byte_range([&](const void*, std::size_t n) { size += n; });
    bytes_.resize(size);
    std::byte* to = bytes_.data();
    each_byte_range([&](const void* from, std::size_t n) {
        std::memcpy(to, from, n);
        to += n;
    });
}

std::byte* views::replace(std::size_t size) {
    asleep_ = true;
    bytes_.resize(size);
    return bytes_.data();
}

void views::wake() {
    if (asleep_) {
        asleep_ = false;
        const std::byte* from = bytes_.data();
        each_byte_range([&](void* to, std::size_t n) {
            std::memcpy(to, from, n);
            from += n;
        });
    }
}

std::vector<views::line> views::describe() {
    wake();
    std::vector<line> lines;
    for (unsigned p = 0; p < places_count_; ++p) {
        if (places_[p].reader == 0) {
            line l{.address = places_[p].address, .size = places_[p].size, .values = {}, .known = {}};
            for (unsigned i = 0; i < places_[p].count; ++i) {
                l.values.push_back(at(p, i).value);
            }
            for (unsigned t = 0; t < threads_; ++t) {
                l.known[t] = known_[t].current.at[p];
            }
            lines.push_back(l);
        }
    }
    return lines;
}

} // namespace skerry::model
