// SPDX-License-Identifier: Apache-2.0

// The explorer against a second machine that shares nothing with it: random small programs, run by a recursive
// interpreter that tries every interleaving, remembers no state and leaves nothing out. Both must find the same
// outcomes, by states and by traces.

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "explorer.hpp"
#include "machine.hpp"
#include "program_world.hpp"

namespace skerry::model {

namespace {

enum class kind : std::uint8_t { load, store, store_release, exchange, add, compare, fence, light, heavy };

struct instruction {
    kind what = kind::load;
    unsigned variable = 0;
    int value = 0;
};

using program = std::vector<std::vector<instruction>>;
constexpr unsigned variables = 2;

// --- the interpreter ------------------------------------------------------------------------------------------------

class interpreter {
  public:
    interpreter(const program& p, memory_order_of memory) : program_(p), memory_(memory) {}

    std::set<std::string> outcomes() {
        state s;
        s.threads.resize(program_.size());
        run(s);
        return found_;
    }

  private:
    struct pending {
        unsigned variable;
        int value;
        bool release;
        bool sealed;
        bool fenced; // a light fence stands before it
        std::uint8_t owed;
    };
    struct thread {
        std::size_t next = 0;
        std::deque<pending> buffer;
        bool fence_pending = false;
        bool in_heavy_fence = false;
        std::string seen;
    };
    struct state {
        std::array<int, variables> memory{};
        std::vector<thread> threads;
    };

    void run(const state& s) {
        bool ended = true;
        for (std::size_t t = 0; t < s.threads.size(); ++t) {
            for (std::size_t i = 0; i < s.threads[t].buffer.size(); ++i) {
                ended = false;
                if (may_leave(s.threads[t], i)) {
                    state after = s;
                    leave(after, after.threads[t], i);
                    run(after);
                }
            }
            if (s.threads[t].next < program_[t].size()) {
                ended = false;
                step(s, t);
            }
        }
        if (ended) {
            std::string text;
            for (const thread& t : s.threads) {
                text += t.seen + "|";
            }
            for (const int m : s.memory) {
                text += " " + std::to_string(m);
            }
            found_.insert(text);
        }
    }

    bool may_leave(const thread& t, std::size_t i) const {
        if (i == 0) {
            return true;
        }
        if (memory_ == memory_order_of::tso || t.buffer[i].release) {
            return false;
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (t.buffer[j].variable == t.buffer[i].variable || t.buffer[j + 1].fenced) {
                return false;
            }
        }
        return true;
    }

    static void leave(state& s, thread& t, std::size_t i) {
        s.memory[t.buffer[i].variable] = t.buffer[i].value;
        t.buffer.erase(t.buffer.begin() + static_cast<std::ptrdiff_t>(i));
    }

    void step(const state& before, std::size_t t) {
        state s = before;
        thread& self = s.threads[t];
        const instruction in = program_[t][self.next];
        const bool drained = self.buffer.empty();
        int& cell = s.memory[in.variable];
        switch (in.what) {
        case kind::load: {
            const auto own = std::find_if(self.buffer.rbegin(), self.buffer.rend(),
                                          [&in](const pending& p) { return p.variable == in.variable; });
            self.seen += static_cast<char>('0' + (own != self.buffer.rend() ? own->value : cell));
            break;
        }
        case kind::store:
        case kind::store_release:
            self.buffer.push_back({in.variable, in.value, in.what == kind::store_release, false,
                                   std::exchange(self.fence_pending, false) && !drained, 0});
            break;
        case kind::light:
            self.fence_pending = memory_ == memory_order_of::partial && !drained;
            for (pending& p : self.buffer) {
                p.sealed = true;
            }
            break;
        case kind::heavy:
            if (self.in_heavy_fence) {
                for (const thread& other : s.threads) {
                    for (const pending& p : other.buffer) {
                        if ((p.owed >> t & 1) != 0) {
                            return;
                        }
                    }
                }
                self.in_heavy_fence = false;
                break;
            }
            if (!drained) {
                return;
            }
            for (const thread& other : s.threads) {
                if (other.in_heavy_fence) {
                    self.seen += "r";
                    ++self.next;
                    run(s);
                    return;
                }
            }
            self.in_heavy_fence = true;
            for (thread& other : s.threads) {
                for (pending& p : other.buffer) {
                    p.owed = static_cast<std::uint8_t>(p.owed | (p.sealed ? 1U << t : 0U));
                }
            }
            run(s); // stays at this instruction
            return;
        default:
            if (!drained) {
                return;
            }
            if (in.what != kind::fence) {
                self.seen += static_cast<char>('0' + cell);
            }
            if (in.what == kind::add) {
                cell += in.value;
            } else if (in.what == kind::exchange || (in.what == kind::compare && cell == 0)) {
                cell = in.value;
            }
            break;
        }
        ++self.next;
        run(s);
    }

