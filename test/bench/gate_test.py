# SPDX-License-Identifier: Apache-2.0
"""The gate of the comparison: which results pass."""

import unittest

from made_up import failures, of_programs, program, result, summaries

import gate
from rows import BOUNDS, COPIES, ELISIONS, MANY, ROWS


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
        row = program("p", 1.0) | {"skerry": {"median": 1.5, "min": 1.05, "n": 2}}
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

    def test_what_is_reached_of_copies_is_the_median_of_the_passes(self):
        reached = gate.reached_of_copies(2, {
            "Skerry g++": [50, 40, 60], "copies g++": [80, 96, 90],  # ratio of the medians, or of sorted passes: 0.9
            "copies clang++": [70, 99, 99]})  # slower by its median
        self.assertAlmostEqual(reached["Skerry g++"], 0.8)  # of 0.8, 1.2, 0.75

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
                "compile": {"g++": summaries(forks=forks, atomic=[0.2, 0.25, 9])}})
        self.assertEqual(of([0.1, 0.35, 0.4]), [])
        self.assertEqual(of([0.1, 0.351, 0.4]), ["g++: 0.351 s, <= 0.250 s of <atomic> alone + 0.1"])

    def test_compiled_algorithms_beside_onetbb(self):
        def of(compiler, seconds, text, **rivals):
            of_skerry = {"Skerry": summaries(seconds=seconds) | {"text": text}}
            return failures(result("nqueens 12", Skerry_g=1, Skerry_clang=1, oneTBB=2, rayon=2) | {
                "algorithms": {compiler: of_skerry | rivals}})
        rival = summaries(seconds=[1.0, 2.0, 9.0]) | {"text": 40000}
        self.assertEqual(of("g++", [2.6, 2.6, 2.7], 60000, oneTBB=rival), [])
        self.assertEqual(of("g++", [2.5, 2.62, 2.7], 60100, oneTBB=rival),
                         ["g++: 2.62 s, 1.310 of oneTBB's, <= 1.3", "g++: 60.10 KB, 1.502 of oneTBB's, <= 1.5"])
        self.assertEqual(of("clang++", [9.0], 90000, oneTBB=rival), [])
        self.assertEqual(of("g++", [9.0], 90000), [])

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

    def test_a_row_without_a_goal_has_no_verdict_unless_skerry_has_no_result(self):
        shown = [row.name for row in ROWS if not row.gated]
        self.assertIn("public: fib 39", shown)
        for row in shown:
            self.assertEqual(gate.evaluate(result(row, 2, Skerry_g=9, Skerry_clang=9, oneTBB=1, rayon=1)), [])
            self.assertEqual(failures(result(row, problems={"Skerry g++": "wrong"}, Skerry_clang=1)), ["Skerry g++: wrong"])
            self.assertEqual(failures(result(row, Skerry_g=1)), ["Skerry clang++: not measured"])
            self.assertEqual(failures(result(row, missing=dict.fromkeys(gate.SKERRY, "gone"))), ["nothing of Skerry was measured"])

    def test_report_counts(self):
        verdicts = [gate.Verdict("a", 1, True, "x"), gate.Verdict("b", 2, False, "y")]
        self.assertEqual(gate.report(verdicts).splitlines(),
                         ["PASS  a, 1 worker(s): x", "FAIL  b, 2 worker(s): y", "gate: 1 of 2 FAILED"])

    def test_each_bound_names_a_row(self):
        self.assertLessEqual({bound.row for bound in BOUNDS}, {row.name for row in ROWS})


if __name__ == "__main__":
    unittest.main()
