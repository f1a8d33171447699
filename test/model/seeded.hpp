// SPDX-License-Identifier: Apache-2.0
#pragma once

// Faults seeded into the structures without touching their source: each changes what one operation of one function
// does. The worlds are those that pass without the fault. A world that passed with it too would not check what it
// claims to. tools/model makes docs/faults.md of what these tests record.

#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "explorer.hpp"

namespace skerry::model {

struct seeded {
    const char* step; // as the table in its floor's README has it
    const char* name;
    fault_hook hook;
    result (*run)(const options&);
    std::set<std::string> kinds; // how it may show
    memory_order_of memory = memory_order_of::tso;
    const char* equivalent = nullptr; // why it is no fault: it changes nothing that a program could notice
};

inline std::ostream& operator<<(std::ostream& out, const seeded& s) { return out << s.name; }

inline std::string name_of_case(const testing::TestParamInfo<seeded>& i) { return i.param.name; }

template <class World, auto... Threads>
result run_world(const options& o) {
    return explore<World, Threads...>(o);
}

inline void expect_found(const seeded& s) {
    static std::map<std::pair<result (*)(const options&), memory_order_of>, std::string> broken;
    // The first, so that a replay finds it as such. Nothing is found because a wait returned for no reason.
    const result r = s.run({.memory = s.memory, .spurious_wakes = false, .fault = s.hook});
    const auto [sound, fresh] = broken.try_emplace({s.run, s.memory});
    if (fresh) {
        sound->second = s.run({.memory = s.memory, .spurious_wakes = false}).report;
    }
    EXPECT_EQ(sound->second, "") << "without the fault";
    if (s.equivalent != nullptr) {
        EXPECT_TRUE(r.ok) << "expected to change nothing that is seen: " << r.report;
    } else {
        EXPECT_FALSE(r.ok) << "not found";
        EXPECT_TRUE(s.kinds.contains(r.kind)) << r.report;
    }
    testing::Test::RecordProperty("step", s.step);
    testing::Test::RecordProperty("equivalent", s.equivalent == nullptr ? "" : s.equivalent);
    testing::Test::RecordProperty("kind", r.kind);
    testing::Test::RecordProperty("says", r.kind == "require" || r.kind == "fatal" ? r.text : "");
    testing::Test::RecordProperty("memory", s.memory == memory_order_of::partial ? "partial"
                                            : s.memory == memory_order_of::rc11  ? "C++"
                                                                                 : "");
    testing::Test::RecordProperty("steps", std::to_string(r.steps));
}

// --- for hooks ------------------------------------------------------------------------------------------------------

// The operation of that function: answering true leaves it out.
inline bool is(const request& r, action what, const char* function) { return r.what == what && r.in(function); }

inline bool touches(const request& r, const char* name) {
    return r.address != 0 && r.address == engine::instance().place_of(name);
}

// What the thread that asks sees in a word that was labelled.
inline std::uint64_t seen(const char* name, unsigned size = 8) {
    return engine::instance().look(engine::instance().place_of(name), size);
}

// Takes away what an operation says to who comes after, or hears from who came before; both answer false.
inline bool unreleased(request& r, bool mine) {
    if (mine && r.releases()) {
        r.order = to_byte(r.acquires() ? memory_order::acquire : memory_order::relaxed);
    }
    return false;
}
inline bool unacquired(request& r, bool mine) {
    if (mine && r.acquires()) {
        r.order = to_byte(r.releases() ? memory_order::release : memory_order::relaxed);
    }
    if (mine) {
        r.failure = to_byte(memory_order::relaxed);
    }
    return false;
}

// Done besides, and not looked at by the hook.
inline reply perform(const request& r) { return engine::instance().perform_besides(r); }

// A plain load and a plain store stand for a read-modify-write.
inline reply not_at_once(request r, std::uint64_t (*change)(const request&, std::uint64_t)) {
    const action what = r.what;
    r.what = action::load;
    const reply before = perform(r);
    if ((what == action::compare_exchange || what == action::compare_exchange_weak) && before.value != r.expected) {
        return {before.value, false};
    }
    r.what = action::store;
    r.operand = change(r, before.value);
    perform(r);
    return before;
}
// The same where `mine`, for a hook to return.
inline bool parted(request& r, reply& answer, bool mine, std::uint64_t (*change)(const request&, std::uint64_t)) {
    if (mine) {
        answer = not_at_once(r, change);
    }
    return mine;
}
inline std::uint64_t put(const request& r, std::uint64_t) { return r.operand; }
inline std::uint64_t sum(const request& r, std::uint64_t before) { return before + r.operand; }
inline std::uint64_t with_bits(const request& r, std::uint64_t before) { return before | r.operand; }

// Sleeps whatever the word has become.
inline bool sleep_on_anything(request& r) {
    request now = r;
    now.what = action::load;
    r.expected = perform(now).value;
    return false;
}

} // namespace skerry::model
