# SPDX-License-Identifier: Apache-2.0
"""How the programs of the comparison are run."""

import dataclasses
import tempfile
import unittest

from made_up import failures, result, script

import gate
import measure
from rows import COPIES, ELISIONS, PEERS, ROWS


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
        return script(self.folder.name, body)

    def test_rounds_are_interleaved_and_pooled(self):
        script = self.script('echo "$1 $SKERRY_WORKERS" >> "$(dirname "$0")/log"\n'
                             'echo \'{"samples": [3, 1, 2], "cpu": 1, "version": "", "compiler": "", "check": "ok"}\'\n')
        measured = measure.measure_row(ROWS[0], 2, 2, Programs(script), lambda text: None)
        labels = [peer.label for peer in PEERS if peer.label != "oneTBB"]
        log = (script.parent / "log").read_text().split("\n")[:-1]
        self.assertEqual(log, [f"{label} 2" for label in labels + labels[1:] + labels[:1]])
        self.assertEqual(set(measured["peers"]), set(labels))
        self.assertEqual(measured["peers"]["rayon"], {"min": 1, "median": 2, "n": 6})

    def test_a_round_of_a_row_held_against_copies_is_several_passes(self):
        script = self.script('echo "$1" >> "$(dirname "$0")/log"\n'
                             'echo \'{"samples": [1, 2], "cpu": 1, "version": "", "compiler": "", "check": "ok"}\'\n')
        row = next(r for r in ROWS if r.of_copies)
        self.assertGreater(row.passes, 1)
        measured = measure.measure_row(row, 1, 3, Programs(script), lambda text: None)
        self.assertEqual(measured["peers"]["rayon"], {"min": 1, "median": 1.5, "n": 6 * row.passes})
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

    def test_a_publicly_compared_program_has_one_size_for_all(self):
        script = self.script('echo "$@" >> "$(dirname "$0")/log"\n'
                             'echo \'{"samples": [1], "cpu": 1, "version": "", "compiler": "", "check": "ok"}\'\n')
        row = next(r for r in ROWS if r.name == "public: fib 39")
        measured = measure.measure_row(row, 2, 1, Programs(script), lambda text: None)
        self.assertEqual(set(measured["peers"]), {peer.label for peer in PEERS if peer.name not in ("openmp", "tbb")})
        log = (script.parent / "log").read_text().splitlines()
        self.assertEqual(log, [f"{label} --workers 2 --repeat 1 --variant whole --size 39" for label in measured["peers"]])

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
                          'row="\\"input\\": \\"i\\", \\"serial\\": $(runs 20), \\"skerry\\": $(runs 10), \\"statistics\\": '
                          '{\\"tasks\\": 9, \\"steals_asked\\": $n, \\"steals_granted\\": 2, \\"steals_asymmetric\\": 0}$copies"\n'
                          'echo "{\\"rows\\": [{\\"program\\": \\"a\\", \\"in_table_iii\\": true, $row},'
                          ' {\\"program\\": \\"b\\", \\"in_table_iii\\": false},'
                          ' {\\"program\\": \\"c\\", \\"in_table_iii\\": true, \\"skipped\\": \\"no file\\"}]}"\n')
        steals = {"steals_asked": 3, "steals_granted": 4, "steals_asymmetric": 0}
        self.assertEqual(measure.measure_programs(1, cli, 1, lambda text: None)["rows"],
                         [{"program": "a", "input": "i", "statistics": steals, "serial": {"median": 24, "min": 21, "n": 4},
                           "skerry": {"median": 14, "min": 11, "n": 4}}, {"program": "c"}])
        with_copies = measure.measure_programs(2, cli, 2, lambda text: None)["rows"]
        self.assertEqual(with_copies[0]["copies"], {"median": 47, "min": 43, "n": 8})
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
        self.assertEqual({what: of["n"] for what, of in samples["g++"].items()},
                         {what: measure.COMPILE_RUNS for what in measure.COMPILED})
        self.assertTrue(all(of["min"] > 0 for of in samples["g++"].values()))
        log = (script.parent / "log").read_text().split()
        self.assertEqual(log[:4], ["forks.cpp", "atomic.cpp", "atomic.cpp", "forks.cpp"])

    def test_algorithms_by_turns(self):
        script = self.script('for last; do :; done\necho "$(basename "$last")" >> "$(dirname "$0")/log"\n'
                             'while [ "$1" != -o ]; do shift; done\n'
                             'echo "int one = 1;" | cc -x c -c -o "$2" -\n')
        old = dict(measure.COMPILERS)
        self.addCleanup(measure.COMPILERS.update, old)
        measure.COMPILERS.update({"g++": [str(script)], "clang++": ["no-such-compiler"]})
        measured = measure.measure_algorithms({}, lambda text: None)
        self.assertEqual({compiler: set(of) for compiler, of in measured.items()}, {"g++": {"Skerry", "oneTBB"}})
        for of in measured["g++"].values():
            self.assertEqual(of["seconds"]["n"], measure.ALGORITHM_RUNS)
            self.assertGreaterEqual(of["text"], 0)
        log = (script.parent / "log").read_text().split()
        self.assertEqual(log[:4], ["algorithms.cpp", "algorithms_tbb.cpp", "algorithms_tbb.cpp", "algorithms.cpp"])
        self.assertEqual(set(measure.measure_algorithms({"oneTBB": "not there"}, lambda text: None)["g++"]), {"Skerry"})

    def test_the_code_of_what_is_no_object_file(self):
        with self.assertRaisesRegex(measure.Failure, "size said: "):
            measure.text_bytes(self.script("exit 0\n"))

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


if __name__ == "__main__":
    unittest.main()
