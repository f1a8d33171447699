# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/bench: the gate, the tables and the running of programs, on results made up here."""

import dataclasses
import json
import os
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
import instructions  # noqa: E402
import machine  # noqa: E402
import measure  # noqa: E402
import slice_figures  # noqa: E402
import table  # noqa: E402
from rows import BOUNDS, BUILT, COPIES, ELISIONS, MANY, PEERS, ROWS  # noqa: E402


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
        self.assertEqual(failures(result(row, 1, Skerry_g=102.0, Skerry_clang=100, oneTBB=100, rayon=100)), [])
        self.assertEqual(len(failures(result(row, 1, Skerry_g=102.1, Skerry_clang=100, oneTBB=100, rayon=100))), 2)

    def test_hostage_bound_holds_for_two_workers_only(self):
        row = "hostage: 64 x 1 ms, leaf of 100 ms"
        self.assertEqual(failures(result(row, 1, Skerry_g=164, Skerry_clang=164, oneTBB=164, rayon=164)), [])
        self.assertEqual(len(failures(result(row, 2, Skerry_g=102.1, Skerry_clang=103, oneTBB=104, rayon=104))), 2)

    def test_fib_against_the_faster_serial_program(self):
        values = {"serial_g": 1.0, "serial_clang": 1.5, "Skerry_clang": 2.1, "oneTBB": 90, "rayon": 9}
        self.assertEqual(failures(result("fib, plain lambda", Skerry_g=1.5, **values)), [])
        self.assertEqual(failures(result("fib, plain lambda", Skerry_g=1.51, **values)),
                         ["Skerry g++ is 1.510, <= 1.5 x serial"])

    def test_fib_without_serial_fails(self):
        self.assertEqual(len(failures(result("fib, plain lambda", Skerry_g=1.0, Skerry_clang=1.0))), 2)

    def test_region_entry_against_the_fastest_rival_of_all(self):
        row, values = "region entry from main", {"Skerry_clang": 0.1, "oneTBB": 2.0, "rayon": 2.0, "libgomp": 0.5}
        self.assertEqual(failures(result(row, Skerry_g=0.45, **values)), [])
        self.assertEqual(failures(result(row, Skerry_g=0.46, **values)),
                         ["Skerry g++ is 0.920, <= 0.9 x the fastest rival"])

    def test_programs_against_their_elision(self):
        def of(*times):
            return failures(of_programs(1, *(program("p", t, problem=str(n)) for n, t in enumerate(times))))
        self.assertEqual(of(1.0, 1.09, 0.99), [])
        self.assertEqual(of(1.0, 1.11, 0.9), ["worst time / elision = 1.110 (p, 1), <= 1.1"])
        self.assertEqual(of(1.04, 1.04), ["geometric mean of time / elision = 1.040, <= 1.03"])
        self.assertEqual(of(), ["not all were measured"])

    def test_the_least_of_a_programs_runs_decides(self):
        row = program("p", 1.0) | {"skerry": {"median_s": 1.5, "min_s": 1.05}, "speed_up": 1 / 1.5}
        self.assertEqual(failures(of_programs(1, row, program("q", 1.0))), [])

    def test_against_serial_copies_side_by_side(self):
        values = {"Skerry_clang": 50, "oneTBB": 60, "rayon": 60, "copies_g": 101, "copies_clang": 97}
        self.assertEqual(failures(result("nqueens 12", 2, Skerry_g=50, **values)), [])
        self.assertEqual(failures(result("nqueens 12", 2, Skerry_g=50.01, **values)),
                         ["Skerry g++ reaches 0.970 of serial copies side by side, >= 0.97"])
        del values["copies_g"], values["copies_clang"]
        self.assertEqual(failures(result("nqueens 12", 2, Skerry_g=50, **values)),
                         [f"{column}: no serial copies side by side were measured" for column in gate.SKERRY])
        self.assertEqual(failures(result("nqueens 12", 1, Skerry_g=50, **values)), [])

    def test_serial_copies_side_by_side_without_a_goal(self):
        name, values = "nqueens 12, bit masks", {"Skerry_g": 50, "Skerry_clang": 50, "oneTBB": 60, "rayon": 60}
        self.assertEqual(failures(result(name, 2, copies_g=50, copies_clang=50, **values)), [])
        self.assertEqual(failures(result(name, 2, **values)), [])
        row = next(row for row in ROWS if row.name == name)
        self.assertLessEqual(set(COPIES + ELISIONS), set(row.peers(2)))
        self.assertTrue(set(COPIES + ELISIONS).isdisjoint(row.peers(1)))

    def test_copies_of_the_elision_do_the_work_of_each(self):
        of = result("nqueens 12", 2, Skerry_g=50, copies_g=100, copies_clang=90, elision_g=100, elision_clang=120)
        self.assertEqual([gate.of_copies(of["rows"][0], label) for label in ("Skerry g++", "elision g++", "elision clang++")],
                         [0.9, 0.9, 0.75])

    def test_programs_against_copies_of_their_elision(self):
        self.assertEqual(failures(of_programs(2, program("p", 0.5, 0.96), program("q", 0.5, 0.95))), [])
        self.assertEqual(failures(of_programs(2, program("p", 0.5, 0.9), program("q", 0.5, 0.99))),
                         ["geometric mean of what they reach of serial copies side by side = 0.944, >= 0.95"])
        self.assertEqual(failures(of_programs(2, program("cilk5-lu", 0.5, 0.96))),
                         ["reaches 0.960 of serial copies side by side, >= 0.97"])
        self.assertEqual(failures(of_programs(2, program("p", 0.5))),
                         ["no serial copies side by side were measured"])
        self.assertEqual(failures(of_programs(4, program("p", 0.25, 0.96))), [])

    def test_the_speed_up_by_workers_is_held_where_there_are_many(self):
        self.assertEqual(failures(of_programs(MANY, program("p", 1 / MANY / 0.901, 1.1))), [])
        self.assertEqual(failures(of_programs(MANY, program("p", 1 / MANY / 0.89, 1.1))),
                         ["speed-up by workers = 0.890, >= 0.9"])

    def test_compile_time_beside_the_atomic_header(self):
        def of(forks):
            return failures(result("nqueens 12", Skerry_g=1, Skerry_clang=1, oneTBB=2, rayon=2) | {
                "compile": {"g++": {"forks": forks, "atomic": [0.2, 0.25, 9]}}})
        self.assertEqual(of([0.1, 0.35, 0.4]), [])
        self.assertEqual(of([0.1, 0.351, 0.4]), ["g++: 0.351 s, <= 0.250 s of <atomic> alone + 0.1"])

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
        absent = {"program": "ligra-bfs", "input": "wordnet", "skipped": "not installed"}
        made["programs"] = [
            {"workers": 1, "other_load": 0.5, "rows": [program("cilk5-nq", 1.25, problem="n = 12"), absent]},
            {"workers": 2, "other_load": 0.1, "rows": [program("cilk5-nq", 0.5, 0.9, problem="n = 12"), absent]}]
        text = table.markdown(made)
        self.assertIn("| program | input | serial s | Skerry s, 1 w | speed-up | Skerry s, 2 w | speed-up | of copies |\n"
                      "|---|---|---|---|---|---|---|---|\n", text)
        self.assertIn("| cilk5-nq | n = 12 | 1.0000 | 1.2500 | 0.80 | 0.5000 | 2.00 | 0.900 |", text)
        self.assertIn("| ligra-bfs | wordnet | - | - | - | - | - | - |", text)
        self.assertIn("up to 0.50 processors", text)
        self.assertIn("| the programs | 2 | not all were measured |", text)

    def test_all_programs_together(self):
        text = table.markdown(of_programs(2, program("p", 0.625, 1.0), program("q", 0.625, 1.0)))
        self.assertIn("geometric mean | 2 | 0.800 | >= 0.95 |", text)
        self.assertIn("| speed-up by workers, geometric mean | 2 | 0.800 |  |", text)
        self.assertIn("in all timed runs | 2 | 14, 10, 4 |", text)
        self.assertIn(f"| speed-up by workers, geometric mean | {MANY} | not measured: 2 processors | >= 0.9 |", text)
        self.assertIn(f"in all timed runs | {MANY} | not measured: 2 processors |", text)
        self.assertIn("| cache lines moved per steal | | the driver reads no counters", text)
        text = table.markdown(of_programs(MANY, program("p", 0.0625, 1.0)))
        self.assertIn(f"| speed-up by workers, geometric mean | {MANY} | 1.000 | >= 0.9 |", text)
        self.assertNotIn("not measured: 2 processors", text)

    def test_copies_and_compile_time(self):
        made = result("nqueens 12", 2, Skerry_g=10, Skerry_clang=20, copies_g=19, copies_clang=20,
                      elision_g=20, elision_clang=38)
        made["compile"] = {"clang++": {"forks": [0.5], "atomic": [0.25]}}
        text = table.markdown(made)
        self.assertIn("| nqueens 12 | 2 | ms | 10.0 | 20.0 | 19.0 | 20.0 | 20.0 | 38.0 | 0.950 / 0.475 | 0.950 / 0.500 | 0.97 |", text)
        self.assertIn("| clang++ | 0.500 | 0.250 | +0.250 | <= +0.10 |", text)
        self.assertNotIn("side by side**", table.markdown(result("nqueens 12", 1, Skerry_g=10, Skerry_clang=20)))

    def test_copies_without_a_goal_are_shown(self):
        text = table.markdown(result("nqueens 12, bit masks", 2, Skerry_g=10, Skerry_clang=20, copies_g=10,
                                     copies_clang=20))
        self.assertIn("| 10.0 | 20.0 | 10.0 | 20.0 | - | - | 0.500 / 0.250 | - / - | - |", text)

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

    def __init__(self, script, absent=None):
        self.script, self.absent = script, absent or {}

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
        self.assertEqual(log, [f"{label} 2" for label in labels + labels[1:] + labels[:1]])
        self.assertEqual(set(measured["peers"]), set(labels))
        self.assertEqual(measured["peers"]["rayon"]["samples"], [3, 1, 2] * 2)
        self.assertEqual((measured["peers"]["rayon"]["min"], measured["peers"]["rayon"]["median"]), (1, 2))

    def test_a_round_of_a_row_held_against_copies_is_several_passes(self):
        script = self.script('echo "$1" >> "$(dirname "$0")/log"\n'
                             'echo \'{"samples": [1, 2], "cpu": 1, "version": "", "compiler": "", "check": "ok"}\'\n')
        row = next(r for r in ROWS if r.of_copies)
        self.assertGreater(row.passes, 1)
        measured = measure.measure_row(row, 1, 3, Programs(script), lambda text: None)
        self.assertEqual(measured["peers"]["rayon"]["samples"], [1, 2] * 3 * row.passes)
        log = (script.parent / "log").read_text().split("\n")[:-1]
        self.assertEqual(sorted(log[:len(measured["peers"])]), sorted(measured["peers"]))

    def test_copies_are_measured_with_two_workers_and_a_peer_without_the_program_is_not(self):
        script = self.script('echo "$@" >> "$(dirname "$0")/log"\n'
                             'echo \'{"samples": [1], "cpu": 1, "version": "", "compiler": "", "check": "ok"}\'\n')
        row = dataclasses.replace(next(r for r in ROWS if r.program == "uts"), passes=1)
        for workers in (1, 2):
            measured = measure.measure_row(row, workers, 1, Programs(script), lambda text: None)
            copies = [line for line in (script.parent / "log").read_text().splitlines() if "--copies" in line]
            self.assertEqual([line.split(" --")[0] for line in copies], [peer.label for peer in COPIES + ELISIONS] if workers == 2 else [])
            self.assertTrue(all(line.endswith("--copies 2") for line in copies))
            self.assertNotIn("rayon", measured["peers"])
            self.assertEqual(measured["problems"], {})

    def test_a_workload_that_is_absent_fails_and_says_why(self):
        measured = measure.measure_row(ROWS[0], 1, 2, Programs("/nowhere", {"fib": "fib is not installed"}), lambda text: None)
        self.assertEqual(measured["peers"], {})
        made = result(ROWS[0].name) | {"rows": [measured]}
        self.assertEqual(failures(made), [f"{column}: fib is not installed" for column in gate.SKERRY])

    def test_programs_are_run_in_passes_and_have_copies_with_two_workers(self):
        # Each pass is slower by a second than the one before it.
        cli = self.script('log="$(dirname "$0")/log"\necho "$@ $SKERRY_WORKERS" >> "$log"\nn=$(wc -l < "$log")\n'
                          'runs() { echo "{\\"median_s\\": 0, \\"min_s\\": 0, \\"runs_s\\": [$(($1 + n)), $(($1 + n + 5))]}"; }\n'
                          'case "$*" in *copies*) copies=", \\"copies\\": $(runs 40)";; *) copies=;; esac\n'
                          'row="\\"serial\\": $(runs 20), \\"skerry\\": $(runs 10), \\"speed_up\\": 0, \\"statistics\\": {\\"tasks\\": $n, \\"slots_high_water\\": $((9 - n))}$copies"\n'
                          'echo "{\\"rows\\": [{\\"program\\": \\"a\\", \\"in_table_iii\\": true, $row},'
                          ' {\\"program\\": \\"b\\", \\"in_table_iii\\": false},'
                          ' {\\"program\\": \\"c\\", \\"in_table_iii\\": true, \\"skipped\\": \\"no file\\"}]}"\n')
        left_out = {"program": "c", "in_table_iii": True, "skipped": "no file"}
        self.assertEqual(measure.measure_programs(1, cli, 1, lambda text: None)["rows"],
                         [{"program": "a", "in_table_iii": True, "statistics": {"tasks": 3, "slots_high_water": 8}, "speed_up": 24 / 14,
                           "serial": {"median_s": 24, "min_s": 21, "runs_s": [21, 26, 22, 27]},
                           "skerry": {"median_s": 14, "min_s": 11, "runs_s": [11, 16, 12, 17]}}, left_out])
        with_copies = measure.measure_programs(2, cli, 2, lambda text: None)["rows"]
        self.assertEqual(with_copies[0]["copies"], {"median_s": 47, "min_s": 43, "runs_s": [43, 48, 44, 49, 45, 50, 46, 51]})
        one = f"run all --json --repeat {measure.PROGRAM_RUNS}"
        self.assertEqual((cli.parent / "log").read_text().splitlines(),
                         [f"{one} 1"] * measure.PROGRAM_PASSES + [f"{one} --copies 2 2"] * 2 * measure.PROGRAM_PASSES)

    def test_compiling_by_turns(self):
        script = self.script('for last; do :; done\necho "$(basename "$last")" >> "$(dirname "$0")/log"\n'
                             'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done\n')
        old = dict(measure.COMPILERS)
        self.addCleanup(measure.COMPILERS.update, old)
        measure.COMPILERS.update({"g++": [str(script)], "clang++": ["no-such-compiler"]})
        samples = measure.measure_compile(1, lambda text: None)
        self.assertEqual(set(samples), {"g++"})
        self.assertEqual({what: len(of) for what, of in samples["g++"].items()},
                         {what: measure.COMPILE_RUNS for what in measure.COMPILED})
        self.assertTrue(all(seconds > 0 for of in samples["g++"].values() for seconds in of))
        log = (script.parent / "log").read_text().split()
        self.assertEqual(log[:4], ["forks.cpp", "atomic.cpp", "atomic.cpp", "forks.cpp"])

    def test_a_file_that_does_not_compile(self):
        with self.assertRaisesRegex(measure.Failure, "program ended with status 1 and said: forks.cpp: no"):
            measure.processor_seconds([self.script("echo forks.cpp: no >&2\nexit 1\n")])

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


