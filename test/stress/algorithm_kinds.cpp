// SPDX-License-Identifier: Apache-2.0

// Loops and algorithms in a random program: the function that an algorithm is given runs the children.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include <skerry/skerry.hpp>

#include "program.hpp"

namespace skerry_test {

namespace {

// The values of all children, each written by whoever runs that child.
using child_values = std::array<std::uint64_t, node::most_children>;

std::uint64_t sum_of(const child_values& values) {
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

auto indices(unsigned n) { return std::views::iota(0U, n); }

std::uint64_t in_loop(const node& at) {
    std::atomic<std::uint64_t> sum{0};
    census here(at.left_behind());
    skerry::parallel_for(
        0U, at.children,
        [&](unsigned i) {
            const census::member inside(here);
            sum += at(i);
        },
        skerry::grain::fixed(1));
    return sum;
}

// The children among leaves that do next to nothing, up to some rows of rows of them.
std::uint64_t in_long_loop(const node& at) {
    const auto n = static_cast<unsigned>(node::most_children + at.seed % 300);
    const unsigned apart = n / at.children;
    std::atomic<std::uint64_t> sum{0};
    std::vector<std::atomic<unsigned char>> visits(n);
    census here(at.left_behind());
    skerry::parallel_for(
        0U, n,
        [&](unsigned i) {
            const census::member inside(here);
            ++visits[i];
            if (i % apart == 0 && i / apart < at.children) {
                sum += at(i / apart);
            }
        },
        skerry::grain::fixed(1));
    at.expect(std::ranges::all_of(visits, [](const auto& v) { return v == 1; }), "a leaf ran not at all, or twice");
    return sum;
}

std::uint64_t in_box(const node& at) {
    std::atomic<std::uint64_t> sum{0};
    census here(at.left_behind());
    const auto point = [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
        const census::member inside(here);
        const auto child = static_cast<unsigned>(4 * i + 2 * j + k);
        if (child < at.children) {
            sum += at(child);
        }
    };
    const skerry::box<3> all{{0, 0, 0}, {1, 2, 2}};
    const auto how = at.seed % 2 == 0 ? skerry::schedule::recursive : skerry::schedule::chunked;
    skerry::parallel_for(all, point, skerry::grain::fixed(1), how);
    return sum;
}

std::uint64_t in_elements(const node& at) {
    child_values values{};
    census here(at.left_behind());
    skerry::parallel_for_each(
        values,
        [&](std::uint64_t& value) {
            const census::member inside(here);
            if (const auto i = static_cast<unsigned>(&value - values.data()); i < at.children) {
                value = at(i);
            }
        },
        skerry::grain::fixed(1));
    return sum_of(values);
}

std::uint64_t in_transformation(const node& at) {
    child_values values{};
    census here(at.left_behind());
    const auto all = indices(at.children);
    if (at.seed % 2 == 0) {
        skerry::parallel_transform(
            all, values.begin(),
            [&](unsigned i) {
                const census::member inside(here);
                return at(i);
            },
            skerry::grain::fixed(1));
    } else {
        skerry::parallel_transform(
            all, values, values.begin(),
            [&](unsigned i, std::uint64_t before) {
                const census::member inside(here);
                return before + at(i);
            },
            skerry::grain::fixed(1));
    }
    return sum_of(values);
}

// Four words of the algorithm's bits; one element in each may run a child.
std::uint64_t in_copy(const node& at) {
    std::atomic<std::uint64_t> sum{0};
    std::array<unsigned, 256> copied{};
    const auto wanted = [](unsigned i) { return i % 3 == 0; };
    census here(at.left_behind());
    const auto all = indices(copied.size());
    const auto end = skerry::parallel_copy_if(
        all, copied.begin(),
        [&](unsigned i) {
            const census::member inside(here);
            if (i % 64 == 5 && i / 64 < at.children) {
                sum += at(i / 64);
            }
            return wanted(i);
        },
        skerry::grain::fixed(64));
    at.expect(std::equal(copied.begin(), end, std::views::filter(all, wanted).begin()) &&
                  end - copied.begin() == std::ranges::count_if(all, wanted),
              "copied wrongly");
    return sum;
}

std::uint64_t in_transformed_sum(const node& at) {
    return skerry::parallel_transform_reduce(indices(at.children), std::uint64_t{0}, std::plus<>(), at);
}

// The children as what a source gives.
std::uint64_t in_source(const node& at) {
    census here(at.left_behind());
    const auto children = [i = 0U, n = at.children]() mutable { return i != n ? std::optional(i++) : std::nullopt; };
    return skerry::parallel_transform_reduce(children, std::uint64_t{0}, std::plus<>(), [&](unsigned i) {
        const census::member inside(here);
        return at(i);
    });
}

// The children as the elements of a list.
std::uint64_t in_list(const node& at) {
    std::atomic<std::uint64_t> sum{0};
    std::forward_list<unsigned> children;
    for (unsigned i = 0; i != at.children; ++i) {
        children.push_front(i);
    }
    census here(at.left_behind());
    skerry::parallel_for_each(children, [&](unsigned i) {
        const census::member inside(here);
        sum += at(i);
    });
    return sum;
}

// The children run where an element is read.
std::uint64_t in_sum(const node& at) {
    census here(at.left_behind());
    const auto value = [&](unsigned i) {
        const census::member inside(here);
        return at(i);
    };
    return skerry::parallel_reduce(std::views::transform(indices(at.children), value), std::uint64_t{0}, std::plus<>(),
                                   skerry::grain::fixed(1));
}

// The same; a scan may read an element twice, one pass after the other.
std::uint64_t in_scan(const node& at) {
    child_values values{};
    child_values sums{};
    child_values expected{};
    std::array<bool, node::most_children> read{};
    std::atomic<bool> changed{false};
    census here(at.left_behind());
    const auto value = [&](unsigned i) {
        const census::member inside(here);
        const std::uint64_t now = i < at.children ? at(i) : 0;
        if (std::exchange(read[i], true) && values[i] != now) {
            changed = true;
        }
        return values[i] = now;
    };
    const auto all = std::views::transform(indices(node::most_children), value);
    if (at.seed % 2 == 0) {
        skerry::parallel_inclusive_scan(all, sums.begin(), std::plus<>(), skerry::grain::fixed(1));
        std::inclusive_scan(values.begin(), values.end(), expected.begin());
    } else {
        skerry::parallel_exclusive_scan(all, sums.begin(), at.seed, std::plus<>(), skerry::grain::fixed(1));
        std::exclusive_scan(values.begin(), values.end(), expected.begin(), at.seed);
    }
    // A child changes if a group around it is stopped meanwhile, by who cancels it or by the exception of a task.
    at.expect(sums == expected || at.set().cancels || (at.set().throws && changed), "scanned wrongly");
    return sum_of(values);
}

// Looks for the element behind the children; what lies behind that throws, and nobody shall know.
template <class Search>
std::uint64_t search_behind_children(const node& at, const Search& search) {
    child_values values{};
    census here(at.left_behind());
    const auto matches = [&](unsigned i) {
        const census::member inside(here);
        if (i > at.children) {
            throw failure();
        }
        if (i < at.children) {
            values[i] = at(i);
        }
        return i == at.children;
    };
    at.expect(search(indices(at.children + 4), matches), "found wrongly");
    return sum_of(values);
}

std::uint64_t in_search(const node& at) {
    return search_behind_children(at, [&](const auto& all, const auto& matches) {
        return *skerry::parallel_find_if(all, matches, skerry::grain::fixed(1)) == at.children;
    });
}

std::uint64_t in_question(const node& at) {
    return search_behind_children(at, [&](const auto& all, const auto& matches) {
        const auto one = skerry::grain::fixed(1);
        switch (at.seed % 3) {
        case 0: return skerry::parallel_any_of(all, matches, one);
        case 1: return !skerry::parallel_none_of(all, matches, one);
        default: return !skerry::parallel_all_of(all, std::not_fn(matches), one);
        }
    });
}

// Keys in the upper halves, places in the lower.
std::vector<std::uint64_t> some_numbers(std::uint64_t seed, std::uint64_t keys) {
    std::vector<std::uint64_t> numbers(3000);
    for (std::uint64_t place = 0; std::uint64_t& x : numbers) {
        seed = mix(seed);
        x = (seed % keys) << 32U | place++;
    }
    return numbers;
}

// By radix, which calls nothing of ours.
std::uint64_t in_sort_of_integers(const node& at) {
    auto numbers = some_numbers(at.seed, std::uint64_t{1} << 32U);
    skerry::parallel_sort(numbers);
    at.expect(std::ranges::is_sorted(numbers), "sorted wrongly");
    return in_branches(at);
}

constexpr auto key = [](std::uint64_t x) { return x >> 32U; };

// Each of the first comparisons runs a child. sort() is given the numbers and a comparison of their keys.
template <class Sort>
std::uint64_t sort_by_comparisons(const node& at, const Sort& sort) {
    auto numbers = some_numbers(at.seed, 100);
    const auto sum_of_all = [&numbers] { return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}); };
    const std::uint64_t before = sum_of_all();
    std::atomic<unsigned> comparisons{0};
    std::atomic<std::uint64_t> sum{0};
    census here(at.left_behind());
    const auto less = [&](std::uint64_t x, std::uint64_t y) {
        const census::member inside(here);
        if (const unsigned i = comparisons++; i < at.children) {
            sum += at(i);
        }
        return key(x) < key(y);
    };
    try {
        sort(numbers, less);
    } catch (...) {
        at.expect(sum_of_all() == before, "a sort that failed has lost elements");
        throw;
    }
    at.expect(sum_of_all() == before, "a sort has lost elements");
    return sum;
}

// Backwards it is another algorithm: the elements are not in one piece.
std::uint64_t in_sort(const node& at) {
    return sort_by_comparisons(at, [&](auto& numbers, const auto& less) {
        if (at.seed % 2 == 0) {
            skerry::parallel_sort(numbers, less);
        } else {
            skerry::parallel_sort(numbers.rbegin(), numbers.rend(), [&less](auto x, auto y) { return less(y, x); });
        }
        at.expect(std::ranges::is_sorted(numbers, {}, key), "sorted wrongly");
    });
}

std::uint64_t in_stable_sort(const node& at) {
    return sort_by_comparisons(at, [&](auto& numbers, const auto& less) {
        if (at.seed % 2 == 0) {
            skerry::parallel_stable_sort(numbers, less);
        } else {
            skerry::parallel_stable_sort(numbers.rbegin(), numbers.rend(),
                                         [&less](auto x, auto y) { return less(y, x); });
        }
        at.expect(std::ranges::is_sorted(numbers), "sorted wrongly, or equal elements out of order");
    });
}

constexpr kind all[] = {
    in_loop, in_long_loop, in_box,    in_elements, in_transformation,   in_copy, in_transformed_sum, in_source, in_list,
    in_sum,  in_scan,      in_search, in_question, in_sort_of_integers, in_sort, in_stable_sort};

} // namespace

const std::span<const kind> algorithm_kinds = all;

} // namespace skerry_test
