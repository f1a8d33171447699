# SPDX-License-Identifier: Apache-2.0
"""What tools/bench events measures, and its goals."""

import json
import tempfile
import unittest

from made_up import script

import build
import events_figures
import gate
import measure
import pages
from rows import COPIES

MACHINE = {"processor": "p", "processors": 2, "kernel": "k", "system": "s", "versions": {"g++": "12"}}
# What exactly holds, by row; of the others anything does.
HOLDS = {events_figures.HOSTAGE: 110, events_figures.AFTER: 0.005, events_figures.RATE: 0.12, events_figures.VERIFIED: 2,
         events_figures.PACKETS_CPU: 1.5, events_figures.PACKETS_CORES: 1.2}


def made(missing=None, problems=None, **values):
    """A result in which each row exactly holds but those of `values` {name of the row's constant: Skerry's value}."""
    changed = {getattr(events_figures, name): value for name, value in values.items()}
    rows = []
    for figure in events_figures.FIGURES:
        for cores in figure.cores:
            ours = changed.get(figure.row.name, HOLDS.get(figure.row.name, 50))
            columns = {peer.label: ours for peer in figure.peers} | (
                {peer.label: 2 * 0.8 * 50 for peer in COPIES} if figure.row.of_copies else {})
            columns |= {"dsw": 50} if "dsw" in columns else {}
            peers = {label: measure.summary([value]) for label, value in columns.items() if label not in (missing or {})}
            passes = {label: [value] for label, value in columns.items()}
            rows.append({"row": figure.row.name, "workers": cores, "unit": figure.row.unit, "statistic": figure.row.statistic,
                         "other_load": 0.5, "peers": peers, "problems": problems or {},
                         "reached": {label: measure.digits(share) for label, share
                                     in gate.reached_of_copies(cores, passes).items()}})
    return {"suite": "events", "commit": "c0ffee", "date": "2000-01-01", "machine": MACHINE, "rounds": 1,
            "missing": missing or {}, "rows": rows}


def failed(result):
    return {(verdict.row, verdict.workers) for verdict in events_figures.evaluate(result) if not verdict.passed}


class Goals(unittest.TestCase):
    def test_exactly_the_goals_hold(self):
        self.assertEqual(failed(made()), set())
        goals = {verdict.row for verdict in events_figures.evaluate(made())}
        self.assertEqual(goals, set(HOLDS) | {events_figures.RING, events_figures.WORK})

    def test_a_little_more_or_less_fails(self):
        for name, value, cores in (("RING", 50.1, (1, 2)), ("WORK", 50.1, (2,)), ("HOSTAGE", 110.1, (2,)),
                                   ("AFTER", 0.0051, (2,)), ("RATE", 0.1201, (2,)), ("VERIFIED", 2.01, (1,)),
                                   ("PACKETS_CPU", 1.501, (1,)), ("PACKETS_CORES", 1.199, (2,))):
            with self.subTest(name):
                self.assertEqual(failed(made(**{name: value})), {(getattr(events_figures, name), n) for n in cores})

    def test_what_has_no_goal_decides_nothing(self):
        self.assertEqual(failed(made(BURSTS=1e9, LATENCY=1e9)), set())

    def test_what_was_not_measured_fails(self):
        result = made(problems={"Skerry g++": "it fell over"})
        for row in result["rows"]:
            del row["peers"]["Skerry g++"]
        self.assertEqual(failed(result), {(f.row.name, n) for f in events_figures.FIGURES for n in f.cores})
        self.assertIn("it fell over", events_figures.markdown(result))

    def test_without_the_rival_its_rows_are_shown_and_the_table_says_so(self):
        result = made(missing={"dsw": "dsw was not found by CMake for g++"}, RING=1e9)
        self.assertEqual(failed(result), set())
        self.assertIn("Not measured: dsw: dsw was not found by CMake for g++.", events_figures.markdown(result))

    def test_rows_that_lose_are_in_the_table(self):
        text = events_figures.markdown(made(RING=75))
        self.assertIn(f"| {events_figures.RING} | 1 | cycles/hop | 75.0 | 75.0 | 50.0 | - | - | <= 1 x dsw | 1.500 / 1.500 | **no** |",
                      text)
        self.assertIn("Other work on the machine took up to 0.50 processors", text)

    def test_a_page_has_a_table_for_each_machine_and_says_if_there_is_none(self):
        self.assertEqual(pages.events([]), "No result is kept yet.\n")
        text = pages.events([made(), made(RING=75)])
        self.assertEqual(text.count("### Machine "), 2)
        self.assertIn("- **A**: p, 2 processors, commit c0ffee, 2000-01-01: 16 of 16 hold.", text)


class Measuring(unittest.TestCase):
    def test_each_row_is_measured_by_its_peers_by_turns(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        sample = {"samples": [2, 1], "cpu": 1, "version": "", "compiler": "", "check": "ok"}
        program = script(folder.name, f"echo \"$@\" >> '{folder.name}/log'\necho '{json.dumps(sample)}'\n")

        class Programs:
            missing, absent = {}, {}

            @staticmethod
            def command(peer, workload):
                return [program, build.target_of(peer, workload), peer.tree]

        result = events_figures.measured(Programs, 2, lambda text: None)
        self.assertEqual([row["problems"] for row in result["rows"] if row["problems"]], [])
        with open(f"{folder.name}/log", encoding="utf-8") as log:
            lines = log.read().splitlines()
        rings = [line.split(" --")[0] for line in lines if "--workers 2" in line and line.endswith("--variant ring")]
        self.assertEqual(rings, ["bench_events_skerry g++", "bench_events_skerry clang++", "bench_events_dsw g++",
                                 "bench_events_skerry clang++", "bench_events_dsw g++", "bench_events_skerry g++"])
        copies = [line for line in lines if "--copies 2" in line]
        self.assertTrue(copies and all(line.startswith("bench_events_serial") and "--variant work" in line for line in copies))
        self.assertTrue(all("clang++" not in line for line in lines if "bench_packets" in line))
        work = next(row for row in result["rows"] if row["row"] == events_figures.WORK)
        self.assertEqual(work["reached"], {"Skerry g++": 0.5, "Skerry clang++": 0.5})


if __name__ == "__main__":
    unittest.main()
