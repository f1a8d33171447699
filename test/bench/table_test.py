# SPDX-License-Identifier: Apache-2.0
"""The tables of the comparison."""

import pathlib
import tempfile
import unittest

from made_up import of_programs, program, result, summaries

import table
from rows import MANY


class Table(unittest.TestCase):
    def test_a_lost_row_is_marked(self):
        text = table.markdown(result("nqueens 12", Skerry_g=10, Skerry_clang=14, oneTBB=12, rayon=20))
        self.assertIn("**oneTBB (clang++)**", text)
        self.assertIn("0.83 / 1.17", text)

    def test_a_won_row_is_not(self):
        self.assertNotIn("(clang++)**", table.markdown(result("nqueens 12", Skerry_g=1, Skerry_clang=1, oneTBB=12)))

    def test_publicly_compared_programs_have_tables_below_the_others(self):
        values = {"serial_g": 4, "Skerry_g": 5, "Skerry_clang": 6, "oneTBB": 70, "rayon": 5.5}
        made = result("public: fib 39", **values)
        public = made["rows"]
        made["rows"] = public + result("fib of another shape, -O2", 2, **values)["rows"]
        text = table.markdown(made)
        others, head, programs = text.partition("**Publicly compared programs, 1 worker**\n")
        self.assertTrue(head)
        self.assertIn("**2 workers**", others)
        self.assertIn("| fib of another shape, -O2 | ns/fork | 4.00 | 5.00 |", others)
        self.assertNotIn("| fib 39 |", others)
        self.assertIn("| fib 39 | ms | 4.00 | 5.00 | 6.00 | 70.0 | 5.50 | - | - | 0.071 / 0.086 | 0.91 / 1.09 | **rayon (clang++)** |", programs)
        self.assertEqual(text.count("**1 worker**"), 0)
        self.assertNotIn("another shape", programs)
        self.assertEqual(text.count("Publicly"), 1)

    def test_missing_and_failed_are_named(self):
        text = table.markdown(result("nqueens 12", missing={"rayon": "cargo is not installed"},
                                     problems={"oneTBB": "said: no"}, Skerry_g=1, Skerry_clang=1))
        self.assertIn("Not measured: rayon: cargo is not installed.", text)
        self.assertIn("nqueens 12, 1 worker(s), oneTBB: said: no", text)

    def test_programs(self):
        made = result("nqueens 12", Skerry_g=1, Skerry_clang=1)
        absent = {"program": "ligra-bfs", "input": "wordnet"}
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
        elsewhere = f"not in this run, on 2 processors; on {MANY}: docs/design/0030"
        self.assertIn("geometric mean | 2 | 0.800 | >= 0.95 |", text)
        self.assertIn("| speed-up by workers, geometric mean | 2 | 0.800 |  |", text)
        self.assertIn("in all timed runs | 2 | 14, 10, 4 |", text)
        self.assertIn(f"| speed-up by workers, geometric mean | {MANY} | {elsewhere} | >= 0.9 |", text)
        self.assertIn(f"in all timed runs | {MANY} | {elsewhere} |", text)
        self.assertIn("| cache lines moved per steal | | the driver reads no counters", text)
        text = table.markdown(of_programs(MANY, program("p", 0.0625, 1.0)))
        self.assertIn(f"| speed-up by workers, geometric mean | {MANY} | 1.000 | >= 0.9 |", text)
        self.assertNotIn("not in this run", text)

    def test_copies_and_compile_time(self):
        made = result("nqueens 12", 2, Skerry_g=10, Skerry_clang=20, copies_g=19, copies_clang=20,
                      elision_g=20, elision_clang=38)
        made["compile"] = {"clang++": summaries(forks=[0.5], atomic=[0.25])}
        text = table.markdown(made)
        self.assertIn("| nqueens 12 | 2 | ms | 10.0 | 20.0 | 19.0 | 20.0 | 20.0 | 38.0 | 0.950 / 0.475 | 0.950 / 0.500 | 0.97 |", text)
        self.assertIn("| clang++ | 0.500 | 0.250 | +0.250 | <= +0.10 |", text)
        self.assertNotIn("side by side**", table.markdown(result("nqueens 12", 1, Skerry_g=10, Skerry_clang=20)))

    def test_compiled_algorithms(self):
        made = result("nqueens 12", 1, Skerry_g=10, Skerry_clang=20)
        made["algorithms"] = {"g++": {"Skerry": summaries(seconds=[1.5]) | {"text": 22000},
                                      "oneTBB": summaries(seconds=[2.0]) | {"text": 44000}},
                              "clang++": {"Skerry": summaries(seconds=[1.5]) | {"text": 22000}}}
        text = table.markdown(made)
        self.assertIn("| g++, time | s | 1.50 | 2.00 | 0.75 | <= 1.3 |", text)
        self.assertIn("| g++, code | KB | 22.0 | 44.0 | 0.50 | <= 1.5 |", text)
        self.assertIn("| clang++, code | KB | 22.0 | - | - | - |", text)
        self.assertIn("<= 1.5 x oneTBB's, g++ | 0.500 | yes |", text)

    def test_copies_without_a_goal_are_shown(self):
        text = table.markdown(result("nqueens 12, bit masks", 2, Skerry_g=10, Skerry_clang=20, copies_g=10,
                                     copies_clang=20))
        self.assertIn("| 10.0 | 20.0 | 10.0 | 20.0 | - | - | 0.500 / 0.250 | - / - | - |", text)

    def test_write(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "file.md"
            path.write_text("no marks\n")
            with self.assertRaisesRegex(ValueError, "file.md has no lines '<!-- a -->' and '<!-- b -->' to put the table between"):
                table.write(path, "other\n", "<!-- a -->", "<!-- b -->")
            path.write_text("before\n<!-- a -->\nold\n<!-- b -->\nafter\n")
            table.write(path, "new\n", "<!-- a -->", "<!-- b -->")
            self.assertEqual(path.read_text(), "before\n<!-- a -->\nnew\n<!-- b -->\nafter\n")


if __name__ == "__main__":
    unittest.main()
