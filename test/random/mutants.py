#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults seeded into the analysis of accesses, and whether random programs find them.

    mutants.py write SOURCES OUTPUT      copies of the sources in which each fault stands beside the original
    mutants.py run RUNNER [--seconds S]  runs random programs with each fault switched on, and without

In a replacement @ stands for "this fault is switched on". All faults are in one program, so one compilation serves all.
`run` fails if a fault survives, or if programs fail without one. A difference from the elision finds a fault, and so
does a crash, and a hang that comes again; a process that was killed, or did not come to an end, has found nothing.
"""

import pathlib
import random
import signal
import subprocess
import sys
import textwrap
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
import seeding  # noqa: E402

SCOPE = "deps/task_scope.cpp"
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
        (NAMES, "if (overlapping(r->name, a)) {", "if (!@ && overlapping(r->name, a)) {")],
    "hooks not entered": [(SCOPE, "    if (hooked != 0) {", "    if (hooked != 0 && !@) {")],
    "writer of a part enters as a reader": [
        (SCOPE, "writes(node.what.mode) ? group_kind::parts :", "writes(node.what.mode) && !@ ? group_kind::parts :")],
    "readers not counted": [
        (SCOPE, "        node.joined = last;\n        last->unfinished.fetch_add(1,",
         "        node.joined = @ ? &node.own : last;\n        if (@) prepare(node.own, kind, node);\n"
         "        last->unfinished.fetch_add(@ ? 0 : 1,")],
    "writer joins readers": [
        (SCOPE, "if (last != nullptr && common(last->kind, kind) != group_kind::single) {",
         "if (last != nullptr && (common(last->kind, kind) != group_kind::single || (@ && last->kind == "
         "group_kind::readers && kind == group_kind::single))) {")],
    "group closes one member early (E2)": [
        (SCOPE, "if (last.unfinished.fetch_sub(1, std::memory_order_acq_rel) != 1) {",
         "if (const auto seen = last.unfinished.fetch_sub(1, std::memory_order_acq_rel); @ ? seen > 2 : seen != 1) {")],
    "group ends one member early (E1)": [
        (SCOPE, "if (g.unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) {",
         "if (const auto seen = g.unfinished.fetch_sub(1, std::memory_order_acq_rel); @ ? seen <= 2 && g.next != "
         "nullptr : seen == 1) {")],
    "group taken for over one member early (E3)": [
        (SCOPE, "last->unfinished.load(std::memory_order_acquire) == 1;",
         "last->unfinished.load(std::memory_order_acquire) <= (@ ? 2 : 1);")],
    "unmet one too low": [(SCOPE, "task.unmet.store(count + 1,", "task.unmet.store(count + (@ ? 0 : 1),")],
    "one waiter of a group not begun": [(SCOPE, "        node = older;", "        node = @ ? nullptr : older;")],
    "object touched twice entered twice": [
        (SCOPE, "if (known.object == &object) {", "if (known.object == &object && !@) {")],
    "reader and writer of one object stays a reader": [
        (SCOPE, "known.kind = common(", "known.kind = @ ? known.kind : common(")],
    "task ends without its children": [
        (FLOW, "if (task->inside.alone()) {", "if (@ || task->inside.alone()) {")],
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
    "names forgotten while children live": [
        (SCOPE, "if (static_cast<std::uint32_t>(children_.load(std::memory_order_acquire)) == 0 &&",
         "if ((@ || static_cast<std::uint32_t>(children_.load(std::memory_order_acquire)) == 0) &&"),
        (FLOW, "    hand_on(next, nullptr, nullptr, track_in(scope->crew()), 0);\n    if (reason != no_child) {",
         "    hand_on(next, nullptr, nullptr, track_in(scope->crew()), 0);\n    if (@) scope->tidy();\n"
         "    if (reason != no_child) {")],
    "a failed task's names count as written": [
        (SCOPE, "if ((task.failed ||", "if (((task.failed && !@) ||")],
    "a skipped task's names count as written": [
        (SCOPE, " task.skipped()) && child", " (task.skipped() && !@)) && child")],
    "unwritten names survive a writer": [
        (SCOPE, "names_.set_unwritten(a, no_child);", "names_.set_unwritten(a, @ ? names_.unwritten(a) : no_child);")],
    "who waited for a failed task runs": [
        (SCOPE, "if (home.unwritten_.load(std::memory_order_acquire)) {",
         "if (home.unwritten_.load(std::memory_order_acquire) && !@) {")],
    "who comes after a failed task has ended runs": [
        (SCOPE, "if (ready && unwritten_.load(std::memory_order_acquire)) {",
         "if (ready && unwritten_.load(std::memory_order_acquire) && !@) {")],
    "only writing counts as reading": [
        (SCOPE, "if (!a.nothing() && (reads(a.mode) ||", "if (!a.nothing() && (@ || reads(a.mode) ||")],
    "unwritten parts not seen by the whole": [
        (NAMES, "first = std::min(first, e.unwritten);", "first = @ ? first : std::min(first, e.unwritten);")],
    "the last reason instead of the first": [
        (SCOPE, "std::min(reason, names_.unwritten(a));",
         "@ ? (names_.unwritten(a) != no_child ? names_.unwritten(a) : reason) : std::min(reason, "
         "names_.unwritten(a));")],
    "a skipped task is its own reason": [
        (SCOPE, "const std::uint64_t reason = task.failed ?",
         "const std::uint64_t reason = @ || task.failed ?")],
    "taskwait_on takes the first failure of all": [
        (FLOW, "scope->take_error_of(reason)", "@ ? scope->take_error(0) : scope->take_error_of(reason)")],
    "taskwait_on keeps the failure": [
        (SCOPE, "    failures_.erase(at);", "    if (!@) failures_.erase(at);")],
    "taskwait_on looks at what it would read only": [
        (SCOPE, " !is_child(task))) {", " (!@ && !is_child(task)))) {")],
    "skipped tasks run": [
        (FLOW, "if (!task.skipped()) {", "if (@ || !task.skipped()) {")],
    "child's error does not fail its parent": [
        (FLOW, "error != nullptr && !task.failed) {", "error != nullptr && !task.failed && !@) {")],
    "last error instead of the first": [
        (SCOPE, "|| f.number < leftmost->number)) {",
         "|| (@ ? f.number > leftmost->number : f.number < leftmost->number))) {")],
    "finish takes what failed before it": [
        (SCOPE, "if (f.number >= from &&", "if ((@ || f.number >= from) &&")],
    "taskwait keeps what was poisoned": [(FLOW, "    scope->tidy();", "    if (!@) scope->tidy();")],
}


# What they lead to is named: these must show as a result that is not the elision's, not by a crash or by a hang.
MUST_DIFFER = ("overlap taken for disjoint",)
SEEDS = 10  # that such a fault gets; the first difference is enough

HANG = 10  # seconds without a program: many times what the first run waits for, in case the machine was busy


def run_one(runner, fault, seconds, seed):
    """(what came of it, after how many programs, what was said)."""
    command = [runner, str(fault), str(seconds), str(seed)]

    def once(*more):
        try:
            return subprocess.run(command + list(more), capture_output=True, text=True, timeout=seconds + 120, check=False)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 0, "timeout ?\n", "")

    done = once()
    if done.stdout.startswith("hangs "):  # or was not given a processor: only what happens again, and for longer, counts
        done = once(str(HANG))
    verdict, count = (done.stdout.split() + ["nothing", "?"])[:2]
    if verdict in ("nothing", "passed") and done.returncode != 0:
        crashed = -done.returncode in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)
        verdict = "crashes" if crashed else f"exit status {done.returncode}"
    return verdict, count, done.stdout + done.stderr


def run_until_it_differs(runner, fault, seconds, seed):
    for more in range(SEEDS):
        came = run_one(runner, fault, seconds, seed + more)
        if came[0] == "differs":
            break
    return came


def run(runner, seconds, seed):
    print(f"seed {seed}")
    began = time.monotonic()
    verdict, count, output = run_one(runner, 0, seconds, seed)
    if verdict != "passed":
        print(f"without a fault: {verdict} after {count} programs\n{output}")
        return 1
    print(f"{'without a fault':52} passed after {count:>7} programs")
    survivors = []
    for k, name in enumerate(FAULTS, start=1):
        must_differ = name in MUST_DIFFER
        find = run_until_it_differs if must_differ else run_one
        verdict, count, output = find(runner, k, seconds * 30, seed)  # few need more than a moment
        found = verdict in (("differs",) if must_differ else ("differs", "hangs", "crashes"))
        print(f"{name:52} {'' if found else 'SURVIVED: '}{verdict:7} after {count:>7} programs", flush=True)
        if not found:
            survivors.append(name)
        if must_differ or not found:
            print(textwrap.indent(output, "    "), flush=True)
    print(f"{len(FAULTS) - len(survivors)} of {len(FAULTS)} faults found in {time.monotonic() - began:.1f} s")
    return 1 if survivors else 0


def main():
    parser, running = seeding.commands(__doc__)
    running.add_argument("runner")
    running.add_argument("--seconds", type=float, default=2)
    running.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    given = parser.parse_args()
    if given.command == "write":
        seeding.write(given.sources, given.output, FAULTS)
        return 0
    return run(given.runner, given.seconds, given.seed)


if __name__ == "__main__":
    sys.exit(main())
