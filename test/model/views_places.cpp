// SPDX-License-Identifier: Apache-2.0

// The places of a memory of views, and the stores of each in modification order.

#include <algorithm>
#include <cstring>

#include "held.hpp"
#include "views.hpp"

namespace skerry::model {

unsigned views::lower_bound(std::uintptr_t address, unsigned reader) const {
    unsigned p = 0;
    while (p < places_count_ &&
           (places_[p].address < address || (places_[p].address == address && places_[p].reader < reader))) {
        ++p;
    }
    return p;
}

int views::find(std::uintptr_t address, unsigned reader) const {
    const unsigned p = lower_bound(address, reader);
    return p < places_count_ && places_[p].address == address && places_[p].reader == reader ? static_cast<int>(p) : -1;
}

unsigned views::first_message(unsigned p) const {
    unsigned first = 0;
    for (unsigned q = 0; q < p; ++q) {
        first += places_[q].reader == 0 ? places_[q].count : 0U;
    }
    return first;
}

// The place of an access; -1: there is no room.
int views::make(const request& r, unsigned reader) {
    if (const int known = find(r.address, reader); known >= 0) {
        if (places_[static_cast<unsigned>(known)].size != r.size) {
            overflow("mixed sizes", "an access overlaps one of another size");
        }
        return known;
    }
    const unsigned p = lower_bound(r.address, reader);
    if ((p > 0 && places_[p - 1].address + places_[p - 1].size > r.address && places_[p - 1].address != r.address) ||
        (p < places_count_ && places_[p].address < r.address + r.size && places_[p].address != r.address)) {
        overflow("mixed sizes", "an access overlaps one of another size");
    }
    if (places_count_ == max_places || messages_count_ == max_stores) {
        overflow("limit", "more places are shared than the views have room for");
        return -1;
    }
    each_view([&](view& v) {
        std::memmove(v.at.data() + p + 1, v.at.data() + p, places_count_ - p);
        v.at[p] = 0;
    });
    std::move_backward(places_.begin() + p, places_.begin() + places_count_, places_.begin() + places_count_ + 1);
    places_[p] = {.address = r.address, .size = r.size, .reader = static_cast<std::uint8_t>(reader), .count = 1};
    ++places_count_;
    if (reader == 0) {
        const unsigned first = first_message(p);
        std::move_backward(messages_.begin() + first, messages_.begin() + messages_count_,
                           messages_.begin() + messages_count_ + 1);
        messages_[first] = message{};
        messages_[first].value = held(r.address, r.size);
        ++messages_count_;
    }
    return static_cast<int>(p);
}

void views::remove(unsigned p) {
    if (places_[p].reader == 0) {
        const unsigned first = first_message(p);
        std::move(messages_.begin() + first + places_[p].count, messages_.begin() + messages_count_,
                  messages_.begin() + first);
        messages_count_ -= places_[p].count;
    }
    std::move(places_.begin() + p + 1, places_.begin() + places_count_, places_.begin() + p);
    each_view([&](view& v) { std::memmove(v.at.data() + p, v.at.data() + p + 1, places_count_ - p - 1); });
    --places_count_;
}

bool views::free_behind(unsigned p, unsigned position) {
    return position + 1U == places_[p].count || at(p, position + 1).attached == 0;
}

unsigned views::last_plain(unsigned p) {
    const message* const first = &messages_[first_message(p)];
    for (unsigned i = places_[p].count; i-- > 1;) {
        if (first[i].plain != 0) {
            return i;
        }
    }
    return 0;
}

// Puts a store at a position of its place; those from there on move up.
bool views::put(unsigned p, unsigned position, const message& m) {
    if (places_[p].count == max_history || messages_count_ == max_stores) {
        overflow("limit", "more stores of one place may still be read than the views have room for");
        return false;
    }
    each_view([&](view& v) {
        if (v.at[p] >= position) {
            ++v.at[p];
        }
    });
    const unsigned index = first_message(p) + position;
    std::move_backward(messages_.begin() + index, messages_.begin() + messages_count_,
                       messages_.begin() + messages_count_ + 1);
    messages_[index] = m;
    messages_[index].seen.at[p] = static_cast<std::uint8_t>(position);
    ++messages_count_;
    ++places_[p].count;
    return true;
}

// A third thread may read what a store that comes in front of this one hides. Of two, each knows its own.
bool views::hides(const request& r) {
    wake();
    const int found = find(r.address);
    const unsigned readable = found < 0 ? 1U : places_[static_cast<unsigned>(found)].count;
    return newest_ != 0 && (threads_ > 2 || readable >= newest_);
}

// How many of its oldest stores are behind the bound, and before a plain store that somebody may not know.
unsigned views::too_old(unsigned p) {
    const place& here = places_[p];
    if (newest_ == 0 || here.reader != 0 || here.count <= newest_) {
        return 0;
    }
    for (unsigned n = 1; n <= here.count - newest_; ++n) {
        if (at(p, n).plain != 0) {
            return n - 1;
        }
    }
    return here.count - newest_;
}

// Makes position n the oldest one.
void views::drop_older(unsigned p, unsigned n) {
    if (places_[p].reader == 0) {
        const unsigned first = first_message(p);
        std::move(messages_.begin() + first + n, messages_.begin() + messages_count_, messages_.begin() + first);
        messages_count_ -= n;
        messages_[first].attached = 0;
        messages_[first].plain = 0;
    }
    places_[p].count = static_cast<std::uint8_t>(places_[p].count - n);
    each_view([&](view& v) { v.at[p] = static_cast<std::uint8_t>(std::max<unsigned>(v.at[p], n) - n); });
}

} // namespace skerry::model
