#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults seeded into the protocol GPU-WT, and whether random scripts of accesses find them.

    protocol_faults.py write SOURCES OUTPUT   a copy of the source in which each fault stands beside the original
    protocol_faults.py run RUNNER             runs the scripts with each fault switched on, and without

In a replacement @ stands for "this fault is switched on". The runner is sim_coherence over that copy. A fault is found
if a property of the scripts, which compare values with a model of the machine, is falsified.
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "faults"))
import seeding  # noqa: E402

SOURCE = "protocol/gpu_wt.cpp"

FAULTS = {
    "a write leaves the others' copies as they are, and they pass for new": [
        (SOURCE, "if (shared_.tracking()) {", "if (shared_.tracking() && !@) {")],
    "a write without a copy makes one": [
        (SOURCE, "        way* const w = shared_.find(c, frame_line);",
         "        way* w = shared_.find(c, frame_line);\n        if (w == nullptr && @) {\n"
         "            w = &shared_.take_way(c, address >> line_shift, frame_line);\n"
         "            w->valid = ~std::uint64_t{0};\n        }")],
}
SCRIPTS = "scripts.emulation_is_what_the_model_says:scripts.disciplined_programs_see_flat_memory"


def falsified(runner, fault):
    environment = dict(os.environ, RC_PARAMS="seed=1 max_success=200")
    environment.pop("SKERRY_FAULT", None)
    if fault:
        environment["SKERRY_FAULT"] = str(fault)
    done = subprocess.run([runner, "--gtest_filter=" + SCRIPTS], capture_output=True, text=True, check=False, timeout=100,
                          env=environment)
    found = "Falsifiable after" in done.stdout
    if found != (done.returncode != 0):
        sys.exit(f"the runner has ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return found


def main():
    parser, running = seeding.commands(__doc__)
    running.add_argument("runner")
    given = parser.parse_args()
    if given.command == "write":
        seeding.write(given.sources, given.output, FAULTS)
        return 0
    wrong = 0
    for number, name in enumerate(("none", *FAULTS)):
        found = falsified(given.runner, number)
        print(f"{'found' if found else 'not found':9}  {name}", flush=True)
        wrong += found != (number != 0)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
