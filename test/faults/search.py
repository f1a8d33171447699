# SPDX-License-Identifier: Apache-2.0
"""Random programs with each fault of a table switched on, until one fails.

A runner is a program that is called with SECONDS SEED [HANG [shrink]] and finds the number of the fault in SKERRY_FAULT
(test/random/mutant_runner.cpp, round_runner.cpp). A difference from the elision finds a fault, and so does a crash, and
a hang that comes again; a process that was killed, or did not come to an end, has found nothing.
"""

import os
import random
import signal
import subprocess
import textwrap
import time

SEEDS = 10  # that a fault gets which must differ; the first difference is enough
HANG = 10  # seconds without a program: many times what the first run waits for, in case the machine was busy
MOST = 30  # times the seconds that programs without a fault get; few faults need more than a moment
FINDS = ("differs", "hangs", "crashes")


def run_one(runner, fault, seconds, seed, *more, form=None):
    """(what came of it, after how many programs, what was said). `form`: of the back end, the only one."""
    command = [runner, str(seconds), str(seed)]
    environment = dict(os.environ)
    environment.pop("SKERRY_FAULT", None)
    if fault:
        environment["SKERRY_FAULT"] = str(fault)
    if form is not None:
        environment["SKERRY_VARIANT"] = str(form)

    def once(*further):
        try:
            return subprocess.run(command + list(further), capture_output=True, timeout=seconds + 120, check=False,
                                  env=environment, encoding="utf-8", errors="replace")
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 0, "timeout ?\n", "")

    done = once(*more)
    if done.stdout.startswith("hangs ") and not more:  # or was not given a processor: only what happens again counts
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


def shrinks(runner, fault, seconds, seed, most):
    """Whether a program that fails comes out as text, with its seed, and as so many lines at most when shrunk. Some
    program, since what fails beside others by luck may not do so alone."""
    for more in range(SEEDS):
        output = run_one(runner, fault, seconds, seed + more, str(HANG), "shrink")[2]
        smaller = output.rpartition("\nShrunk:\n")[2].partition("\nSKERRY_STRESS_SEED=")
        lines = [line for line in smaller[0].splitlines() if "  // s" in line]
        if "  // s0" in output.partition("\nShrunk:\n")[0] and 0 < len(lines) <= most and smaller[1] != "":
            print(f"    shrunk to {len(lines)} statements", flush=True)
            return True
        print(textwrap.indent(output, "    "), flush=True)
        if "Alone it does not fail." not in output:
            break
    return False


def run(given, faults, must_differ=(), unseen=None, rare=None, small=None, forms=None, elsewhere=()):
    """Fails if programs fail without a fault, if one of `faults` survives, unless `unseen` or `rare` has a reason, if
    one is found although it is `unseen`, or if what finds one of `small` does not shrink to as few statements as that
    says. The `rare` ones, which take luck, are not tried. `forms`: of the back end, the one that finds it soon.
    `elsewhere`: those of code that the programs do not run."""
    runner, seconds, seed = given.runner, given.seconds, given.seed
    unseen, rare, small, forms = unseen or {}, rare or {}, small or {}, forms or {}
    for name in (*must_differ, *unseen, *rare, *small, *forms, *elsewhere):
        if name not in faults:
            print(f"there is no fault '{name}'")
            return 1
    print(f"seed {seed}")
    began = time.monotonic()
    verdict, count, output = run_one(runner, 0, seconds, seed)
    if verdict != "passed":
        print(f"without a fault: {verdict} after {count} programs\n{output}")
        return 1
    print(f"{'without a fault':62} passed after {count:>7} programs")
    wrong = []
    for k, name in enumerate(faults, start=1):
        if given.only not in name or name in elsewhere:
            continue
        if name in rare:
            right, said = True, f"not tried: {rare[name]}"
        elif name in unseen:
            verdict, count, output = run_one(runner, k, seconds / 2, seed)
            right = verdict == "passed"
            said = f"not found: {unseen[name]}" if right else f"FOUND, though listed as unseen: {verdict}"
        else:
            if name in must_differ:
                verdict, count, output = run_until_it_differs(runner, k, seconds * MOST, seed)
            else:
                verdict, count, output = run_one(runner, k, seconds * MOST, seed, form=forms.get(name))
            right = verdict in (("differs",) if name in must_differ else FINDS)
            said = ("" if right else "SURVIVED: ") + f"{verdict:7} after {count:>7} programs"
        print(f"{name:62} {said}", flush=True)
        if name in must_differ or not right:
            print(textwrap.indent(output, "    "), flush=True)
        if not right or (name in small and not shrinks(runner, k, seconds * MOST, seed, small[name])):
            wrong.append(name)
    print(f"listed: {len(faults) - len(unseen) - len(rare) - len(elsewhere)} found, {len(unseen)} unseen, {len(rare)} rare; "
          f"{len(wrong)} are not so; {time.monotonic() - began:.1f} s")
    return 1 if wrong else 0


def arguments(running):
    """What `run` is told: the runner first."""
    running.add_argument("runner")
    running.add_argument("--seconds", type=float, default=2)
    running.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    running.add_argument("--only", default="", help="faults with this in their names")
