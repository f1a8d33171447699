// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every chain of leaves has to do where a thief takes its rest, or a leaf throws. sum(n, leaf): the sum of leaf(0)
// ... leaf(n - 1), as a chain, on two workers if not said otherwise.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include <skerry/dataflow.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/finish.hpp>

#include "../until.hpp"

namespace taken_rest {

// 0 + 1 + ... + n - 1
inline std::uint64_t sum_below(std::uint64_t n) { return n == 0 ? 0 : n * (n - 1) / 2; }

inline constexpr auto same = [](std::size_t i) -> std::uint64_t { return i; };

// The first leaf ends when the last one has run: it is in the rest that a thief took. All of them, once.
template <class Sum>
void is_taken(const Sum& sum, std::size_t n) {
    std::atomic<bool> last_ran = false;
    const std::uint64_t got = sum(n, [&](std::size_t i) -> std::uint64_t {
        if (i == 0) {
            until(last_ran);
        } else if (i == n - 1) {
            last_ran = true;
        }
        return i;
    });
    EXPECT_EQ(got, sum_below(n)) << n;
}

// The thief of the rest stays in its first leaf until the last one has run: whoever began the chain has taken it back.
template <class Sum>
void is_taken_back_in_part(const Sum& sum, std::size_t n) {
    std::atomic<bool> taken = false;
    std::atomic<bool> last_ran = false;
    const std::uint64_t got = sum(n, [&](std::size_t i) -> std::uint64_t {
        if (i == 0) {
            until(taken);
        } else if (i == 1) {
            taken = true;
            until(last_ran);
        } else if (i == n - 1) {
            taken = true; // under locks the halves of a chain over numbers have been apart from the beginning
            last_ran = true;
        }
        return i;
    });
    EXPECT_EQ(got, sum_below(n));
}

// Taken in the middle: what was folded before is kept, and the rest is what was left then.
template <class Sum>
void is_taken_in_the_middle(const Sum& sum, std::size_t n) {
    for (std::size_t middle = 0; middle + 1 < n; ++middle) {
        std::atomic<bool> next_ran = false;
        const std::uint64_t got = sum(n, [&](std::size_t i) -> std::uint64_t {
            if (i == middle) {
                until(next_ran);
            } else if (i > middle) {
                next_ran = true;
            }
            return std::uint64_t{1} << i;
        });
        EXPECT_EQ(got, (std::uint64_t{1} << n) - 1) << middle;
    }
}

template <class Sum>
void throws(const Sum& sum, std::size_t n) {
    std::atomic<bool> taken = false;
    try {
        sum(n, [&](std::size_t i) -> std::uint64_t {
            if (i == 0) {
                until(taken);
            } else if (i == n - 1) {
                taken = true;
                throw std::runtime_error("taken");
            }
            return 0;
        });
        ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "taken");
    }
}

// On one worker: an exception leaves out what has not begun.
template <class Sum>
void is_left_out(const Sum& sum, std::size_t n) {
    for (std::size_t at = 0; at != n; ++at) {
        std::size_t ran = 0;
        const auto leaf = [&](std::size_t i) -> std::uint64_t {
            if (i == at) {
                throw std::runtime_error("a leaf");
            }
            return ++ran;
        };
        EXPECT_THROW(sum(n, leaf), std::runtime_error);
        EXPECT_EQ(ran, at);
        EXPECT_EQ(sum(n, same), sum_below(n)) << "the deque is not as before";
    }
}

// A thief takes the empty rest behind the last of n leaves. Returns in how many rounds there was one: it stops at
// twenty, or after 2,000 rounds. steals(): how many the runtime has had.
template <class Sum, class Steals>
unsigned is_taken_though_empty(const Sum& sum, std::size_t n, const Steals& steals) {
    const std::thread::id owner = std::this_thread::get_id();
    const skerry::detail::worker_page& page = *skerry::detail::current_page;
    const auto* const before = page.next();
    unsigned seen = 0;
    for (unsigned round = 0; round != 2000 && seen != 20; ++round) {
        const std::uint64_t so_far = steals();
        const std::uint64_t got = sum(n, [&](std::size_t i) -> std::uint64_t {
            if (i == n - 1 && std::this_thread::get_id() == owner && page.next() != before) {
                while (steals() == so_far) {
                    std::this_thread::yield();
                }
                ++seen;
            }
            return i;
        });
        EXPECT_EQ(got, sum_below(n));
    }
    return seen;
}

// What a leaf leaves in the deque lies above the rest of its chain.
template <class Sum>
void lies_below_what_leaves_begin(const Sum& sum, std::size_t n) {
    std::atomic<std::size_t> ran = 0;
    std::uint64_t got = 0;
    skerry::finish([&](skerry::scope& all) {
        got = sum(n, [&](std::size_t i) -> std::uint64_t {
            all.async([&ran] { ++ran; });
            skerry::spawn([&ran] { ++ran; });
            return i;
        });
    });
    EXPECT_EQ(ran, 2 * n);
    EXPECT_EQ(got, sum_below(n));
}

// Chains within leaves of chains: the deque grows under them.
template <class Sum>
void lies_in_a_deque_that_grows(const Sum& sum) {
    const auto nest = [&sum](const auto& self, std::size_t depth) -> std::uint64_t {
        return sum(3,
                   [&](std::size_t i) -> std::uint64_t { return i == 0 && depth > 0 ? 1 + self(self, depth - 1) : 1; });
    };
    EXPECT_EQ(nest(nest, 1099), 1100 * 3);
}

} // namespace taken_rest
