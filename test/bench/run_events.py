#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_events.py FOLDER: runs the programs of tools/bench events in FOLDER, each shortly, and looks at what they print. How
fast they are is nobody's business here."""

import json
import pathlib
import subprocess
import sys

RUNS = [(peer, variant, workers) for peer, variants, all_workers in (
    ("events_serial", ("work",), (1,)),
    ("events_dsw", ("ring",), (1, 2)),
    ("events_skerry", ("ring", "bursts"), (1, 2)),
    ("events_skerry", ("work", "hostage", "after", "rate", "latency"), (2,)),
    ("events_skerry", ("verified",), (1,)),
    ("packets_skerry", ("cpu", "cores"), (1,)),
) for variant in variants for workers in all_workers]


def main(folder):
    failed = False
    for peer, variant, workers in RUNS:
        program = folder / f"bench_{peer}"
        if not program.exists() and peer == "events_dsw":
            print(f"{peer}: not built, since libdpdk-dev is not installed")
            continue
        done = subprocess.run([program, "--variant", variant, "--workers", str(workers), "--repeat", "1"],
                              capture_output=True, text=True, check=False)
        try:
            printed = json.loads(done.stdout)
            good = done.returncode == 0 and printed["check"] == "ok" and min(printed["samples"]) >= 0
        except (json.JSONDecodeError, KeyError, ValueError):
            good = False
        if not good:
            failed = True
            print(f"{peer} {variant} on {workers}: status {done.returncode}, printed '{done.stdout}', said '{done.stderr}'")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
