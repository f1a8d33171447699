# SPDX-License-Identifier: Apache-2.0
"""Results and programs that the tests of tools/bench make up. Importing it lets them import the driver."""

import pathlib
import stat
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "driver"))
sys.dont_write_bytecode = True

import gate  # noqa: E402
import measure  # noqa: E402
from rows import COPIES, ELISIONS, PEERS, ROWS  # noqa: E402


def result(row, workers=1, problems=None, missing=None, shapes=ROWS, **values):
    """A result of one row; a value's keyword is its column with _ for a space and ++ left out."""
    labels = {peer.label.replace(" ", "_").replace("++", ""): peer.label for peer in PEERS + COPIES + ELISIONS}
    shape = next(r for r in shapes if r.name == row)
    peers = {labels[key]: {"min": v, "median": v, "n": 1} for key, v in values.items()}
    reached = gate.reached_of_copies(workers, {label: [column["min"]] for label, column in peers.items()})
    return {"suite": "fork-join", "commit": "c0ffee", "date": "2000-01-01",
            "machine": {"processor": "p", "processors": 2, "kernel": "k", "system": "s", "versions": {"g++": "12"}},
            "rounds": 1, "missing": missing or {}, "programs": [],
            "rows": [{"row": row, "workers": workers, "unit": shape.unit, "statistic": shape.statistic,
                      "other_load": 0.0, "peers": peers, "problems": problems or {}, "reached": reached}]}


def program(name, times, copies=None, **more):
    """A row of a program whose elision takes a second. times: of Skerry; copies: of one of so many, in seconds."""
    row = {"program": name, "input": "generated", "problem": "p", "serial": {"median": 1.0, "min": 1.0, "n": 1},
           "skerry": {"median": times, "min": times, "n": 1},
           "statistics": {"steals_asked": 7, "steals_granted": 5, "steals_asymmetric": 2}}
    if copies is not None:
        row["copies"] = {"median": copies, "min": copies, "n": 1}
    return row | more


def of_programs(workers, *rows):
    return result("nqueens 12", Skerry_g=1, Skerry_clang=1) | {
        "rows": [], "programs": [{"workers": workers, "other_load": 0.0, "rows": list(rows)}]}


def failures(of):
    return [v.says for v in gate.evaluate(of) if not v.passed]


def summaries(**samples):
    """{name: what is kept of these samples}"""
    return {name: measure.summary(of) for name, of in samples.items()}


def script(folder, body, name="program"):
    """A program of the shell."""
    path = pathlib.Path(folder) / name
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
