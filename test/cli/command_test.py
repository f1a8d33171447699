# SPDX-License-Identifier: Apache-2.0
"""The skerry command as a user meets it: exit status, what is printed where, error texts, the JSON's shape.

command_test.py SKERRY [unittest arguments]
"""
import json
import os
import resource
import subprocess
import sys
import unittest

SKERRY = ""
TABLE_III = [
    "cilk5-cs", "cilk5-lu", "cilk5-mm", "cilk5-mt", "cilk5-nq", "ligra-bc", "ligra-bf", "ligra-bfs", "ligra-bfsbv",
    "ligra-cc", "ligra-mis", "ligra-radii", "ligra-tc",
]


def skerry(*arguments, before=None, **environment):
    return subprocess.run([SKERRY, *arguments], capture_output=True, text=True, timeout=240,
                          env={**os.environ, **environment}, preexec_fn=before, check=False)


class command(unittest.TestCase):
    def expect_error(self, status, text, *arguments, **more):
        done = skerry(*arguments, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("skerry: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(text, done.stderr)


class help_and_list(command):
    def test_help_shows_an_example_and_the_exit_status(self):
        for arguments in (["--help"], ["run", "--help"], ["list", "--help"], ["info", "--help"]):
            done = skerry(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(done.stderr, "")
            self.assertRegex(done.stdout, r"Examples?:\n  skerry ")
        self.assertIn("Exit status:\n  0", skerry("--help").stdout)
        self.assertIn("Exit status:\n  0", skerry("run", "--help").stdout)

    def test_version(self):
        self.assertRegex(skerry("--version").stdout, r"^skerry \d+\.\d+\.\d+\n$")

    def test_list_has_table_iii_in_its_order(self):
        done = skerry("list")
        self.assertEqual(done.returncode, 0)
        names = [line.split()[0] for line in done.stdout.splitlines() if line.startswith(("cilk5-", "ligra-"))]
        self.assertEqual(names, TABLE_III)
        rows = json.loads(skerry("list", "--json").stdout)
        self.assertEqual([row["program"] for row in rows], TABLE_III)
        self.assertEqual(rows[0]["paper"], {"input": "3000000", "granularity": 4096, "pattern": "ss"})

    def test_info_tells_the_workers(self):
        self.assertRegex(skerry("info", SKERRY_WORKERS="3").stdout, r"(?m)^workers +3\b")
        document = json.loads(skerry("info", "--json", SKERRY_WORKERS="3").stdout)
        self.assertEqual(document["workers"], 3)
        self.assertEqual(document["workers_from"], "SKERRY_WORKERS")

    def test_info_tells_the_limit_that_decides(self):
        only = min(os.sched_getaffinity(0))
        document = json.loads(skerry("info", "--json", SKERRY_WORKERS="",
                                     before=lambda: os.sched_setaffinity(0, {only})).stdout)
        self.assertEqual(document["workers"], 1)
        self.assertEqual(document["cpus"], [only])
        self.assertTrue(document["limits"])
        for limit in document["limits"]:
            self.assertEqual(set(limit), {"where", "text", "cpus"})
        self.assertIn(document["workers_from"], [limit["where"] for limit in document["limits"]])
        self.assertGreaterEqual(document["cores"], 1)


class mistakes(command):
    def test_command_line(self):
        self.expect_error(2, "A subcommand is required")
        self.expect_error(2, "there is no command 'frob'; the commands are info, list and run", "frob")
        self.expect_error(2, "PROGRAM is required", "run")
        self.expect_error(2, "--bogus", "run", "nq", "--bogus")
        self.expect_error(2, "extra", "run", "nq", "extra")

    def test_unknown_program_names_the_nearest(self):
        self.expect_error(2, "no program 'cilk5-mn'; did you mean 'cilk5-mm'?", "run", "cilk5-mn")
        self.expect_error(2, "no program 'radi'; did you mean 'ligra-radii'?", "run", "radi")
        self.expect_error(2, "no program ''", "run", "")

    def test_values(self):
        self.expect_error(2, "huge", "run", "nq", "--size", "huge")
        self.expect_error(2, "--repeat", "run", "nq", "--repeat", "0")
        self.expect_error(2, "--workers", "run", "nq", "--workers", "0")
        self.expect_error(2, "--workers", "run", "nq", "--workers", "-1")
        self.expect_error(2, "--seed", "run", "nq", "--seed", "x")
        self.expect_error(2, "--granularity", "run", "nq", "--granularity", "0")
        self.expect_error(2, "SKERRY_WORKERS", "run", "nq", "--size", "tiny", SKERRY_WORKERS="many")
        self.expect_error(2, "SKERRY_WORKERS", "info", SKERRY_WORKERS="many")

    def test_flags_of_the_runtime(self):
        self.expect_error(2, "foo not in {automatic,asymmetric,locked}", "run", "nq", "--steal", "foo")
        self.expect_error(2, "--stack-size", "run", "nq", "--stack-size", "large")
        self.expect_error(2, "--max-slots", "run", "nq", "--max-slots", "-1")
        self.expect_error(2, "--watchdog", "run", "nq", "--watchdog", "-1")
        self.expect_error(2, "--blocking-threads", "run", "nq", "--blocking-threads", "x")
        self.expect_error(2, "--pin", "run", "nq", "--pin=perhaps")

    def test_too_little_memory(self):
        if os.environ.get("SKERRY_SANITIZED"):
            self.skipTest("a sanitizer's shadow memory does not fit any limit")
        limit = 400 << 20
        self.expect_error(4, "out of memory", "run", "mt", "--size", "paper", "--workers", "1",
                          before=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    def test_options_of_other_programs(self):
        self.expect_error(2, "cilk5-nq takes no --input (it was 'x')", "run", "nq", "--input", "x")
        self.expect_error(2, "cilk5-nq takes neither --from nor --to", "run", "nq", "--from", "dog")
        self.expect_error(2, "not with 'all'", "run", "all", "--input", "x")

    def test_bad_input(self):
        self.expect_error(3, "/nowhere/at/all", "run", "bfs", "--input", "/nowhere/at/all")


class running(command):
    def test_one_program_for_a_person(self):
        done = skerry("run", "nq", "--size", "tiny", "--workers", "2", "--repeat", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")  # no terminal, no progress
        self.assertIn("cilk5-nq: 6 queens", done.stdout)
        self.assertIn("2 workers", done.stdout)
        self.assertIn("check     ok: 4 solutions", done.stdout)

    def test_one_program_as_json(self):
        done = skerry("run", "cs", "--size", "tiny", "--workers", "2", "--repeat", "3", "--seed", "9", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual({key: document[key] for key in ("size", "seed", "workers", "repeat")},
                         {"size": "tiny", "seed": 9, "workers": 2, "repeat": 3})
        (row,) = document["rows"]
        self.assertEqual(row["program"], "cilk5-cs")
        self.assertEqual(row["input"], "generated")
        self.assertIs(row["check"]["ok"], True)
        for variant in ("serial", "skerry"):
            runs = sorted(row[variant]["runs_s"])
            self.assertEqual(len(runs), 3)
            self.assertEqual(row[variant]["min_s"], runs[0])
            self.assertEqual(row[variant]["median_s"], runs[1])
        statistics = row["statistics"]
        self.assertEqual(statistics["threads_high_water"], 1)  # and the one inside run()
        self.assertLessEqual(statistics["steals_granted"], statistics["tasks"])
        self.assertLessEqual(statistics["steals_asymmetric"], statistics["steals_granted"])
        self.assertAlmostEqual(row["speed_up"], row["serial"]["median_s"] / row["skerry"]["median_s"])

    def test_flags_of_the_runtime(self):
        for flags in (["--pin"], ["--no-pin"], ["--stack-size", "1M"], ["--max-slots", "99"], ["--steal", "locked"],
                      ["--blocking-threads", "9"], ["--watchdog", "30"]):
            done = skerry("run", "nq", "--size", "tiny", "--repeat", "1", "--workers", "2", *flags)
            self.assertEqual(done.returncode, 0, (flags, done.stderr))

    def test_granularity_and_size_reach_the_program(self):
        done = skerry("run", "cs", "--size", "tiny", "--granularity", "100", "--repeat", "1")
        self.assertIn("20000 keys, granularity 100", done.stdout)
        done = skerry("run", "nq", "--size", "paper", "--repeat", "1")
        self.assertIn("10 queens, granularity 3 rows", done.stdout)

    def test_all(self):
        done = skerry("run", "all", "--size", "tiny", "--repeat", "1", "--workers", "2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        generated = [row["program"] for row in rows if row["input"] == "generated"]
        self.assertEqual(generated, TABLE_III)
        self.assertTrue(all("skipped" in row or row["check"]["ok"] for row in rows))
        table = skerry("run", "all", "--size", "tiny", "--repeat", "1").stdout
        for name in TABLE_III:
            self.assertRegex(table, rf"(?m)^{name} .* ok$")
        self.assertRegex(table, r"all \d+ checks passed")


if __name__ == "__main__":
    SKERRY = sys.argv.pop(1)
    unittest.main()
