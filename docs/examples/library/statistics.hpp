// SPDX-License-Identifier: Apache-2.0
#pragma once

// A library that uses Skerry inside. Its callers need not: they see std alone.

#include <span>

namespace statistics {

struct summary {
    double mean, median, deviation;
};

// Of at least one value. Any thread may call it, also a task of Skerry's.
summary summary_of(std::span<const double> values);

} // namespace statistics
