// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/frontend/algorithm/explained.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/frontend/algorithm/reduction.hpp>
#include <skerry/detail/frontend/algorithm/source_chain.hpp>
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

// Both, without random access:
//
// parallel_reduce(first, last, init [, op]), parallel_reduce(range, init [, op])      iterators that only go forward
// parallel_reduce(source, init [, op])
// parallel_transform_reduce(first, last, init, reduce, transform), (range, ...), (source, ...)
//
// A source is a function object that gives one element after the other and then something empty: what source() returns
// is used as std::optional or a pointer is. Each copy of it goes on by itself from where the original was, and gives
// the same elements; the algorithm makes copies, so that other workers can begin further on, and asks these, in other
// threads, for elements that it skips. Meanwhile transform may run for elements before these, and behind. The same is
// true of iterators, and of what they call, as the predicate of a view.
//
// Each element is a task, also a small one: about 3 ns beyond the call where nobody takes it. The elements keep their
// order; how they are grouped depends on who takes which, so there is no grain, and sums of floating-point numbers may
// differ by rounding. Memory: that of copies of the source. Complexity: n + 1 calls of the source, and O(n log n) where
// others take some.
// Errors: the leftmost exception of transform and op; that of a source or an iterator, with elements left out before
// it, too; bad_source (range.hpp).

} // namespace skerry::inline SKERRY_ABI
