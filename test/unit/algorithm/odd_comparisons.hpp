// SPDX-License-Identifier: Apache-2.0
#pragma once

// Comparisons and predicates that are none: NaN among the keys, answers that are always the same, that make a circle or
// come at random, exceptions. And what must be true whatever they answer.

#include "executors.hpp"
#include "odd_elements.hpp"

#include "../../stress/stress_time.hpp"

#include <rapidcheck/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace algorithm_test {

enum class answers { right, or_equal, always, never, circle, random };

// What an algorithm is given.
struct odd_input {
    std::size_t n = 0;
    answers kind = answers::right;
    unsigned in_thousand = 0;        // so many keys are NaN
    std::uint64_t different = 1;     // so many keys there are besides
    std::int64_t throws_at = -1;     // the call that throws, if any
    std::int64_t copies_before = -1; // the copy after so many throws, if any
    std::uint64_t seed = 0;
    std::size_t margin = 0; // elements on either side that do not belong to the range
    std::uint64_t iterations = 0;

    [[nodiscard]] bool has_order() const { return kind == answers::right && in_thousand == 0; }
    [[nodiscard]] skerry::grain grain() const {
        return iterations == 0 ? skerry::grain::automatic() : skerry::grain::fixed(iterations);
    }

    // The elements, and the margins.
    template <class Sequence>
    [[nodiscard]] Sequence make() const {
        using element = typename Sequence::value_type;
        std::mt19937_64 random{seed};
        Sequence v;
        const auto beside = [&](std::uint64_t number) {
            for (std::size_t i = 0; i != margin; ++i) v.push_back(made_of<element>({outside, number + i}));
        };
        beside(n);
        for (std::uint64_t i = 0; i != n; ++i) {
            const bool is_nan = random() % 1000 < in_thousand;
            const auto any = static_cast<double>(random() % different);
            v.push_back(made_of<element>({is_nan ? std::numeric_limits<double>::quiet_NaN() : any, i}));
        }
        beside(n + margin);
        return v;
    }

    static odd_input any() {
        odd_input in;
        in.n = *rc::gen::weightedOneOf<std::size_t>({{8, rc::gen::inRange<std::size_t>(0, 200)},
                                                     {6, rc::gen::inRange<std::size_t>(200, 6000)},
                                                     {1, rc::gen::inRange<std::size_t>(6000, 100001)}});
        in.kind = *rc::gen::element(answers::right, answers::or_equal, answers::always, answers::never, answers::circle,
                                    answers::random);
        in.in_thousand = *rc::gen::element(0U, 0U, 1U, 100U, 1000U);
        in.different = *rc::gen::element<std::uint64_t>(1, 3, 100, 1U << 30);
        in.seed = *rc::gen::arbitrary<std::uint32_t>();
        in.margin = *rc::gen::element<std::size_t>(0, 3); // without: what is outside lies outside the memory
        in.iterations = *rc::gen::element<std::uint64_t>(0, 0, 1, 100);
        const auto times = static_cast<std::int64_t>(in.n * std::bit_width(in.n));
        if (*rc::gen::element(false, false, true)) in.throws_at = *rc::gen::inRange<std::int64_t>(0, times + 1);
        if (*rc::gen::element(false, false, true)) in.copies_before = *rc::gen::inRange<std::int64_t>(0, times + 1);
        return in;
    }

    friend std::ostream& operator<<(std::ostream& out, const odd_input& x) {
        constexpr std::array names{"right", "or equal", "always", "never", "in a circle", "at random"};
        return out << x.n << " elements of " << x.different << " keys, " << x.in_thousand << " in 1000 NaN, seed "
                   << x.seed << ", margin " << x.margin << ", grain " << x.iterations << "; answers "
                   << names[static_cast<std::size_t>(x.kind)] << ", throws at call " << x.throws_at << ", after "
                   << x.copies_before << " copies";
    }
};

struct refused {};     // what a comparison throws
struct without_end {}; // thrown after more calls than the slowest sort needs, which is O(n log^2 n)

// Answers for all threads, and sees what it is asked.
class oracle {
  public:
    explicit oracle(const odd_input& in)
        : in_(in),
          most_calls_(static_cast<std::int64_t>(64 * in.n * std::bit_width(in.n)) + 1000) {}
    oracle(const oracle&) = delete;
    oracle& operator=(const oracle&) = delete;

