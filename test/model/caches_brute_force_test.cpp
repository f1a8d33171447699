// SPDX-License-Identifier: Apache-2.0

// The explorer's caches against a second machine that shares nothing with them: random small programs on cores whose
// caches hold real copies, fetched and evicted at any time, all of it tried. Both must find the same outcomes.

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "explorer.hpp"
#include "manycore.hpp"
#include "program_world.hpp"

namespace skerry::model {

namespace {

enum class kind : std::uint8_t { load, store, load_acquire, store_release, add, publish, discard };

struct instruction {
    kind what = kind::load;
    unsigned variable = 0;
    int value = 0;
};

using program = std::vector<std::vector<instruction>>;
constexpr unsigned variables = 2;
constexpr auto any_step = detail::coherence_step::task_ended;

// --- the interpreter ------------------------------------------------------------------------------------------------

class interpreter {
  public:
    explicit interpreter(const program& p) : program_(p) {}

    std::set<std::string> outcomes() {
        state first;
        first.cores.resize(program_.size());
        todo_ = {first};
        while (!todo_.empty()) {
            const state s = todo_.back();
            todo_.pop_back();
            if (known_.insert(s).second) {
                go_on(s);
            }
        }
        return found_;
    }

  private:
    enum class copy : std::uint8_t { none, clean, dirty };
    struct line {
        copy what = copy::none;
        int value = 0;
        auto operator<=>(const line&) const = default;
    };
    struct core {
        std::size_t next = 0;
        std::array<line, variables> cache{};
        std::string seen;
        auto operator<=>(const core&) const = default;
    };
    struct state {
        std::array<int, variables> memory{};
        std::vector<core> cores;
        auto operator<=>(const state&) const = default;
    };

    void go_on(const state& s) {
        bool ended = true;
        for (std::size_t t = 0; t < s.cores.size(); ++t) {
            for (unsigned v = 0; v < variables; ++v) {
                state after = s;
                line& held = after.cores[t].cache[v];
                ended = ended && held.what != copy::dirty;
                if (held.what == copy::none) {
                    held = {copy::clean, after.memory[v]};
                } else {
                    evict(after, held, v);
                }
                todo_.push_back(after);
            }
            if (s.cores[t].next < program_[t].size()) {
                ended = false;
                step(s, t);
            }
        }
        if (ended) {
            std::string text;
            for (const core& c : s.cores) {
                text += c.seen + "|";
            }
            for (const int m : s.memory) {
                text += " " + std::to_string(m);
            }
            found_.insert(text);
        }
    }

    static void evict(state& s, line& held, unsigned v) {
        if (held.what == copy::dirty) {
            s.memory[v] = held.value;
        }
        held = {};
    }

    void step(const state& before, std::size_t t) {
        state s = before;
        core& self = s.cores[t];
        const instruction in = program_[t][self.next++];
        line& held = self.cache[in.variable];
        int& memory = s.memory[in.variable];
        const auto see = [&self](int value) { self.seen += static_cast<char>('0' + value); };
        switch (in.what) {
        case kind::load:
            if (held.what == copy::none) {
                held = {copy::clean, memory};
            }
            see(held.value);
            break;
        case kind::store: held = {copy::dirty, in.value}; break;
        case kind::load_acquire:
        case kind::store_release:
        case kind::add:
            evict(s, held, in.variable);
            if (in.what != kind::store_release) {
                see(memory);
            }
            if (in.what != kind::load_acquire) {
                memory = in.what == kind::add ? memory + in.value : in.value;
            }
            break;
        case kind::publish:
            for (unsigned v = 0; v < variables; ++v) {
                if (self.cache[v].what == copy::dirty) {
                    s.memory[v] = self.cache[v].value;
                    self.cache[v].what = copy::clean;
                }
            }
            break;
        case kind::discard:
            for (line& each : self.cache) {
                each = each.what == copy::clean ? line{} : each;
            }
            break;
        }
        todo_.push_back(s);
    }

    const program& program_;
    std::vector<state> todo_;
    std::set<state> known_;
    std::set<std::string> found_;
};

// --- the same program for the explorer ------------------------------------------------------------------------------

char perform(const instruction& in, machine::atomic<int>& cell) {
    switch (in.what) {
    case kind::load: return digit(cell.load(memory_order::relaxed));
    case kind::store: cell.store(in.value, memory_order::relaxed); return 0;
    case kind::load_acquire: return digit(cell.load(memory_order::acquire));
    case kind::store_release: cell.store(in.value, memory_order::release); return 0;
    case kind::add: return digit(cell.fetch_add(in.value));
    case kind::publish: manycore::publish_all(any_step); return 0;
    case kind::discard: manycore::discard_all(any_step); return 0;
    }
    return 0;
}

result explored(const program& p, bool reduce) {
    return program_world<instruction, variables, perform>::explore_all(
        p, {.memory = memory_order_of::caches, .reduce = reduce});
}

std::string text(const program& p) {
    static const char* const names[] = {"load", "store", "acquire", "release", "add", "publish", "discard"};
    std::string all;
    for (const auto& thread : p) {
        for (const instruction& in : thread) {
            all += std::string(names[static_cast<int>(in.what)]) + "(" + "xy"[in.variable] + "," +
                   std::to_string(in.value) + ") ";
        }
        all += "\n";
    }
    return all;
}

class random_programs {
  public:
    program next() {
        program p(draw(4) == 0 ? 3 : 2);
        const std::size_t length = p.size() == 2 ? 3 + draw(2) : 2;
        int value = 1;
        for (auto& thread : p) {
            for (std::size_t i = 0; i < length; ++i) {
                thread.push_back({static_cast<kind>(draw(3) == 0 ? draw(7) : draw(2)), draw(variables), value++});
            }
        }
        return p;
    }

  private:
    unsigned draw(unsigned n) {
        seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<unsigned>((seed_ >> 33) % n);
    }
    std::uint64_t seed_ = 22;
};

TEST(caches_brute_force, finds_the_same_outcomes) {
    random_programs programs;
    for (int i = 0; i < 60; ++i) {
        const program p = programs.next();
        const std::set<std::string> expected = interpreter(p).outcomes();
        const result reduced = explored(p, true);
        const result whole = explored(p, false);
        ASSERT_TRUE(reduced.ok && whole.ok) << reduced.report << whole.report << text(p);
        ASSERT_EQ(reduced.outcomes, expected) << text(p);
        ASSERT_EQ(whole.outcomes, expected) << text(p);
        ASSERT_LE(reduced.states, whole.states);
    }
}

} // namespace

} // namespace skerry::model
