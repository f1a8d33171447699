// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <skerry/algorithm.hpp>

namespace {

struct person {
    std::string name;
    unsigned age;
};

bool sums() {
    std::vector<double> x(1000, 0.5), y(1000, 2.0);
    // [reduce]
    double sum = skerry::parallel_reduce(x, 0.0, std::plus<>(), skerry::grain::fixed(64)); // the same bits always
    double dot = skerry::parallel_transform_reduce(x, y, 0.0);
    // [/reduce]
    return sum == 500 && dot == 1000;
}

bool lists() {
    std::list<std::string> words{"no", "random", "access"};
    // [list]
    skerry::parallel_for_each(words, [](std::string& word) { word += '!'; }); // words: a std::list
    // [/list]
    return words.back() == "access!";
}

// [source]
// All ways to pay an amount with coins no larger than coins[k].
std::uint64_t ways(std::span<const int> coins, std::size_t k, int amount) {
    if (amount == 0) return 1;
    const auto next = [=, i = k]() mutable -> std::optional<std::size_t> {
        while (i != coins.size() && coins[i] > amount) ++i;
        return i != coins.size() ? std::optional(i++) : std::nullopt;
    };
    return skerry::parallel_transform_reduce(next, std::uint64_t{0}, std::plus<>(),
                                             [=](std::size_t i) { return ways(coins, i, amount - coins[i]); });
}
// [/source]

bool pays() {
    const int coins[] = {50, 20, 10, 5, 2, 1};
    return ways(coins, 0, 100) == 4562;
}

bool scans() {
    std::vector<int> counts{3, 1, 4, 1, 5};
    // [scan]
    std::vector<int> offsets(counts.size());
    skerry::parallel_exclusive_scan(counts, offsets.begin(), 0);
    // [/scan]
    return offsets == std::vector<int>{0, 3, 4, 8, 9};
}

bool sorts() {
    std::vector<person> people{{"Ada", 36}, {"Alan", 41}, {"Grace", 85}, {"Edsger", 72}};
    std::vector<unsigned> numbers{5, 3, 9, 1};
    // [sort]
    skerry::parallel_sort(numbers);                                       // by radix: integers
    skerry::parallel_sort(people, std::less<>(), &person::name);          // by comparison
    skerry::parallel_stable_sort(people, std::greater<>(), &person::age); // by radix on a projection
    // [/sort]
    return numbers.front() == 1 && people.front().name == "Grace";
}

bool searches() {
    std::vector<int> v(10000);
    v[7000] = 1;
    v[9000] = 2;
    // [find]
    auto first = skerry::parallel_find_if(v, [](int x) { return x != 0; }); // the first match
    bool any = skerry::parallel_any_of(v, [](int x) { return x == 2; });    // ends early
    std::vector<int> kept;
    kept.resize(v.size());
    kept.erase(skerry::parallel_copy_if(v, kept.begin(), [](int x) { return x != 0; }), kept.end());
    // [/find]
    return first - v.begin() == 7000 && any && kept == std::vector<int>{1, 2};
}

} // namespace

int main() { return sums() && lists() && pays() && scans() && sorts() && searches() ? 0 : 1; }