    const program& program_;
    memory_order_of memory_;
    std::set<std::string> found_;
};

// --- the same program for the explorer ------------------------------------------------------------------------------

char perform(const instruction& in, machine::atomic<int>& cell) {
    switch (in.what) {
    case kind::load: return digit(cell.load(memory_order::acquire));
    case kind::store: cell.store(in.value, memory_order::relaxed); return 0;
    case kind::store_release: cell.store(in.value, memory_order::release); return 0;
    case kind::exchange: return digit(cell.exchange(in.value));
    case kind::add: return digit(cell.fetch_add(in.value));
    case kind::compare: {
        int old = 0;
        static_cast<void>(cell.compare_exchange_strong(old, in.value));
        return digit(old);
    }
    case kind::fence: machine::full_fence(); return 0;
    case kind::light: machine::light_fence(); return 0;
    case kind::heavy: return machine::heavy_fence() == detail::heavy_fence::passed ? 0 : 'r';
    }
    return 0;
}

result explored(const program& p, const options& o) {
    return program_world<instruction, variables, perform>::explore_all(p, o);
}

std::string text(const program& p) {
    static const char* const names[] = {"load",    "store", "release", "exchange", "add",
                                        "compare", "fence", "light",   "heavy"};
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
        const std::size_t length = p.size() == 2 ? 2 + draw(3) : 2;
        int value = 1;
        for (auto& thread : p) {
            for (std::size_t i = 0; i < length; ++i) {
                thread.push_back(
                    {static_cast<kind>(draw(4) == 0 ? draw(9) : draw(2)), draw(variables), value++ % 9 + 1});
            }
        }
        return p;
    }

  private:
    unsigned draw(unsigned n) {
        seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<unsigned>((seed_ >> 33) % n);
    }
    std::uint64_t seed_ = 20;
};

TEST(brute_force, finds_the_same_outcomes) {
    random_programs programs;
    std::size_t weak = 0;
    for (int i = 0; i < 150; ++i) {
        const program p = programs.next();
        std::set<std::string> under_tso;
        for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
            const std::set<std::string> expected = interpreter(p, memory).outcomes();
            const result reduced = explored(p, {.memory = memory});
            const result whole = explored(p, {.memory = memory, .reduce = false});
            const result traces = explored(p, {.memory = memory, .walk = walk_by::traces});
            const result every_trace = explored(p, {.memory = memory, .reduce = false, .walk = walk_by::traces});
            ASSERT_TRUE(reduced.ok && whole.ok) << reduced.report << whole.report << text(p);
            ASSERT_TRUE(traces.ok && every_trace.ok) << traces.report << every_trace.report << text(p);
            ASSERT_EQ(reduced.outcomes, expected) << text(p);
            ASSERT_EQ(whole.outcomes, expected) << text(p);
            ASSERT_EQ(traces.outcomes, expected) << text(p);
            ASSERT_EQ(every_trace.outcomes, expected) << text(p);
            ASSERT_LE(reduced.states, whole.states);
            weak += memory == memory_order_of::partial && under_tso != expected ? 1 : 0;
            under_tso = expected;
        }
    }
    EXPECT_GT(weak, 5U) << "the programs do not tell the two memories apart";
}

} // namespace

} // namespace skerry::model
