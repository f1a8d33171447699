// SPDX-License-Identifier: Apache-2.0

// One program against skerry and against its serial elision: every name exists in both, and results are equal.

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/serial.hpp>
#include <skerry/skerry.hpp>

namespace parallel {
namespace par = ::skerry;
#include "elision.hpp"
} // namespace parallel

namespace serial {
namespace par = ::skerry::serial;
#include "elision.hpp"
} // namespace serial

namespace {

TEST(Elision, SameProgramSameResults) { EXPECT_EQ(parallel::program(), serial::program()); }

} // namespace