    template <class T>
    bool less(const T& x, const T& y) {
        const std::uint64_t call = count();
        const double a = seen(x);
        const double b = seen(y);
        switch (in_.kind) {
        case answers::right: return a < b;
        case answers::or_equal: return !(b < a);
        case answers::circle: return std::fmod(a - b + 3 * static_cast<double>(in_.different), 3) == 1;
        default: return anyhow(call);
        }
    }
    template <class T>
    bool holds(const T& x) {
        const std::uint64_t call = count();
        const double key = seen(x);
        switch (in_.kind) {
        case answers::right: return key + 1 < static_cast<double>(in_.different);
        case answers::or_equal: return !(key > 0);
        case answers::circle: return std::fmod(key, 3) == 1;
        default: return anyhow(call);
        }
    }
    // A key for sorts by digits.
    template <class T>
    std::uint32_t digits(const T& x) {
        const std::uint64_t call = count();
        const double key = seen(x);
        const bool is_random = in_.kind == answers::random || std::isnan(key);
        if (is_random) return static_cast<std::uint32_t>(mixed(call) % in_.different);
        return static_cast<std::uint32_t>(in_.kind == answers::circle ? call : static_cast<std::uint64_t>(key));
    }

    [[nodiscard]] bool has_thrown() const { return thrown_; }
    [[nodiscard]] bool looked_outside() const { return looked_outside_; }
    [[nodiscard]] bool saw_the_dead() const { return saw_the_dead_; }

  private:
    template <class T>
    double seen(const T& x) {
        if (!intact(x)) saw_the_dead_ = true;
        const double key = parts_of(x).key;
        if (key == outside) looked_outside_ = true;
        return key;
    }
    std::uint64_t count() {
        const std::int64_t call = calls_++;
        if (call == in_.throws_at) {
            thrown_ = true;
            throw refused{};
        }
        if (call > most_calls_) throw without_end{};
        return static_cast<std::uint64_t>(call);
    }
    [[nodiscard]] bool anyhow(std::uint64_t call) const {
        return in_.kind == answers::always || (in_.kind == answers::random && mixed(call + in_.seed) % 2 == 0);
    }
    static std::uint64_t mixed(std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }

    const odd_input in_;
    const std::int64_t most_calls_;
    std::atomic<std::int64_t> calls_{0};
    std::atomic<bool> thrown_{false};
    std::atomic<bool> looked_outside_{false};
    std::atomic<bool> saw_the_dead_{false};
};

enum class caught { nothing, refusal, failed_copy };

// Calls algorithm() while copies of T throw, and gives what it has thrown: of what was thrown inside.
template <class T, class F>
caught call_with_failing_copies(const odd_input& in, const oracle& asked, F algorithm) {
    caught what = caught::nothing;
    bool copies_failed = false;
    if constexpr (counted<T>) T::all.copy_after(in.copies_before < 0 ? books::plenty : in.copies_before);
    try {
        algorithm();
    } catch (const refused&) {
        what = caught::refusal;
    } catch (const no_copy&) {
        what = caught::failed_copy;
    }
    if constexpr (counted<T>) {
        copies_failed = T::all.thrown;
        T::all.copy_after(books::plenty);
    }
    RC_ASSERT(!asked.looked_outside());
    RC_ASSERT(!asked.saw_the_dead());
    RC_ASSERT(what != caught::refusal || asked.has_thrown());
    RC_ASSERT(what != caught::failed_copy || copies_failed);
    RC_ASSERT(what != caught::nothing || !copies_failed);
    return what;
}

// Tries a property that says on failure what it was given. Gives what is wrong.
template <class Property>
std::string what_fails(const rc::detail::TestParams& params, Property property) {
    const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params);
    if (result.template is<rc::detail::SuccessResult>()) return {};
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    return text.str();
}

// property(executor, input) for the one input.
template <class Executor, class Property>
void check_input(const odd_input& in, Property property) {
    rc::detail::TestParams once;
    once.maxSuccess = 1;
    ASSERT_EQ(what_fails(once, [&] { property(Executor{}, in); }), "") << in;
}

// property(executor, input) on every executor and 1, 2 and 8 workers, each for a share of the time that stress tests
// get.
template <class Property>
void check_oddly(Property property) {
    constexpr int inputs = 25; // between two looks at the clock
    constexpr double share = 0.1;
    rc::detail::TestParams params;
    params.seed = skerry_test::first_seed();
    params.maxSuccess = inputs;
    const auto in_turn = [&](auto executor, unsigned workers) {
        if (workers == 3) return;
        const skerry_test::until time(share);
        do {
            const auto with_any = [&] {
                const odd_input in = odd_input::any();
                RC_LOG() << in << '\n';
                property(executor, in);
            };
            ASSERT_EQ(what_fails(params, with_any), "") << "SKERRY_STRESS_SEED=" << params.seed << " repeats it.";
            ++params.seed;
        } while (!time.over());
    };
    setting<in_place>::each([&](unsigned workers) { in_turn(in_place{}, workers); });
    setting<forking>::each([&](unsigned workers) { in_turn(forking{}, workers); });
}

} // namespace algorithm_test