class Instructions(unittest.TestCase):
    """Of programs that valgrind says took 1,000 instructions, and in each of two runs, for each fork of fib(size), as
    many as the form's name has letters; 100 more in a shared library."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        path = self.folder / "valgrind"
        path.write_text("#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in --callgrind-out-file=*) out=${1#*=} ;; "
                        "--size) n=$2 ;; --variant) each=${#2} ;; --workers) [ $2 = 1 ] || exit 3 ;; "
                        "*/fib_shared) more=100 ;; esac; shift; done\na=0 b=1\n"
                        "while [ $n -gt 0 ]; do t=$b b=$((a + b)) a=$t n=$((n - 1)); done\n"
                        "echo totals: $((1000 + 2 * (each + more) * b)) > $out\necho '{\"check\": \"ok\"}'\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        old = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", old)
        os.environ["PATH"] = f"{self.folder}:{old}"
        self.missing = {"Skerry clang++": "no compiler"}

    def command(self, _peer, program):
        return [self.folder / program]

    def test_what_begins_and_ends_a_run_does_not_count(self):
        got = instructions.measured(self, lambda text: None)
        self.assertEqual({name: set(row.values()) for name, row in got.items()},
                         {row.name: {len(row.variant) + 100.0 * (row.program == "fib_shared")}
                          for row in instructions.FORMS})
        lines = instructions.markdown(got).splitlines()
        self.assertEqual(lines[0], "| instructions for a fork | serial g++ | serial clang++ | Skerry g++ |")
        self.assertEqual(lines[2], "| fib, plain lambda | 5.0 | 5.0 | 5.0 |")
        self.assertEqual(len(lines), 2 + len(instructions.FORMS))

    def test_forks_are_the_inner_nodes(self):
        self.assertEqual([instructions.forks(n) for n in range(7)], [0, 0, 1, 2, 4, 7, 12])


class SliceMeasuring(unittest.TestCase):
    """A round of the slice, by programs that print what is asked of them and leave a line for each run."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        lines = [json.dumps({"step": f.step, "unit": f.unit, "least": 1, "median": 2, "most": 3})
                 for f in slice_figures.FIGURES if f.program]
        row = {"rows": [{"seconds": 2, "check": {"ok": True, "text": ""}}], "agree": True}
        sample = {"samples": [1], "cpu": 1, "version": "", "compiler": "", "check": "ok"}
        self.missing, self.absent = {}, {}
        counted = ("#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in --callgrind-out-file=*) out=${1#*=} ;; "
                   "--repeat) repeat=$2 ;; --trace) each=103 ;; esac; shift; done\n"
                   "echo totals: $((${each:+1000} + 5000 + ${each:-100} * repeat)) > $out\n"
                   f"echo '{json.dumps(row)}'\n")
        self.program("valgrind", counted)
        old = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", old)
        os.environ["PATH"] = f"{self.folder}:{old}"
        for name, text in (("figure", "\n".join(lines)), ("cli", json.dumps(row)), ("command", json.dumps(sample))):
            self.program(name, f"#!/bin/sh\necho {name} \"$@\" >> '{self.folder}/log'\ncat <<'.'\n{text}\n.\n")

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def figure(self, _target):
        return self.folder / "figure"

    def cli(self):
        return self.folder / "cli"

    def command(self, peer, _program):
        return [self.folder / "command", peer.label]

    def measured(self, rounds):
        got = slice_figures.measured(self, rounds, lambda text: None)
        return got, (self.folder / "log").read_text().splitlines()

    def test_whoever_came_first_comes_last_in_the_next_round(self):
        _, log = self.measured(4)
        digits = [line.split()[-1] for line in log if line.startswith("cli")]
        self.assertEqual(" ".join(digits[:12]), "processes:2 threads serial serial threads serial serial processes:2 "
                                                "serial serial processes:2 threads")
        self.assertEqual(digits[12:], digits[:4])
        chain = [line.split()[1:3] for line in log if line.startswith("command") and "chain" in line]
        labels = [peer.label.split() for peer in slice_figures.PEERS_OF_TASKS]
        first = [line[:len(labels[0])] for line in chain[::len(labels)]]
        self.assertEqual(first[:4], labels[:4])

    def test_each_figure_gets_a_sample_a_round(self):
        got, _ = self.measured(2)
        expected = {f.name: [2, 2] if f.program else [0.5, 0.5] for f in slice_figures.FIGURES}
        expected[slice_figures.INSTRUCTIONS] = [1.03]  # of a run each, without what comes before and after
        self.assertEqual({entry["figure"]: entry["samples"] for entry in got["figures"]}, expected)
        self.assertEqual([entry["problem"] for entry in got["figures"]], [""] * len(expected))

    def test_without_instructions_counted_the_gate_fails(self):
        for text, says in (("#!/bin/sh\nexit 3\n", "valgrind ended with status 3 and said: nothing"),
                           ((self.folder / "valgrind").read_text().replace("totals", "events"),
                            "callgrind counted nothing")):
            self.program("valgrind", text)
            got, _ = self.measured(1)
            failed = {v.row: v.says for v in slice_figures.evaluate(got) if not v.passed}
            self.assertEqual(failed[slice_figures.INSTRUCTIONS], says)

    def test_a_step_that_a_program_does_not_print_fails(self):
        path = self.folder / "figure"
        path.write_text(path.read_text().replace("ran at home", "ran elsewhere"))
        got, _ = self.measured(1)
        failed = [v.row for v in slice_figures.evaluate(got) if v.says == "not measured"]
        self.assertEqual(failed, [Slice.AT_HOME])


