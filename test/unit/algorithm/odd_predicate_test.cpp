// SPDX-License-Identifier: Apache-2.0
// Searches, selections and the smallest element, whatever a predicate or a comparison answers: the result is what was
// answered; nothing outside the range is looked at or written; an exception arrives, and then no element has leaked.
#include "../until.hpp"
#include "odd_comparisons.hpp"
#include "sources.hpp"

#include <skerry/detail/frontend/algorithm/filter.hpp>
#include <skerry/detail/frontend/algorithm/prefix.hpp>
#include <skerry/detail/frontend/algorithm/reduction.hpp>
#include <skerry/detail/frontend/algorithm/search.hpp>
#include <skerry/reduce.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace algorithm_test {
namespace {

enum class reply : std::uint8_t { none, no, yes, exception };

// What a predicate has said of each element, which it must not be asked about twice.
class replies {
  public:
    replies(const odd_input& in, oracle& asked)
        : asked_(asked),
          of_(std::make_unique<std::atomic<reply>[]>(in.n)),
          n_(in.n) {}

    template <class T>
    bool operator()(const T& x) const {
        const std::uint64_t number = parts_of(x).number;
        if (number >= n_) return asked_.holds(x); // it says that this lies outside
        if (of_[number].exchange(reply::exception) != reply::none) twice_ = true;
        const bool says = asked_.holds(x);
        of_[number] = says ? reply::yes : reply::no;
        return says;
    }
    [[nodiscard]] bool twice() const { return twice_; }
    [[nodiscard]] reply of(std::size_t number) const { return of_[number]; }
    // The first element that has got this reply, or n.
    [[nodiscard]] std::size_t first(reply wanted) const {
        std::size_t i = 0;
        while (i != n_ && of_[i] != wanted) ++i;
        return i;
    }
    [[nodiscard]] std::vector<std::uint64_t> all(reply wanted) const {
        std::vector<std::uint64_t> numbers;
        for (std::size_t i = 0; i != n_; ++i)
            if (of_[i] == wanted) numbers.push_back(i);
        return numbers;
    }

  private:
    oracle& asked_;
    const std::unique_ptr<std::atomic<reply>[]> of_;
    const std::size_t n_;
    mutable std::atomic<bool> twice_{false};
};

template <class T>
struct outside_and_inside {
    explicit outside_and_inside(const odd_input& in)
        : v(in.make<std::vector<T>>()),
          first(v.begin() + static_cast<std::ptrdiff_t>(in.margin)),
          last(v.end() - static_cast<std::ptrdiff_t>(in.margin)) {}
    std::vector<T> v;
    typename std::vector<T>::iterator first;
    typename std::vector<T>::iterator last;
};

// The serial program's outcome: the first match, or the exception if that comes first, or the end.
struct find_if {
    template <class Executor>
    void operator()(Executor, const odd_input& in) const {
        outside_and_inside<keyed> x{in};
        oracle asked{in};
        const replies said{in, asked};
        std::size_t found = in.n;
        const caught what = call_with_failing_copies<keyed>(in, asked, [&] {
            const auto predicate = [&said](const keyed& e) { return said(e); };
            const auto at =
                skerry::detail::parallel_find_if_function<Executor>{}(x.first, x.last, predicate, in.grain());
            found = static_cast<std::size_t>(at - x.first);
        });
        RC_ASSERT(!said.twice());
        RC_ASSERT(found <= in.n);
        const std::size_t end = what == caught::nothing ? found : said.first(reply::exception);
        for (std::size_t i = 0; i != end; ++i) RC_ASSERT(said.of(i) == reply::no);
        if (what == caught::nothing && found != in.n) RC_ASSERT(said.of(found) == reply::yes);
        if (what == caught::refusal) RC_ASSERT(end != in.n);
    }
};

template <skerry::detail::quantifier Q>
struct quantifies {
    template <class Executor>
    void operator()(Executor, const odd_input& in) const {
        constexpr bool is_all = Q == skerry::detail::quantifier::all;
        outside_and_inside<keyed> x{in};
        oracle asked{in};
        const replies said{in, asked};
        bool result = false;
        const caught what = call_with_failing_copies<keyed>(in, asked, [&] {
            const auto predicate = [&said](const keyed& e) { return said(e); };
            result =
                skerry::detail::parallel_quantifier_function<Executor, Q>{}(x.first, x.last, predicate, in.grain());
        });
        RC_ASSERT(!said.twice());
        if (what != caught::nothing) return;
        const std::size_t decides = said.first(is_all ? reply::no : reply::yes);
        RC_ASSERT(result == ((decides != in.n) == (Q == skerry::detail::quantifier::any)));
        if (decides == in.n) RC_ASSERT(said.all(is_all ? reply::yes : reply::no).size() == in.n);
    }
};

TEST(odd_predicate, finds_what_it_said) { check_oddly(find_if{}); }
TEST(odd_predicate, holds_for_any_as_it_said) { check_oddly(quantifies<skerry::detail::quantifier::any>{}); }
TEST(odd_predicate, holds_for_all_as_it_said) { check_oddly(quantifies<skerry::detail::quantifier::all>{}); }

template <class T>
struct copy_if {
    template <class Executor>
    void operator()(Executor, const odd_input& in) const {
        const std::int64_t before = alive<T>();
        {
            outside_and_inside<T> x{in};
            oracle asked{in};
            const replies said{in, asked};
            std::vector<T> out;
            for (std::uint64_t i = 0; i != in.n; ++i) out.push_back(made_of<T>({outside, i}));
            auto end = out.begin();
            const caught what = call_with_failing_copies<T>(in, asked, [&] {
                const auto predicate = [&said](const T& e) { return said(e); };
                end = skerry::detail::parallel_copy_if_function<Executor>{}(x.first, x.last, out.begin(), predicate,
                                                                            in.grain());
            });
            RC_ASSERT(!said.twice());
            RC_ASSERT(what != caught::nothing || !asked.has_thrown());
            RC_ASSERT(std::ranges::all_of(x.v, [](const T& e) { return intact(e); }));
            RC_ASSERT(std::ranges::all_of(out, [](const T& e) { return intact(e); }));
            if (what == caught::nothing) {
                std::vector<std::uint64_t> got;
                std::transform(out.begin(), end, std::back_inserter(got),
                               [](const T& e) { return parts_of(e).number; });
                const bool all_chosen = got == said.all(reply::yes);
                RC_ASSERT(all_chosen);
                RC_ASSERT(std::all_of(end, out.end(), [](const T& e) { return parts_of(e).key == outside; }));
            }
        }
        RC_ASSERT(alive<T>() == before);
    }
};

// The smallest element, and the smallest up to each place.
template <class T>
struct smallest {
    template <class Executor>
    void operator()(Executor, const odd_input& in) const {
        const std::int64_t before = alive<T>();
        if (in.n != 0) {
            outside_and_inside<T> x{in};
            {
                oracle asked{in};
                std::optional<T> least;
                const auto smaller = [&asked](const T& a, const T& b) { return asked.less(b, a) ? b : a; };
                const caught what = call_with_failing_copies<T>(in, asked, [&] {
                    least.emplace(skerry::detail::parallel_reduce_function<Executor>{}(x.first, x.last, *x.first,
                                                                                       smaller, in.grain()));
                });
                RC_ASSERT(what != caught::nothing || !asked.has_thrown());
                RC_ASSERT(least.has_value() == (what == caught::nothing));
                if (least) check(in, *least, in.n);
            }
            oracle asked{in};
            std::vector<T> out(x.first, x.last);
            const auto smaller = [&asked](const T& a, const T& b) { return asked.less(b, a) ? b : a; };
            const caught what = call_with_failing_copies<T>(in, asked, [&] {
                skerry::detail::parallel_inclusive_scan_function<Executor>{}(x.first, x.last, out.begin(), smaller,
                                                                             in.grain());
            });
            RC_ASSERT(what != caught::nothing || !asked.has_thrown());
            for (std::size_t i = 0; i != in.n; ++i) check(in, out[i], i + 1);
            RC_ASSERT(std::ranges::all_of(x.v, [](const T& e) { return intact(e); }));
        }
        RC_ASSERT(alive<T>() == before);
    }

