// SPDX-License-Identifier: Apache-2.0

#include "views.hpp"

#include <algorithm>
#include <cstring>

#include "operation.hpp"

namespace skerry::model {

namespace {

std::uint64_t held(std::uintptr_t address, unsigned size) {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), size);
    return value;
}

void hold(std::uintptr_t address, std::uint64_t value, unsigned size) {
    std::memcpy(reinterpret_cast<void*>(address), &value, size);
}

} // namespace

void views::clear(unsigned threads) {
    threads_ = threads;
    places_count_ = 0;
    messages_count_ = 0;
    asked_ = 0;
    known_.fill(thread{});
    fences_ = view{};
    asleep_ = false;
    full_ = {};
}

template <class F>
void views::each_view(F f) {
    for (unsigned t = 0; t < threads_; ++t) {
        thread& k = known_[t];
        f(k.current);
        f(k.acquired);
        f(k.released);
        f(k.lit);
        f(k.owed);
    }
    f(fences_);
    for (unsigned i = 0; i < messages_count_; ++i) {
        f(messages_[i].seen);
    }
}

void views::overflow(const char* kind, const char* what) {
    if (full_.kind.empty()) {
        full_ = {kind, what};
    }
}

// --- views ----------------------------------------------------------------------------------------------------------

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

// --- places ---------------------------------------------------------------------------------------------------------

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

// --- operations -----------------------------------------------------------------------------------------------------

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
