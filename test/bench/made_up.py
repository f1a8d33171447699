# SPDX-License-Identifier: Apache-2.0
"""Results and programs that the tests of tools/bench make up. Importing it lets them import the driver."""

import pathlib
import stat
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "driver"))
sys.dont_write_bytecode = True

import gate  # noqa: E402
from rows import COPIES, ELISIONS, PEERS, ROWS  # noqa: E402


def result(row, workers=1, problems=None, missing=None, shapes=ROWS, **values):
    """A result of one row; a value's keyword is its column with _ for a space and ++ left out."""
    labels = {peer.label.replace(" ", "_").replace("++", ""): peer.label for peer in PEERS + COPIES + ELISIONS}
    shape = next(r for r in shapes if r.name == row)
    peers = {labels[key]: {"min": v, "median": v, "samples": [v], "cpu": [1.0], "version": "", "compiler": ""}
             for key, v in values.items()}
    return {"commit": "c0ffee", "machine": {"processor": "p", "processors": 2, "kernel": "k", "system": "s",
                                            "versions": {"g++": "12"}}, "rounds": 1, "missing": missing or {},
            "programs": [], "rows": [{"row": row, "workers": workers, "unit": shape.unit, "statistic": shape.statistic,
                                      "other_load": 0.0, "peers": peers, "problems": problems or {}}]}


def program(name, times, copies=None, **more):
    """A row of a program whose elision takes a second. times: of Skerry; copies: of one of so many, in seconds."""
    row = {"program": name, "input": "generated", "problem": "p", "serial": {"median_s": 1.0, "min_s": 1.0},
           "skerry": {"median_s": times, "min_s": times}, "speed_up": 1 / times,
           "statistics": {"steals_asked": 7, "steals_granted": 5, "steals_asymmetric": 2}}
    if copies is not None:
        row["copies"] = {"median_s": copies, "min_s": copies}
    return row | more


def of_programs(workers, *rows):
    return result("nqueens 12", Skerry_g=1, Skerry_clang=1) | {
        "rows": [], "programs": [{"workers": workers, "other_load": 0.0, "rows": list(rows)}]}


def failures(of):
    return [v.says for v in gate.evaluate(of) if not v.passed]


def script(folder, body, name="program"):
    """A program of the shell."""
    path = pathlib.Path(folder) / name
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