  private:
    // It is one of the first n elements.
    static void check(const odd_input& in, const T& x, std::size_t n) {
        RC_ASSERT(intact(x));
        RC_ASSERT(parts_of(x).number < n);
        RC_ASSERT(parts_of(x).key != outside || in.n == 0);
    }
};

template <class T>
class odd_selection : public testing::Test {};

using elements = testing::Types<keyed, std::string, only_copied, over_aligned>;
TYPED_TEST_SUITE(odd_selection, elements);

TYPED_TEST(odd_selection, copies_what_was_chosen) { check_oddly(copy_if<TypeParam>{}); }
TYPED_TEST(odd_selection, has_one_of_the_elements_as_smallest) { check_oddly(smallest<TypeParam>{}); }

// A thief has taken what follows the first element, and each of the copies that are made fails in turn.
template <class Reduce>
void fails_at_each_copy(skerry::steal_mode steal, const Reduce& reduce) {
    skerry::options two;
    two.workers = 2;
    two.steal = steal;
    skerry::runtime workers(two);
    bool failed = true;
    for (std::int64_t copies = 0; failed; ++copies) {
        std::atomic<bool> taken = false;
        const auto make = [&taken](std::uint64_t i) {
            if (i == 0) until(taken);
            taken = true;
            return only_copied({static_cast<double>(i), i});
        };
        const auto larger = [](const only_copied& a, const only_copied& b) {
            return parts_of(a).key < parts_of(b).key ? b : a;
        };
        only_copied::all.copy_after(copies);
        try {
            workers.run([&] { EXPECT_EQ(parts_of(reduce(only_copied(), larger, make)).key, 3); });
            failed = false;
        } catch (const no_copy&) { // and so the next one fails in the next round
        }
        EXPECT_EQ(only_copied::all.alive, 0) << copies;
    }
    only_copied::all.copy_after(books::plenty);
}

TEST(odd_reduction, of_which_a_part_is_taken_leaks_nothing) {
    for (const auto steal : {skerry::steal_mode::automatic, skerry::steal_mode::locked}) {
        fails_at_each_copy(steal, [](const auto&... arguments) {
            return skerry::parallel_transform_reduce(std::vector<std::uint64_t>{0, 1, 2, 3}, arguments...,
                                                     skerry::grain::fixed(1));
        });
        fails_at_each_copy(
            steal, [](const auto&... arguments) { return skerry::parallel_transform_reduce(below(4), arguments...); });
    }
}

} // namespace
} // namespace algorithm_test
