// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/frontend/algorithm/explained.hpp>
#include <skerry/detail/frontend/algorithm/filter.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/frontend/algorithm/mapping.hpp>
#include <skerry/detail/frontend/algorithm/source_chain.hpp>
#include <skerry/range.hpp>

namespace skerry::inline SKERRY_ABI {

// parallel_for_each(first, last, f [, grain]), parallel_for_each(range, f [, grain]): f(x) for each element.
// parallel_for_each(first, last, f), parallel_for_each(range, f), with iterators that only go forward
// parallel_for_each(source, f): each x of a source, see reduce.hpp
//
// Without random access each element is a task. Where another worker takes some of them, elements are walked over more
// than once: by the logarithm of their number at most. The predicate of a view is called by several threads then.
inline constexpr detail::explained<detail::parallel_for_each_function<detail::forking>> parallel_for_each{};

// parallel_transform(first, last, out, f [, grain])              *out++ = f(x)
// parallel_transform(first1, last1, first2, out, f [, grain])    *out++ = f(x, y)
// parallel_transform(range, out, f [, grain]), parallel_transform(range1, range2, out, f [, grain])
//
// As std::transform. out may be the beginning of an input. Returns the end of the output.
inline constexpr detail::explained<detail::parallel_transform_function<detail::forking>> parallel_transform{};

// parallel_copy_if(first, last, out, predicate [, grain]), parallel_copy_if(range, out, predicate [, grain])
//
// As std::copy_if: keeps the order, calls the predicate once for each element, returns the end of the output. The
// output must not overlap the input. It takes one bit of memory for each element; without that memory it works
// serially.
inline constexpr detail::explained<detail::parallel_copy_if_function<detail::forking>> parallel_copy_if{};

} // namespace skerry::inline SKERRY_ABI
