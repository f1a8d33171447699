// SPDX-License-Identifier: Apache-2.0
#pragma once

// The constructs, or those of the serial elision.

#include <memory>
#include <span>
#include <string>
#include <utility>

#ifdef ELISION
#include <skerry/serial.hpp>
namespace par = skerry::serial;
#else
#include <skerry/skerry.hpp>
namespace par = skerry;
#endif
