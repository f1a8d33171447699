// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/frontend/algorithm/explained.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/frontend/algorithm/reduction.hpp>
#include <skerry/range.hpp>

namespace skerry::inline SKERRY_ABI {

// parallel_reduce(first, last [, init [, op]] [, grain])
// parallel_reduce(range [, init [, op]] [, grain])
//
// As std::reduce, with one promise more: op need only be associative, the elements keep their order. With
// grain::fixed(n) the result is the same to the last bit for any number of workers, and in skerry::serial: the grouping
// depends on n and the length only, where it can be told from another (not in sums, products and bitwise operations of
// std's on integers). A grain is given together with init.
inline constexpr detail::explained<detail::parallel_reduce_function<detail::forking>> parallel_reduce{};

// parallel_transform_reduce(first, last, init, reduce, transform [, grain])            transform(x)
// parallel_transform_reduce(range, init, reduce, transform [, grain])
// parallel_transform_reduce(first1, last1, first2, init [, reduce, transform] [, grain])   transform(x, y)
// parallel_transform_reduce(range1, range2, init [, reduce, transform] [, grain])
//
// As std::transform_reduce, with the promises of parallel_reduce. The second sequence is at least as long as the first.
inline constexpr detail::explained<detail::parallel_transform_reduce_function<detail::forking>>
    parallel_transform_reduce{};

} // namespace skerry::inline SKERRY_ABI
