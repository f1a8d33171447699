// SPDX-License-Identifier: Apache-2.0
#pragma once

// All of Skerry. A program that uses one construct compiles faster with that construct's own header.

#include <skerry/access.hpp>
#include <skerry/algorithm.hpp>
#include <skerry/blocking.hpp>
#include <skerry/cancelled.hpp>
#include <skerry/dataflow.hpp>
#include <skerry/finish.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/future.hpp>
#include <skerry/interest.hpp>
#include <skerry/kernel.hpp>
#include <skerry/named.hpp>
#include <skerry/partition.hpp>
#include <skerry/region.hpp>
#include <skerry/remote_error.hpp>
#include <skerry/runtime.hpp>
#include <skerry/stale.hpp>
#include <skerry/task.hpp>
#include <skerry/task_group.hpp>
#include <skerry/tile.hpp>
#include <skerry/worker_local.hpp>
