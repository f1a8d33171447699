// SPDX-License-Identifier: Apache-2.0
#pragma once

// The executors that every algorithm is tested on:
//   in_place   the serial elision
//   shuffled   one thread; branches in either order, demand and skipped branches at random, from a fixed seed
//   forking    the runtime, with 1, 2, 3 and 8 workers

#include <skerry/detail/frontend/algorithm/fold.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/frontend/algorithm/in_place.hpp>
#include <skerry/detail/frontend/algorithm/source.hpp>
#include <skerry/runtime.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <type_traits>
#include <utility>

namespace algorithm_test {

using skerry::detail::forking;
using skerry::detail::in_place;

class plain_minimum {
  public:
    explicit plain_minimum(std::uint64_t value) : value_{value} {}
    [[nodiscard]] std::uint64_t get() const { return value_; }
    void lower_to(std::uint64_t value) { value_ = std::min(value_, value); }

  private:
    std::uint64_t value_;
};

struct shuffled {
    static constexpr bool parallel = true;
    using memory = skerry::detail::fresh_memory;
    using minimum = plain_minimum;

    static inline std::minstd_rand random{1};
    static inline unsigned workers = 3;

    static bool coin(unsigned one_in) { return random() / 16 % one_in == 0; }

    template <class F, class G>
    static void fork_both(F&& f, G&& g) {
        std::exception_ptr left;
        std::exception_ptr right;
        const auto run = [](auto& branch, std::exception_ptr& thrown) {
            try {
                branch();
            } catch (...) {
                thrown = std::current_exception();
            }
        };
        if (coin(2)) {
            run(g, right);
            run(f, left);
        } else {
            run(f, left);
            if (!left || coin(2)) run(g, right);
        }
        if (left) std::rethrow_exception(left);
        if (right) std::rethrow_exception(right);
    }
    template <class F, class G>
    static auto fork_values(F&& f, G&& g) {
        std::optional<std::invoke_result_t<F&>> first;
        std::optional<std::invoke_result_t<G&>> second;
        fork_both([&] { first.emplace(f()); }, [&] { second.emplace(g()); });
        return std::pair{*std::move(first), *std::move(second)};
    }

    template <class Leaf>
    static void run_leaves(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        if (last - first == 1) {
            leaf(first);
            return;
        }
        const std::uint64_t middle = first + (last - first) / 2;
        fork_both([&] { run_leaves(leaf, first, middle); }, [&] { run_leaves(leaf, middle, last); });
    }

    template <class Leaf>
    static void run_small_leaves(const Leaf& leaf, std::uint64_t first, std::uint64_t last) {
        run_leaves(leaf, first, last);
    }
    static void run_automatically(const skerry::detail::run_call& run, std::uint64_t count) {
        skerry::detail::run_cut<shuffled>(run, count);
    }
    static void fold_automatically(skerry::detail::folded& sum, std::uint64_t count) {
        skerry::detail::fold_cut<shuffled>(sum, count);
    }

    static constexpr bool folds_anyhow = false;

    template <class T, class Source, class Fold>
    static T fold_source(T sum, Source source, const Fold& how) {
        using parts = skerry::detail::fold_in_parts<shuffled, Source, Fold>;
        return parts::joined(how, std::move(sum), parts::fold(how, source));
    }

    static bool demand() { return coin(4); }
    static unsigned concurrency() { return workers; }
};

// Calls body(number of workers) in every setting of the executor.
template <class Executor>
struct setting {
    template <class F>
    static void each(F body) {
        body(1U);
    }
};

template <>
struct setting<shuffled> {
    template <class F>
    static void each(F body) {
        for (const unsigned workers : {1U, 2U, 3U, 8U}) {
            shuffled::workers = workers;
            SCOPED_TRACE(testing::Message() << workers << " pretended workers");
            body(workers);
        }
    }
};

template <>
struct setting<forking> {
    template <class F>
    static void each(F body) {
        static const std::array<std::unique_ptr<skerry::runtime>, 4> runtimes = [] {
            std::array<std::unique_ptr<skerry::runtime>, 4> made;
            for (std::size_t i = 0; i < made.size(); ++i) {
                skerry::options o;
                o.workers = std::array{1U, 2U, 3U, 8U}[i];
                made[i] = std::make_unique<skerry::runtime>(o);
            }
            return made;
        }();
        for (const auto& runtime : runtimes) {
            SCOPED_TRACE(testing::Message() << runtime->workers() << " workers");
            runtime->run([&] { body(runtime->workers()); });
        }
    }
};

using executors = testing::Types<in_place, shuffled, forking>;

struct executor_names {
    template <class Executor>
    static std::string GetName(int) {
        if (std::is_same_v<Executor, in_place>) return "in_place";
        return std::is_same_v<Executor, shuffled> ? "shuffled" : "forking";
    }
};

} // namespace algorithm_test
