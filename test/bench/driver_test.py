# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/bench: the gate, the tables and the running of programs, on results made up here."""

import pathlib
import stat
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "driver"))
sys.dont_write_bytecode = True

import build  # noqa: E402
import gate  # noqa: E402
import machine  # noqa: E402
import measure  # noqa: E402
import table  # noqa: E402
from rows import BOUNDS, PEERS, ROWS  # noqa: E402


def result(row, workers=1, problems=None, missing=None, **values):
    """A result of one row; a value's keyword is its column with _ for a space and ++ left out."""
    labels = {peer.label.replace(" ", "_").replace("++", ""): peer.label for peer in PEERS}
    shape = next(r for r in ROWS if r.name == row)
    peers = {labels[key]: {"min": v, "median": v, "samples": [v], "cpu": [1.0], "version": "", "compiler": ""}
             for key, v in values.items()}
    return {"commit": "c0ffee", "machine": {"processor": "p", "processors": 2, "kernel": "k", "system": "s",
                                            "versions": {"g++": "12"}}, "rounds": 1, "missing": missing or {},
            "programs": [], "rows": [{"row": row, "workers": workers, "unit": shape.unit, "statistic": shape.statistic,
                                      "other_load": 0.0, "peers": peers, "problems": problems or {}}]}


def failures(of):
    return [v.says for v in gate.evaluate(of) if not v.passed]


class Gate(unittest.TestCase):
    def test_faster_than_both_rivals_passes(self):
        self.assertEqual(failures(result("nqueens 12", Skerry_g=10, Skerry_clang=11, oneTBB=12, rayon=13)), [])

    def test_equal_is_not_faster(self):
        failed = failures(result("nqueens 12", Skerry_g=10, Skerry_clang=10, oneTBB=12, rayon=10))
        self.assertEqual(len(failed), 2)
        self.assertTrue(all("rayon" in says for says in failed))

    def test_openmp_does_not_decide(self):
        self.assertEqual(failures(result("nqueens 12", Skerry_g=10, Skerry_clang=10, oneTBB=12, rayon=13, libgomp=1)), [])

    def test_optimum_allows_two_percent(self):
        row = "hostage: 64 x 1 ms, leaf of 100 ms"
        self.assertEqual(failures(result(row, 2, Skerry_g=102.0, Skerry_clang=100, oneTBB=100, rayon=100)), [])
        self.assertEqual(len(failures(result(row, 2, Skerry_g=102.1, Skerry_clang=100, oneTBB=100, rayon=100))), 2)

    def test_hostage_bound_holds_for_two_workers_only(self):
        row = "hostage: 64 x 1 ms, leaf of 100 ms"
        self.assertEqual(failures(result(row, 1, Skerry_g=164, Skerry_clang=164, oneTBB=164, rayon=164)), [])
        self.assertEqual(len(failures(result(row, 2, Skerry_g=104, Skerry_clang=104, oneTBB=104, rayon=104))), 2)

    def test_fib_against_the_faster_serial_program(self):
        values = {"serial_g": 1.0, "serial_clang": 1.5, "Skerry_clang": 3.0, "oneTBB": 90, "rayon": 9}
        self.assertEqual(failures(result("fib, plain lambda", Skerry_g=2.4, **values)), [])
        self.assertEqual(len(failures(result("fib, plain lambda", Skerry_g=2.41, **values))), 1)

    def test_fib_without_serial_fails(self):
        self.assertEqual(len(failures(result("fib, plain lambda", Skerry_g=2.0, Skerry_clang=2.0))), 1)

    def test_idle_is_zero_in_two_digits(self):
        row = "idle, the second after work"
        self.assertEqual(failures(result(row, 2, Skerry_g=0.004, Skerry_clang=0.0, oneTBB=0.0, rayon=0.0)), [])
        failed = failures(result(row, 2, Skerry_g=0.01, Skerry_clang=0.0, oneTBB=0.0, rayon=0.0))
        self.assertEqual(len(failed), 3)

    def test_a_skerry_that_failed_fails(self):
        failed = failures(result("nqueens 12", problems={"Skerry g++": "wrong"}, Skerry_clang=1, oneTBB=2, rayon=2))
        self.assertEqual(failed, ["Skerry g++: wrong"])

    def test_a_missing_rival_is_left_out(self):
        self.assertEqual(failures(result("nqueens 12", missing={"rayon": "no cargo"}, Skerry_g=1, Skerry_clang=1,
                                         oneTBB=2)), [])

    def test_nothing_of_skerry_fails(self):
        missing = {"Skerry g++": "gone", "Skerry clang++": "gone"}
        self.assertEqual(failures(result("nqueens 12", missing=missing, oneTBB=2)), ["nothing of Skerry was measured"])

    def test_report_counts(self):
        verdicts = [gate.Verdict("a", 1, True, "x"), gate.Verdict("b", 2, False, "y")]
        self.assertEqual(gate.report(verdicts).splitlines(),
                         ["PASS  a, 1 worker(s): x", "FAIL  b, 2 worker(s): y", "gate: 1 of 2 FAILED"])

    def test_each_bound_names_a_row(self):
        self.assertLessEqual({bound.row for bound in BOUNDS}, {row.name for row in ROWS})


