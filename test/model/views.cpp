// SPDX-License-Identifier: Apache-2.0

#include "views.hpp"

#include <algorithm>
#include <cstring>

#include "operation.hpp"

namespace skerry::model {

void views::clear(unsigned threads, unsigned newest) {
    threads_ = threads;
    newest_ = newest;
    places_count_ = 0;
    messages_count_ = 0;
    asked_ = 0;
    known_.fill(thread{});
    fences_ = view{};
    asleep_ = false;
    full_ = {};
}

void views::overflow(const char* kind, const char* what) {
    if (full_.kind.empty()) {
        full_ = {kind, what};
    }
}

bool views::below(const view& a, const view& b) const {
    for (unsigned p = 0; p < places_count_; ++p) {
        if (a.at[p] > b.at[p]) {
            return false;
        }
    }
    return true;
}

bool views::equal(const view& a, const view& b) const { return std::memcmp(&a, &b, places_count_) == 0; }

void views::join(view& to, const view& from) const {
    for (unsigned p = 0; p < places_count_; ++p) {
        to.at[p] = std::max(to.at[p], from.at[p]);
    }
}

// What the order of fences teaches. It is no happens-before: of plain accesses nothing is learned.
void views::join_ordered(view& to, const view& from) {
    for (unsigned p = 0; p < places_count_; ++p) {
        if (places_[p].reader == 0 && last_plain(p) <= to.at[p]) {
            to.at[p] = std::max(to.at[p], from.at[p]);
        }
    }
}

views::view views::ordered(view v) const {
    for (unsigned p = 0; p < places_count_; ++p) {
        if (places_[p].reader != 0) {
            v.at[p] = 0;
        }
    }
    return v;
}

views::view views::asks(unsigned t) const {
    view v = known_[t].acquired;
    join(v, known_[t].owed);
    return ordered(v);
}

// --- fences ---------------------------------------------------------------------------------------------------------

void views::fence(unsigned t, const request& r) {
    thread& k = known_[t];
    if (r.acquires()) {
        k.current = k.acquired;
    }
    if (r.releases()) {
        k.released = k.current;
    }
}

void views::full_fence(unsigned t) {
    thread& k = known_[t];
    join(fences_, asks(t));
    join_ordered(k.acquired, fences_);
    k.current = k.acquired;
    k.released = k.acquired;
    k.lit = k.acquired;
    k.owed = view{};
}

void views::light_fence(unsigned t) {
    thread& k = known_[t];
    k.lit = k.acquired;
    join_ordered(k.current, k.owed);
    join_ordered(k.acquired, k.owed);
    k.owed = view{};
}

bool views::idle(unsigned t, const request& r) {
    wake();
    const thread& k = known_[t];
    if (r.what == action::full_fence) {
        return equal(asks(t), fences_);
    }
    view before = k.lit;
    join(before, fences_);
    return below(ordered(k.acquired), before) && below(k.owed, k.current);
}

void views::ask(std::uint32_t threads) {
    wake();
    asked_ = threads;
}

bool views::asked(unsigned t) {
    wake();
    return (asked_ >> t & 1U) != 0;
}

bool views::all_passed() {
    wake();
    return asked_ == 0;
}

void views::pass(unsigned t) {
    wake();
    asked_ &= ~(1U << t);
    join(fences_, ordered(known_[t].lit));
    join(known_[t].owed, fences_);
}

// --- races and death ------------------------------------------------------------------------------------------------

std::string views::race(unsigned t, const request& r) {
    wake();
    const view& current = known_[t].current;
    const bool reads = r.what == action::load || r.what == action::plain_load || r.what == action::futex_wait;
    if (const int found = find(r.address); found >= 0) {
        const auto p = static_cast<unsigned>(found);
        const unsigned needed = is_plain(r.what) ? places_[p].count - 1U : last_plain(p);
        if (current.at[p] < needed) {
            return reads ? " reads what another has written and has not told it"
                         : " writes what another has written and has not told it";
        }
    }
    for (unsigned u = 0; u < threads_ && !reads; ++u) {
        const int found = u == t ? -1 : find(r.address, 1 + u);
        const auto p = static_cast<unsigned>(found);
        if (found >= 0 && current.at[p] + 1U < places_[p].count) {
            return " writes what T" + std::to_string(u) + " has read and has not told it";
        }
    }
    return {};
}

std::string views::die(unsigned t, std::uintptr_t begin, std::uintptr_t end) {
    wake();
    std::string wrong;
    for (unsigned p = places_count_; p-- > 0;) {
        if (places_[p].address < begin || places_[p].address >= end) {
            continue;
        }
        if (t < threads_ && known_[t].current.at[p] + 1U < places_[p].count && wrong.empty()) {
            wrong = std::string("memory goes to which another has ") + (places_[p].reader == 0 ? "written" : "read") +
                    " and has not told it";
            broken_ = places_[p].address;
        }
        remove(p);
    }
    return wrong;
}

bool views::settled(std::uintptr_t address) {
    wake();
    return find(address) < 0;
}

} // namespace skerry::model
