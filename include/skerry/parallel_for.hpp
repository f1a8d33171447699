// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/frontend/algorithm/explained.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/frontend/algorithm/loop.hpp>
#include <skerry/range.hpp>

namespace skerry::inline SKERRY_ABI {

// parallel_for(first, last, f [, grain])                integers: f(i); random-access iterators: f(*it)
// parallel_for(range, f [, grain])                      f(x)
// parallel_for(box<N>{...}, f [, grain] [, schedule])   f(i), f(i, j), f(i, j, k)
//
// Calls f for all of them, in any order and perhaps at the same time, and returns when all calls have returned. f is
// one object, shared by the calls. If calls throw, the exception of the leftmost arrives here; calls not begun are left
// out. See grain and schedule in range.hpp for how the work is cut. Any thread may call it.
inline constexpr detail::explained<detail::parallel_for_function<detail::forking>> parallel_for{};

} // namespace skerry::inline SKERRY_ABI