class Table(unittest.TestCase):
    def test_a_lost_row_is_marked(self):
        text = table.markdown(result("nqueens 12", Skerry_g=10, Skerry_clang=14, oneTBB=12, rayon=20))
        self.assertIn("**oneTBB (clang++)**", text)
        self.assertIn("0.83 / 1.17", text)

    def test_a_won_row_is_not(self):
        self.assertNotIn("(clang++)**", table.markdown(result("nqueens 12", Skerry_g=1, Skerry_clang=1, oneTBB=12)))

    def test_missing_and_failed_are_named(self):
        text = table.markdown(result("nqueens 12", missing={"rayon": "cargo is not installed"},
                                     problems={"oneTBB": "said: no"}, Skerry_g=1, Skerry_clang=1))
        self.assertIn("Not measured: rayon: cargo is not installed.", text)
        self.assertIn("nqueens 12, 1 worker(s), oneTBB: said: no", text)

    def test_programs(self):
        made = result("nqueens 12", Skerry_g=1, Skerry_clang=1)
        row = {"program": "cilk5-nq", "input": "generated", "problem": "n = 12", "serial": {"median_s": 2.0},
               "skerry": {"median_s": 1.0}, "speed_up": 2.0}
        made["programs"] = [{"workers": 2, "other_load": 0.5, "rows": [
            row, {"program": "ligra-bfs", "input": "wordnet", "skipped": "not installed"}]}]
        text = table.markdown(made)
        self.assertIn("| cilk5-nq | n = 12 | 2.0000 | 1.0000 | 2.00 |", text)
        self.assertIn("| ligra-bfs | wordnet | - | - | - |", text)
        self.assertIn("up to 0.50 processors", text)

    def test_write(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "file.md"
            table.write(path, "new\n")
            self.assertEqual(path.read_text(), "new\n")
            with self.assertRaisesRegex(ValueError, "file.md has no lines"):
                table.write(path, "other\n")
            path.write_text(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n")
            table.write(path, "new\n")
            self.assertEqual(path.read_text(), f"before\n{table.BEGIN}\nnew\n{table.END}\nafter\n")


class Programs:
    """Stands in for build.Programs: every peer but oneTBB is this script."""

    def __init__(self, script):
        self.script = script

    def command(self, peer, _program):
        return None if peer.label == "oneTBB" else [self.script, peer.label]


class Measuring(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def script(self, body):
        path = pathlib.Path(self.folder.name) / "program"
        path.write_text("#!/bin/sh\n" + body)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def test_rounds_are_interleaved_and_pooled(self):
        script = self.script('echo "$1 $SKERRY_WORKERS" >> "$(dirname "$0")/log"\n'
                             'echo \'{"samples": [3, 1, 2], "cpu": 1, "version": "", "compiler": "", "check": "ok"}\'\n')
        measured = measure.measure_row(ROWS[0], 2, 2, Programs(script), lambda text: None)
        labels = [peer.label for peer in PEERS if peer.label != "oneTBB"]
        log = (script.parent / "log").read_text().split("\n")[:-1]
        self.assertEqual(log, [f"{label} 2" for label in labels * 2])
        self.assertEqual(set(measured["peers"]), set(labels))
        self.assertEqual(measured["peers"]["rayon"]["samples"], [3, 1, 2] * 2)
        self.assertEqual((measured["peers"]["rayon"]["min"], measured["peers"]["rayon"]["median"]), (1, 2))

    def test_a_wrong_result_is_a_problem_of_that_peer(self):
        script = self.script('[ "$1" = rayon ] && check="fib(3) = 7" || check=ok\n'
                             'echo "{\\"samples\\": [1], \\"cpu\\": 1, \\"version\\": \\"\\", \\"compiler\\": \\"\\", '
                             '\\"check\\": \\"$check\\"}"\n[ "$check" = ok ]\n')
        measured = measure.measure_row(ROWS[0], 1, 2, Programs(script), lambda text: None)
        self.assertEqual(measured["problems"], {"rayon": "program computed a wrong result: fib(3) = 7"})
        self.assertNotIn("rayon", measured["peers"])

    def test_a_crash_says_what_the_program_said(self):
        with self.assertRaisesRegex(measure.Failure, "program ended with status 3 and said: out of luck"):
            measure.run_json([self.script("echo out of luck >&2\nexit 3\n")])

    def test_a_program_that_does_not_end(self):
        with self.assertRaisesRegex(measure.Failure, "program did not end within 0.1 s"):
            measure.run_json([self.script("exec sleep 60\n")], limit=0.1)

    def test_a_program_that_is_not_there(self):
        with self.assertRaisesRegex(measure.Failure, "nowhere cannot be run: No such file"):
            measure.run_json(["/nowhere"])


class Building(unittest.TestCase):
    def test_a_compiler_that_is_not_installed_is_named(self):
        old = build.COMPILERS["g++"]
        self.addCleanup(build.COMPILERS.__setitem__, "g++", old)
        build.COMPILERS["g++"] = ["no-such-compiler"]
        programs = build.Programs("/nonexistent", 1)
        programs.build([peer for peer in PEERS if peer.tree == "g++"])
        self.assertEqual(programs.missing["oneTBB"], "no-such-compiler is not installed")
        self.assertIsNone(programs.command(next(p for p in PEERS if p.label == "oneTBB"), "fib"))

    def test_the_machine_is_described(self):
        described = machine.describe()
        self.assertTrue(described["processor"])
        self.assertGreaterEqual(described["processors"], 1)


if __name__ == "__main__":
    unittest.main()
