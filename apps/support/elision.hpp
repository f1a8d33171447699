// SPDX-License-Identifier: Apache-2.0
#pragma once

// Chooses what `par::` means. A program's source includes this and puts all its code into
// `namespace apps::SKERRY_APP_VARIANT`, where `par` is `skerry` in one compilation and `skerry::serial` in the other:
// the two object files then have no name in common.

#include "program.hpp"

#ifndef SKERRY_APP_SERIAL
#error "compile with SKERRY_APP_SERIAL=0 or =1: see skerry_add_program in apps/CMakeLists.txt"
#endif

#if SKERRY_APP_SERIAL
#include <skerry/serial.hpp>
#define SKERRY_APP_VARIANT serial
namespace apps::serial {
namespace par = ::skerry::serial;
} // namespace apps::serial
#else
#include <skerry/skerry.hpp>
#define SKERRY_APP_VARIANT parallel
namespace apps::parallel {
namespace par = ::skerry;
} // namespace apps::parallel
#endif
