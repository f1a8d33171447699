// SPDX-License-Identifier: Apache-2.0

// What an operation of a memory of views may do, and does.

#include <algorithm>

#include "held.hpp"
#include "operation.hpp"
#include "views.hpp"

namespace skerry::model {

// The ways of an operation, into listed_.
unsigned views::list(unsigned t, const request& r, bool weak_may_fail) {
    unsigned n = 0;
    const auto add = [&](unsigned position, bool fails) {
        listed_[n++] = {.position = static_cast<std::uint8_t>(position), .fails = fails};
    };
    const int found = r.size == 0 || is_plain(r.what) ? -1 : find(r.address);
    const unsigned p = found < 0 ? 0 : static_cast<unsigned>(found);
    const unsigned newest = found < 0 ? 0 : places_[p].count - 1U;
    unsigned oldest = found < 0 ? 0 : known_[t].current.at[p];
    if (r.what == action::futex_wait && found >= 0) { // behind a full fence
        view after = known_[t].acquired;
        join_ordered(after, fences_);
        oldest = std::max<unsigned>(oldest, after.at[p]);
    }
    for (unsigned i = newest + 1; i-- > oldest;) {
        const bool open = found < 0 || free_behind(p, i);
        if (is_comparison(r.what)) {
            const std::uint64_t value = found < 0 ? held(r.address, r.size) : at(p, i).value;
            const bool equal = value == r.expected;
            if (equal && open) {
                add(i, false);
            }
            if (!equal || (weak_may_fail && r.what == action::compare_exchange_weak)) {
                add(i, true);
            }
        } else if (open || r.what == action::load || r.what == action::futex_wait) {
            add(i, false);
        }
    }
    return n;
}

unsigned views::choices(unsigned t, const request& r, bool weak_may_fail) {
    wake();
    return r.size == 0 || is_plain(r.what) || r.what == action::futex_wake ? 1 : list(t, r, weak_may_fail);
}

bool views::fails_for_no_reason(unsigned t, const request& r, unsigned way, bool weak_may_fail) {
    wake();
    list(t, r, weak_may_fail);
    const choice c = listed_[way];
    const int found = find(r.address);
    const std::uint64_t value =
        found < 0 ? held(r.address, r.size) : at(static_cast<unsigned>(found), c.position).value;
    return c.fails && value == r.expected;
}

reply views::execute(unsigned t, const request& r, unsigned way, bool weak_may_fail) {
    wake();
    switch (r.what) {
    case action::fence: fence(t, r); return {};
    case action::light_fence: light_fence(t); return {};
    case action::full_fence:
    case action::heavy_fence:
    case action::heavy_fence_end:
    case action::futex_wake: full_fence(t); return {};
    case action::plain_load: return {plain_read(t, r), true};
    case action::plain_store: plain_write(t, r); return {};
    case action::futex_wait: full_fence(t); break;
    default: break;
    }
    list(t, r, weak_may_fail);
    const choice c = listed_[way];
    const int found = find(r.address);
    if (r.what == action::store) {
        write(t, r, r.operand, c.position, nullptr);
        return {};
    }
    if (found < 0) {
        const std::uint64_t value = held(r.address, r.size);
        if (is_read_modify_write(r.what) && !c.fails) {
            const view nothing{};
            write(t, r, modified(r, value), 0, &nothing);
        }
        return {value, !c.fails};
    }
    const auto p = static_cast<unsigned>(found);
    const std::uint64_t value = at(p, c.position).value;
    read(t, p, c.position, c.fails ? acquires(r.failure) : r.acquires());
    if (is_read_modify_write(r.what) && !c.fails) {
        const view chain = at(p, c.position).seen;
        write(t, r, modified(r, value), c.position, &chain);
    }
    return {value, !c.fails};
}

void views::read(unsigned t, unsigned p, unsigned position, bool acquire) {
    thread& k = known_[t];
    const view& seen = at(p, position).seen;
    k.current.at[p] = std::max(k.current.at[p], static_cast<std::uint8_t>(position));
    k.acquired.at[p] = std::max(k.acquired.at[p], static_cast<std::uint8_t>(position));
    join(k.acquired, seen);
    if (acquire) {
        join(k.current, seen);
    }
}

// `chain`: of a read-modify-write, what the store carries that it has read; it carries that on.
void views::write(unsigned t, const request& r, std::uint64_t value, unsigned behind, const view* chain) {
    const int made = make(r, 0);
    if (made < 0) {
        return;
    }
    const auto p = static_cast<unsigned>(made);
    thread& k = known_[t];
    message m;
    m.value = value;
    m.attached = chain != nullptr ? 1 : 0;
    m.seen = r.releases() ? k.current : k.released;
    if (chain != nullptr) {
        join(m.seen, *chain);
    }
    if (!put(p, behind + 1, m)) {
        return;
    }
    k.current.at[p] = static_cast<std::uint8_t>(behind + 1);
    k.acquired.at[p] = std::max(k.acquired.at[p], k.current.at[p]);
    if (behind + 2U == places_[p].count) {
        hold(r.address, value, r.size);
    }
}

// Of a plain cell all stores are known to who may access it, so only the last matters. No store of it is read with
// acquire: it carries nothing.
std::uint64_t views::plain_read(unsigned t, const request& r) {
    const std::uint64_t value = held(r.address, r.size);
    const int made = make(r, 1 + t);
    if (made >= 0) {
        const auto p = static_cast<unsigned>(made);
        places_[p].count = 2;
        each_view([p](view& v) { v.at[p] = 0; });
        known_[t].current.at[p] = 1;
        known_[t].acquired.at[p] = 1;
    }
    return value;
}

void views::plain_write(unsigned t, const request& r) {
    for (unsigned u = 0; u < threads_; ++u) {
        if (const int reads = find(r.address, 1 + u); reads >= 0) {
            remove(static_cast<unsigned>(reads));
        }
    }
    const int made = make(r, 0);
    if (made < 0) {
        return;
    }
    const auto p = static_cast<unsigned>(made);
    drop_older(p, places_[p].count - 1U);
    at(p, 0).seen = view{};
    message m;
    m.value = r.operand;
    m.plain = 1;
    if (put(p, 1, m)) {
        known_[t].current.at[p] = 1;
        known_[t].acquired.at[p] = 1;
        hold(r.address, r.operand, r.size);
    }
}

} // namespace skerry::model
