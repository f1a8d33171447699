// SPDX-License-Identifier: Apache-2.0

// An integer is no task.

#include <skerry/task_group.hpp>

void wrong(skerry::task_group& g) { g.run(5); }
