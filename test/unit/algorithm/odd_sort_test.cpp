// SPDX-License-Identifier: Apache-2.0
// Sorts, whatever the comparison answers: where nothing throws, they leave a permutation; they look at and write
// nothing outside the range, and end; an exception arrives, and then every element is alive and none has leaked.
#include "odd_comparisons.hpp"

#include <skerry/sort.hpp>

#include <algorithm>
#include <any>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace algorithm_test {
namespace {

template <class Sequence, class Sort>
void check_sort(const odd_input& in, const Sort& sort) {
    using element = typename Sequence::value_type;
    const std::int64_t before = alive<element>();
    {
        auto v = in.make<Sequence>();
        const auto first = v.begin() + static_cast<std::ptrdiff_t>(in.margin);
        const auto last = v.end() - static_cast<std::ptrdiff_t>(in.margin);
        const auto expected = identities(first, last);
        oracle asked{in};
        const caught what = call_with_failing_copies<element>(in, asked, [&] { sort(first, last, asked); });
        RC_ASSERT(what != caught::nothing || !asked.has_thrown());
        RC_ASSERT(std::ranges::all_of(v, [](const element& x) { return intact(x); }));
        if (counted<element>) RC_ASSERT(alive<element>() == before + static_cast<std::int64_t>(v.size()));
        const bool is_permutation = identities(first, last) == expected;
        RC_ASSERT(is_permutation || (what != caught::nothing && in.copies_before >= 0));
        for (std::size_t i = 0; i != in.margin; ++i) {
            RC_ASSERT(parts_of(v[i]).key == outside);
            RC_ASSERT(parts_of(v[v.size() - 1 - i]).key == outside);
        }
        if (what == caught::nothing && in.has_order())
            RC_ASSERT(std::is_sorted(first, last, [](auto& x, auto& y) { return parts_of(x).key < parts_of(y).key; }));
    }
    RC_ASSERT(alive<element>() == before);
}

template <class Executor, bool Stable, class Sequence>
void check_by_comparison(const odd_input& in) {
    using element = typename Sequence::value_type;
    check_sort<Sequence>(in, [](auto first, auto last, oracle& asked) {
        skerry::detail::parallel_sort_function<Executor, Stable>{}(
            first, last, [&asked](const element& x, const element& y) { return asked.less(x, y); });
    });
}

template <class Executor, bool Stable, class Sequence>
void check_by_digits(const odd_input& in) {
    check_sort<Sequence>(in, [](auto first, auto last, oracle& asked) {
        skerry::detail::parallel_sort_function<Executor, Stable>{}(first, last, std::less<>{},
                                                                   [&asked](const auto& x) { return asked.digits(x); });
    });
}

template <class Sequence>
struct by_comparison {
    template <class Executor>
    void operator()(Executor, const odd_input& in) const {
        check_by_comparison<Executor, false, Sequence>(in);
        check_by_comparison<Executor, true, Sequence>(in);
    }
};

template <class Sequence>
struct by_digits {
    template <class Executor>
    void operator()(Executor, const odd_input& in) const {
        check_by_digits<Executor, false, Sequence>(in);
        check_by_digits<Executor, true, Sequence>(in);
    }
};

template <class Sequence>
class odd_sort : public testing::Test {};

using sequences = testing::Types<std::vector<double>, std::vector<keyed>, std::vector<aligned_line>, std::deque<keyed>,
                                 std::vector<std::string>, std::vector<only_moved>, std::vector<only_copied>,
                                 std::vector<assigned_with_luck>, std::vector<over_aligned>>;
TYPED_TEST_SUITE(odd_sort, sequences);

TYPED_TEST(odd_sort, loses_nothing) { check_oddly(by_comparison<TypeParam>{}); }

// By the digits of keys, each of which may be another one whenever it is asked for.
TEST(odd_sort_by_digits, loses_nothing) { check_oddly(by_digits<std::vector<keyed>>{}); }

// What random inputs meet now and then.

TEST(odd_sort_of, doubles_of_which_a_few_are_no_number) {
    odd_input in;
    in.different = 1U << 30;
    for (in.seed = 0; in.seed != 50; ++in.seed) {
        in.n = 1000;
        in.in_thousand = 1;
        check_input<in_place>(in, by_comparison<std::vector<double>>{});
        in.n = 100;
        in.in_thousand = 100;
        check_input<in_place>(in, by_comparison<std::vector<double>>{});
    }
}

TEST(odd_sort_of, elements_of_which_a_copy_fails) {
    setting<forking>::each([](unsigned workers) {
        if (workers == 3) return;
        odd_input in;
        in.n = 5000;
        in.different = 1000;
        for (in.copies_before = 0; in.copies_before < 60000; in.copies_before += 2999) {
            check_input<forking>(in, by_comparison<std::vector<only_copied>>{});
            check_input<forking>(in, by_comparison<std::vector<assigned_with_luck>>{});
        }
    });
}

// Chunks of one digit, buckets that a cache holds, and those of a few.
TEST(odd_sort_of, elements_whose_keys_change) {
    setting<forking>::each([](unsigned workers) {
        if (workers == 3) return;
        odd_input in;
        in.kind = answers::random;
        for (const std::size_t n : {200UL, 1000UL, 5000UL, 70000UL}) {
            for (const std::uint64_t different : {2UL, 200UL, 1UL << 20, 1UL << 32}) {
                in.n = n;
                in.different = different;
                check_input<forking>(in, by_digits<std::vector<keyed>>{});
            }
        }
    });
}

// A list of one of these is another value, which has it as its element.
TEST(odd_sort_of, elements_that_are_made_of_lists) {
    using list = std::vector<std::any>;
    const auto number = [](const list& x) { return std::any_cast<int>(x.at(0)); };
    std::deque<list> v;
    for (int i = 0; i != 3000; ++i) v.push_back(list(1, std::any(i * 7 % 3000)));
    auto w = v;
    skerry::parallel_sort(v, std::less<>{}, number);
    skerry::parallel_stable_sort(w, std::less<>{}, number);
    for (int i = 0; i != 3000; ++i) {
        EXPECT_EQ(number(v[static_cast<std::size_t>(i)]), i);
        EXPECT_EQ(number(w[static_cast<std::size_t>(i)]), i);
    }
}

} // namespace
} // namespace algorithm_test