def slice_result(samples=None, problem=None, **tasks):
    """A result in which every figure holds but those of `samples` {name: samples} and `problem` {name: text}."""
    samples, problem = samples or {}, problem or {}
    figures = [{"figure": f.name, "samples": [] if f.name in problem else samples.get(f.name, [f.goal or 1]),
                "problem": problem.get(f.name, "")} for f in slice_figures.FIGURES]
    made = result(slice_figures.TASKS[0].name, shapes=slice_figures.TASKS, **tasks)
    return made | {"figures": figures, "other_load": 0.25}


def slice_failures(of):
    return [(v.row, v.says) for v in slice_figures.evaluate(of) if not v.passed]


class Slice(unittest.TestCase):
    MESSAGE, REMOTE, AT_HOME = (figure.name for figure in slice_figures.FIGURES[:3])
    DIGITS = slice_figures.TOGETHER["processes:2"]
    TRACED, SAME = (f.name for f in slice_figures.FIGURES if f.step.startswith("digits, tiles of 144"))
    MATMUL = slice_figures.FIGURES[-1].name
    CHAIN = slice_figures.TASKS[0].name

    def test_exactly_the_goals_hold(self):
        self.assertEqual(slice_failures(slice_result(Skerry_g=80, Skerry_clang=80)), [])
        self.assertEqual(slice_failures(slice_result(workers=2, Skerry_g=150, Skerry_clang=150)), [])

    def held(self, name, samples):
        """Whether this figure passes while all others do."""
        failed = slice_failures(slice_result({name: samples}, Skerry_g=80, Skerry_clang=80))
        self.assertLessEqual({row for row, _ in failed}, {name})
        return not failed

    def test_medians_decide(self):
        for name, holds, fails in ((self.MESSAGE, [900, 199, 190], [900, 201, 60]),
                                   (self.REMOTE, [9, 3, 2], [9, 3.1, 2]),
                                   (self.MATMUL, [12, 41, 50], [12, 39.9, 50]),
                                   (self.DIGITS, [0.2, 0.86, 0.9], [0.2, 0.84, 0.9]),
                                   (self.TRACED, [0.9, 1.02, 1.3], [0.9, 1.0201, 1.3]),
                                   (slice_figures.INSTRUCTIONS, [1.02], [1.0201])):
            self.assertTrue(self.held(name, holds), name)
            self.assertFalse(self.held(name, fails), name)

    def test_the_median_of_tasks_decides(self):
        made = slice_result(Skerry_g=80, Skerry_clang=80, libgomp=79)
        made["rows"][0]["peers"]["Skerry g++"] |= {"min": 60, "median": 80.1}
        self.assertEqual(slice_failures(made), [(self.CHAIN, "Skerry g++ = 80.100, <= 80 ns")])
        self.assertIn("**libgomp (g++), libgomp (clang++)**", slice_figures.markdown(made))

    def test_too_many_tasks_at_home_fail(self):
        self.assertTrue(self.held(self.AT_HOME, [0.9, 1, 40]))
        self.assertFalse(self.held(self.AT_HOME, [0, 1.1, 40]))
        self.assertIn((self.AT_HOME, "40, <= 1 %"), slice_failures(slice_result({self.AT_HOME: [40]})))

    def test_what_has_no_goal_is_shown_and_decides_nothing(self):
        made = slice_result({self.SAME: [1.4, 1.2, 0.9]}, Skerry_g=80, Skerry_clang=80)
        self.assertEqual(slice_failures(made), [])
        self.assertNotIn(self.SAME, [v.row for v in slice_figures.evaluate(made)])
        self.assertIn(f"| {self.SAME} |  | 1.200 | 0.900 to 1.400 |  |  |", slice_figures.markdown(made))
        made = slice_result(problem={self.SAME: "it fell over"}, Skerry_g=80, Skerry_clang=80)
        self.assertEqual(slice_failures(made), [(self.SAME, "it fell over")])

    def test_an_older_result_is_shown_and_judged_as_now(self):
        made = slice_result(Skerry_g=80, Skerry_clang=80)
        made["figures"] = made["figures"][:2]
        made["rows"][0]["statistic"] = "min"
        made["rows"][0]["peers"]["Skerry g++"] |= {"min": 60, "median": 80.1}
        self.assertEqual(slice_failures(made), [(self.CHAIN, "Skerry g++ = 80.100, <= 80 ns")])
        self.assertIn(self.REMOTE, slice_figures.markdown(made))
        self.assertNotIn(self.AT_HOME, slice_figures.markdown(made))

    def test_the_chain_is_held_for_each_number_of_workers(self):
        self.assertEqual(len(slice_failures(slice_result(Skerry_g=80.1, Skerry_clang=79))), 1)
        self.assertEqual(len(slice_failures(slice_result(workers=2, Skerry_g=150.1, Skerry_clang=151))), 2)

    def test_a_figure_that_failed_fails_and_says_why(self):
        made = slice_result(problem={self.MESSAGE: "it fell over"}, Skerry_g=1, Skerry_clang=1)
        self.assertEqual(slice_failures(made), [(self.MESSAGE, "it fell over")])
        text = slice_figures.markdown(made)
        self.assertIn(f"| {self.MESSAGE} | ns | - | - | <= 200 ns | **not measured** |", text)
        self.assertIn(f"Failed: {self.MESSAGE}: it fell over", text)

    def test_rows_that_fail_and_rivals_that_win_are_in_the_table(self):
        text = slice_figures.markdown(slice_result({self.DIGITS: [0.5]}, Skerry_g=90, Skerry_clang=70, libgomp=60,
                                                   libomp=80))
        self.assertIn(f"| {self.DIGITS} |  | 0.500 | 0.500 to 0.500 | >= 0.85 | **no** |", text)
        self.assertIn("| <= 80 ns | **no** | **libgomp (g++), libgomp (clang++), libomp (g++)** |", text)

    def test_lines_of_figures_are_parsed(self):
        line = '{"step": "a", "unit": "ns", "least": 1, "median": 2, "most": 3}'
        self.assertEqual(slice_figures.parse_lines(line + "\n")["a"]["median"], 2)
        for wrong in ("", "{}", "[1]", line + "\nSegmentation fault"):
            with self.assertRaises(ValueError):
                slice_figures.parse_lines(wrong)

    def test_a_row_with_a_wrong_result_has_no_time(self):
        row = {"seconds": 2.5, "check": {"ok": True, "text": "fine"}}
        self.assertEqual(slice_figures.parse_row(json.dumps({"rows": [row], "agree": True})), 2.5)
        row["check"] = {"ok": False, "text": "accuracy 12 %"}
        with self.assertRaisesRegex(ValueError, "accuracy 12 %"):
            slice_figures.parse_row(json.dumps({"rows": [row], "agree": True}))

    def test_two_copies_are_what_a_ratio_is_of(self):
        self.assertAlmostEqual(gate.ratio_to_copies(1.0, [2.0, 2.0]), 1.0)
        self.assertAlmostEqual(gate.ratio_to_copies(2.0, [2.0, 2.0]), 0.5)
        self.assertAlmostEqual(gate.ratio_to_copies(1.0, [1.0, 2.0]), 1 / 1.5)


class Building(unittest.TestCase):
    def test_everything_that_is_run_is_built(self):
        built = {(peer.tree, build.target_of(peer, workload)) for peer in BUILT
                 for workload in peer.only or {row.program for row in ROWS}}
        run = {(peer.tree, build.target_of(peer, row.program)) for row in ROWS for workers in (1, 2)
               for peer in row.peers(workers)}
        self.assertLessEqual(run, built)

    def test_a_compiler_that_is_not_installed_is_named(self):
        old = build.COMPILERS["g++"]
        self.addCleanup(build.COMPILERS.__setitem__, "g++", old)
        build.COMPILERS["g++"] = ["no-such-compiler"]
        programs = build.Programs("/nonexistent", 1)
        programs.build([peer for peer in PEERS if peer.tree == "g++"], {"fib"})
        self.assertEqual(programs.missing["oneTBB"], "no-such-compiler is not installed")
        self.assertIsNone(programs.command(next(p for p in PEERS if p.label == "oneTBB"), "fib"))

    def test_the_machine_is_described(self):
        described = machine.describe()
        self.assertTrue(described["processor"])
        self.assertGreaterEqual(described["processors"], 1)


if __name__ == "__main__":
    unittest.main()
