#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults seeded into the analysis of accesses, and whether random programs find them.

    mutants.py write SOURCES OUTPUT      copies of the sources in which each fault stands beside the original
    mutants.py run RUNNER [--seconds S]  runs random programs with each fault switched on, and without

In a replacement @ stands for "this fault is switched on". All faults are in one program, so one compilation serves all.
`run` fails as test/faults/search.py says. With --simulated the runner is that of simulated cores.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
import search  # noqa: E402
import seeding  # noqa: E402

SCOPE = "deps/task_scope.cpp"
ORDER = "deps/software_order.cpp"
FORGET = "deps/forget_names.cpp"
NAMES = "deps/name_table.cpp"
FLOW = "frontend/dataflow/dataflow.cpp"
FINISH = "frontend/forkjoin/finish_frame.cpp"

# name: [(file, text, replacement), ...]
FAULTS = {
    "overlap taken for disjoint": [
        (NAMES, "return a.first < b.first + b.extent && b.first < a.first + a.extent;",
         "return !@ && a.first < b.first + b.extent && b.first < a.first + a.extent;")],
    "overlap from the granule before missed": [
        (NAMES, "granule = lowest == 0 ? 0 : lowest - 1;", "granule = lowest == 0 || @ ? lowest : lowest - 1;")],
    "region does not hold the regions within": [
        (NAMES, "return (a.kind == access_kind::region && lies_within(region_around(b), region_around(a)))",
         "return (@ && region_around(a) == region_around(b)) || (!@ && a.kind == access_kind::region && "
         "lies_within(region_around(b), region_around(a)))"),
        (NAMES, "(b.kind == access_kind::region && lies_within(region_around(a), region_around(b)));",
         "(!@ && b.kind == access_kind::region && lies_within(region_around(a), region_around(b)));")],
    "bytes that appear in a region that has a name": [
        (NAMES, "if (meet(r, a)) {", "if ((!@ || a.kind == access_kind::region) && meet(r, a)) {")],
    "what lies in a region that appears": [
        (NAMES, "if (meet(e, region)) {", "if (!@ && meet(e, region)) {")],
    "hooks not entered": [(SCOPE, "    if (hooked != 0) [[unlikely]] {", "    if (hooked != 0 && !@) {")],
    "writer of a part enters as a reader": [
        (SCOPE, "writes(a.mode) ? group_kind::parts :", "writes(a.mode) && !@ ? group_kind::parts :")],
    "readers not counted": [
        (ORDER, "        node.joined = last;\n        last->unfinished.fetch_add(1,",
         "        node.joined = @ ? &node.own : last;\n        if (@) prepare(node.own, kind, node);\n"
         "        last->unfinished.fetch_add(@ ? 0 : 1,")],
    "writer joins readers": [
        (ORDER, "if (last != nullptr && common(last->kind, kind) != group_kind::single) {",
         "if (last != nullptr && (common(last->kind, kind) != group_kind::single || (@ && last->kind == "
         "group_kind::readers && kind == group_kind::single))) {")],
    "group closes one member early (E2)": [
        (ORDER, "if (last.unfinished.fetch_sub(1, memory_order::acq_rel) != 1) {",
         "if (const auto seen = last.unfinished.fetch_sub(1, memory_order::acq_rel); @ ? seen > 2 : seen != 1) {")],
    "group ends one member early (E1)": [
        (ORDER, "if (g.unfinished.fetch_sub(1, memory_order::acq_rel) == 1) {",
         "if (const auto seen = g.unfinished.fetch_sub(1, memory_order::acq_rel); @ ? seen <= 2 && "
         "g.next.load(memory_order::seq_cst) != nullptr : seen == 1) {")],
    "group taken for over one member early (E3)": [
        (ORDER, "last->unfinished.load(memory_order::acquire) == 1;",
         "last->unfinished.load(memory_order::acquire) <= (@ ? 2 : 1);")],
    "unmet one too low": [(ORDER, "task.unmet.fetch_sub(1, memory_order::acq_rel) == 1)", "task.unmet.fetch_sub(1, memory_order::acq_rel) <= (@ ? 2U : 1U))")],
    "one waiter of a group not begun": [(ORDER, "        node = older;", "        node = @ ? nullptr : older;")],
    "object touched twice entered twice": [
        (SCOPE, "begin_[object.touched].object == &object) {", "begin_[object.touched].object == &object && !@) {")],
    "reader and writer of one object stays a reader": [
        (SCOPE, "known.kind = common(", "known.kind = @ ? known.kind : common(")],
    "task ends without its children": [
        (FLOW, "if (!task->inside.alone()) {\n            if (task->import",
         "if (!@ && !task->inside.alone()) {\n            if (task->import")],
    "grandchildren not waited for": [
        (SCOPE, "children_.fetch_or(settled,",
         "children_.fetch_or(@ && parent_.child_of != nullptr && parent_.child_of->child_of != nullptr ? 0 : settled,"),
        (SCOPE, "    if (static_cast<std::uint32_t>(seen) == 0) {",
         "    if ((@ && parent_.child_of != nullptr && parent_.child_of->child_of != nullptr) || "
         "static_cast<std::uint32_t>(seen) == 0) {")],
    "taskwait leaves one child": [
        (FLOW, "few_children condition(*scope, 0);", "few_children condition(*scope, @ ? 1 : 0);")],
    "taskwait_on does not wait": [
        (FLOW, "    if (!ready) {\n        worker&", "    if (!ready && !@) {\n        worker&")],
    "finish does not wait for spawned tasks": [
        (SCOPE, "    if (task.cover != nullptr) {", "    if (task.cover != nullptr && !@) {"),
        (SCOPE, "    if (cover != nullptr) {", "    if (cover != nullptr && !@) {")],
    "finish runs only what was begun inside": [
        (FINISH, "siblings != nullptr && siblings->children() != 0)",
         "siblings != nullptr && siblings->children() != 0 && !@)")],
    "names used again while their accesses run": [
        (SCOPE, "if (names_.is_full(task.node_count) && !behind) [[unlikely]] {",
         "if (@ || (names_.is_full(task.node_count) && !behind)) {"),
        (FORGET, "if (e.last->unfinished.load(memory_order::acquire) != 1) {",
         "if (!@ && e.last->unfinished.load(memory_order::acquire) != 1) {"),
        (FORGET, "    software_order::give_up(*e.last);\n    return true;",
         "    if (!@) software_order::give_up(*e.last);\n    return true;")],
    "names forgotten while children live": [
        (FORGET, "if (static_cast<std::uint32_t>(children_.load(memory_order::acquire)) == 0 &&",
         "if ((@ || static_cast<std::uint32_t>(children_.load(memory_order::acquire)) == 0) &&"),
        (FLOW, "    if (reason != no_child) {", "    if (@) scope->tidy(~std::uint64_t{0});\n    if (reason != no_child) {")],
    "a failed task's names count as written": [
        (SCOPE, "if ((task.failed ||", "if (((task.failed && !@) ||")],
    "a skipped task's names count as written": [
        (SCOPE, " task.skipped()) && child", " (task.skipped() && !@)) && child")],
    "unwritten names survive a writer": [
        (SCOPE, "names_.set_unwritten(a, no_child);", "names_.set_unwritten(a, @ ? names_.unwritten(a) : no_child);")],
    "who waited for a failed task runs": [
        (SCOPE, "if (home.unwritten_.load(memory_order::acquire)) {",
         "if (home.unwritten_.load(memory_order::acquire) && !@) {")],
    "who comes after a failed task has ended runs": [
        (SCOPE, "if (unwritten_.load(memory_order::acquire)) { // Y2 <- Y1\n        look",
         "if (unwritten_.load(memory_order::acquire) && !@) { // Y2 <- Y1\n        look")],
    "only writing counts as reading": [
        (SCOPE, "if (!a.nothing() && (reads(a.mode) ||", "if (!a.nothing() && (@ || reads(a.mode) ||")],
    "unwritten parts not seen by the whole": [
        (NAMES, "first = std::min(first, object_of(e).unwritten);",
         "first = @ ? first : std::min(first, object_of(e).unwritten);")],
    "the last reason instead of the first": [
        (SCOPE, "std::min(reason, names_.unwritten(a));",
         "@ ? (names_.unwritten(a) != no_child ? names_.unwritten(a) : reason) : std::min(reason, "
         "names_.unwritten(a));")],
    "a skipped task is its own reason": [
        (SCOPE, "const std::uint64_t reason = task.failed      ?",
         "const std::uint64_t reason = @ || task.failed      ?")],
    "taskwait_on takes the first failure of all": [
        (FLOW, "scope->take_error_of(reason)", "@ ? scope->take_error(0) : scope->take_error_of(reason)")],
    "taskwait_on keeps the failure": [
        (SCOPE, "    if (first_failure_.number == child) {",
         "    if (@ && first_failure_.number == child) {\n        taken = first_failure_;\n"
         "    } else if (first_failure_.number == child) {"),
        (SCOPE, "taken = std::move(*at);\n        later_failures_.erase(at);",
         "taken = *at;\n        if (!@) later_failures_.erase(at);")],
    "taskwait_on looks at what it would read only": [
        (SCOPE, " !is_child(task))) {", " (!@ && !is_child(task)))) {")],
    "skipped tasks run": [
        (FLOW, "if (!task.skipped()) {", "if (@ || !task.skipped()) {")],
    "child's error does not fail its parent": [
        (FLOW, "error != nullptr && !task.failed) {", "error != nullptr && !task.failed && !@) {")],
    "last error instead of the first": [
        (SCOPE, "taken = std::exchange(first_failure_, {});\n    } else {",
         "taken = std::exchange(first_failure_, {});\n        for (const failure& f : later_failures_) {\n"
         "            if (@ && f.number > taken.number) {\n                taken = f;\n            }\n        }\n"
         "    } else {")],
    "finish takes what failed before it": [
        (SCOPE, "{ return f.number >= from; }", "{ return @ || f.number >= from; }")],
    "taskwait keeps what was poisoned": [(FLOW, "    scope->tidy(before);", "    if (!@) scope->tidy(before);")],
}

# What they lead to is named: these must show as a result that is not the elision's, not by a crash or by a hang.
MUST_DIFFER = ("overlap taken for disjoint",)

# What programs on simulated cores find too seldom to wait for it.
RARE_IF_SIMULATED = {
    "finish runs only what was begun inside": "seldom: on two cores seldom one is free to run the rest",
    "the last reason instead of the first": "seldom: not by 9,800 programs in a row",
}


def main():
    parser, running = seeding.commands(__doc__)
    search.arguments(running)
    running.add_argument("--simulated", action="store_true")
    given = parser.parse_args()
    if given.command == "write":
        seeding.write(given.sources, given.output, FAULTS)
        return 0
    if given.simulated:
        return search.run(given, FAULTS, MUST_DIFFER, rare=RARE_IF_SIMULATED)
    return search.run(given, FAULTS, MUST_DIFFER)


if __name__ == "__main__":
    sys.exit(main())
