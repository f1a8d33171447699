#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a failing model test prints is one command, which goes the same way again. Argument: model_explorer_test."""

import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop()
TEST = "DISABLED_replay.fails_in_its_second_exploration"


def run(command, **how):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)


def failing(*options, test=TEST):
    return run([PROGRAM, f"--gtest_filter={test}", "--gtest_also_run_disabled_tests", *options])


class Replay(unittest.TestCase):
    def test_the_command_that_is_printed(self):
        failed = failing()
        self.assertEqual(failed.returncode, 1, failed.stdout)
        command = re.search(r"^replay: (.*)$", failed.stdout, re.M).group(1)
        start = f"{PROGRAM} --gtest_filter={TEST} --gtest_also_run_disabled_tests '--replay=2:"
        self.assertEqual(command[:len(start)], start)
        way = re.findall(r"^  \d+  .*$", failed.stdout, re.M)
        self.assertTrue(way, failed.stdout)

        again = run(command, shell=True)
        self.assertEqual(again.returncode, 1, again.stdout)
        self.assertEqual(re.findall(r"^  \d+  .*$", again.stdout.partition("[  FAILED  ]")[0], re.M)[:len(way)], way)
        self.assertIn("\nrequire: neither saw the other\n", again.stdout)
        self.assertEqual(again.stdout.count("[model]"), 1, "the first exploration is walked, the second is not")

    def test_by_traces(self):
        command = re.search(r"^replay: (.*)$", failing("--walk=traces").stdout, re.M).group(1)
        self.assertIn(" --walk=traces '--replay=2:", command)
        self.assertIn("\nrequire: neither saw the other\n", run(command, shell=True).stdout)

    def test_no_token(self):
        wrong = failing("--replay=hello")
        self.assertEqual((wrong.returncode, wrong.stdout),
                         (2, "--replay: 'hello' does not begin with the number of an exploration, as '1:s0'\n"))
        wrong = failing("--replay=1:s0,hello")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, "--replay: not a step: 'hello'\n"))

    def test_no_such_exploration(self):
        wrong = failing("--replay=3:s0")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("--replay: there is no exploration 3, the test has 2\n", wrong.stdout)

    def test_a_step_that_is_not_possible(self):
        wrong = failing("--replay=1:s0,f0")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("--replay: step 2 is not possible here\n", wrong.stdout)

    def test_more_than_one_test(self):
        wrong = failing("--replay=1:s0", test="explorer.replays*")
        self.assertEqual((wrong.returncode, wrong.stdout.splitlines()[-1]),
                         (2, "--replay is for one test, and --gtest_filter chooses 2"))
        self.assertEqual(failing("--replay=1:s0", test="explorer.nothing").returncode, 2)


if __name__ == "__main__":
    unittest.main()
