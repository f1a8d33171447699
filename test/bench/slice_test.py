# SPDX-License-Identifier: Apache-2.0
"""What tools/bench slice measures, and its goals."""

import json
import os
import pathlib
import tempfile
import unittest

from made_up import result, script

import gate
import slice_figures


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
        counted = ("while [ $# -gt 0 ]; do case $1 in --callgrind-out-file=*) out=${1#*=} ;; "
                   "--repeat) repeat=$2 ;; --trace) each=103 ;; esac; shift; done\n"
                   "echo totals: $((${each:+1000} + 5000 + ${each:-100} * repeat)) > $out\n"
                   f"echo '{json.dumps(row)}'\n")
        self.program("valgrind", counted)
        old = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", old)
        os.environ["PATH"] = f"{self.folder}:{old}"
        for name, text in (("figure", "\n".join(lines)), ("cli", json.dumps(row)), ("command", json.dumps(sample))):
            self.program(name, f"echo {name} \"$@\" >> '{self.folder}/log'\ncat <<'.'\n{text}\n.\n")

    def program(self, name, body):
        script(self.folder, body, name)

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
        expected = {f.name: (2, 2) if f.program else (0.5, 2) for f in slice_figures.FIGURES}
        expected[slice_figures.INSTRUCTIONS] = (1.03, 1)  # of a run each, without what comes before and after
        self.assertEqual({entry["figure"]: (entry["median"], entry["n"]) for entry in got["figures"]}, expected)

    def test_without_instructions_counted_the_gate_fails(self):
        for text, says in (("exit 3\n", "valgrind ended with status 3 and said: nothing"),
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
    figures = [{"figure": f.name} | slice_figures.kept_of(samples.get(f.name, [f.goal or 1]), problem.get(f.name, ""))
               for f in slice_figures.FIGURES]
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


if __name__ == "__main__":
    unittest.main()
