# SPDX-License-Identifier: Apache-2.0
"""What is kept of results, and the documentation that is made of it."""

import json
import subprocess
import tempfile
import unittest

from made_up import ROOT, of_programs, program, result

import pages
import results
import slice_figures
import table

LARGEST = 60 * 1024  # bytes of a kept result


def between(path, begin, end):
    return path.read_text().split(begin + "\n")[1].split(end)[0]


class Results(unittest.TestCase):
    def test_a_machine_is_a_name(self):
        machine = {"processor": "Intel(R) Xeon(R) Processor", "family": 6, "model": 207, "processors": 16}
        self.assertEqual(results.machine_name(machine), "intel-xeon-6-207-16-cpus")
        self.assertEqual(results.machine_name({"processor": "AMD EPYC", "processors": 2}), "amd-epyc-2-cpus")

    def test_a_kept_result_has_a_line_for_each_row_and_comes_back(self):
        made = of_programs(2, program("p", 0.5, 1.0), program("q", 0.5, 1.0)) | {
            "rows": result("nqueens 12", Skerry_g=1)["rows"] * 3}
        text = results.text_of(made)
        self.assertEqual(json.loads(text), made)
        self.assertEqual(len([line for line in text.splitlines() if line.startswith('{"row"')]), 3)
        self.assertEqual(len([line for line in text.splitlines() if line.startswith('{"program"')]), 2)

    def test_the_newest_of_a_suite_comes_first(self):
        with tempfile.TemporaryDirectory() as folder:
            for date, suite, processor in (("2000-01-01", "fork-join", "a"), ("2001-01-01", "fork-join", "b"), ("2002-01-01", "slice", "c")):
                made = result("nqueens 12", Skerry_g=1) | {"date": date, "suite": suite}
                made["machine"] = made["machine"] | {"processor": processor}
                results.keep(made, results.path_of(made, folder))
            self.assertEqual([found["machine"]["processor"] for found in results.kept("fork-join", folder)], ["b", "a"])
            self.assertEqual([found["date"] for found in results.kept("slice", folder)], ["2002-01-01"])

    def test_kept_files_are_small_and_named_by_suite_and_machine(self):
        paths = sorted(results.FOLDER.glob("*"))
        self.assertGreater(len(paths), 0)
        for path in paths:
            self.assertEqual(path, results.path_of(json.loads(path.read_text())))
            self.assertLessEqual(path.stat().st_size, LARGEST, path.name)


class Command(unittest.TestCase):
    def test_some_rows_are_not_kept(self):
        done = subprocess.run([ROOT / "tools" / "bench", "fork-join", "--rows", "fib", "--write"], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "tools/bench: --write is for whole runs, not for --rows: a kept result has all rows of one commit\n")


class Pages(unittest.TestCase):
    def test_the_documentation_is_what_the_kept_results_give(self):
        fork_join = results.kept("fork-join")
        for path, text, name in ((pages.BENCHMARKS, pages.fork_join(fork_join), "fork-join"),
                                 (pages.BENCHMARKS, pages.slice_(results.kept("slice")), "slice"),
                                 (pages.BENCHMARKS, pages.events(results.kept("events")), "events"),
                                 (pages.README, table.public(fork_join[0]), "public")):
            self.assertEqual(between(path, *pages.marks(name)), text, f"{path.name} is not what tools/bench --write makes")

    def test_a_goal_that_a_machine_misses_is_bold_in_its_column(self):
        row = "hostage: 64 x 1 ms, leaf of 100 ms"
        good, bad = (result(row, 2, Skerry_g=100, Skerry_clang=found, oneTBB=100, rayon=100) for found in (101, 103))
        text = pages.fork_join([good, bad])
        self.assertIn(f"| {row} | 2 | within 2 % of 100 ms | 100.000 / 101.000 | 100.000 / **103.000** |", text)
        self.assertIn(f"| {row} | 2 | ms | **100 / 103** (100 / 100) |", text)
        self.assertIn("- **B**: p, 2 processors, commit c0ffee, 2000-01-01: 3 of 6 hold.", text)

    def test_a_row_that_one_machine_lacks_has_no_figure_there(self):
        text = pages.fork_join([result("nqueens 12", Skerry_g=1, Skerry_clang=1), result("fib, `[&]`", Skerry_g=1, Skerry_clang=1),
                                result("nqueens 12", Skerry_g=2, Skerry_clang=2)])
        self.assertIn("| nqueens 12 | 1 | ms | - | 2.00 / 2.00 (- / -) |", text)

    def test_every_machine_of_the_slice_has_its_tables(self):
        made = result(slice_figures.TASKS[0].name, shapes=slice_figures.TASKS, Skerry_g=80, Skerry_clang=80) | {
            "figures": [], "other_load": 0.0}
        text = pages.slice_([made, made])
        self.assertEqual(text.count("### Machine "), 2)


if __name__ == "__main__":
    unittest.main()
