#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/list_skips names each case that was skipped, with its reason, says so where no tests have run, and fails for a
reason that nobody has written down, if it is asked to."""

import pathlib
import subprocess
import tempfile
import unittest

LIST_SKIPS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "list_skips"
LOG = """1/2 Testing: unit_limits
[ RUN      ] Limits.Holds
[       OK ] Limits.Holds (0 ms)
[ RUN      ] Limits.OfTheGroup
limits_test.cpp:302: Skipped
no group
can be made here

[  SKIPPED ] Limits.OfTheGroup (0 ms)
[ RUN      ] Limits.ToldTwice
limits_test.cpp:305: Skipped
one worker
limits_test.cpp:305: Skipped
one worker

[  SKIPPED ] Limits.ToldTwice (0 ms)
[ RUN      ] Limits.Silent
limits_test.cpp:310: Skipped


[  SKIPPED ] Limits.Silent (0 ms)
[  SKIPPED ] 2 tests, listed below:
[  SKIPPED ] Limits.OfTheGroup
[  SKIPPED ] Limits.Silent
"""


class ListSkips(unittest.TestCase):
    def listed(self, log, *options, name="dev"):
        with tempfile.TemporaryDirectory() as above:
            build = pathlib.Path(above) / name
            build.mkdir()
            if log is not None:
                folder = build / "Testing/Temporary"
                folder.mkdir(parents=True)
                (folder / "LastTest.log").write_text(log, encoding="utf-8")
            return subprocess.run([LIST_SKIPS, *options, build], capture_output=True, text=True, check=False)

    def test_each_has_its_reason(self):
        done = self.listed(LOG)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), ["skipped Limits.OfTheGroup: no group can be made here",
                                                    "skipped Limits.ToldTwice: one worker",
                                                    "skipped Limits.Silent: no reason given", "3 cases skipped"])

    def test_a_reason_that_is_not_known(self):
        done = self.listed(LOG, "--known")
        self.assertEqual(done.returncode, 1)
        self.assertIn("3 cases skipped", done.stdout)
        self.assertIn("does not know why these are skipped in a build 'dev':\n"
                      "Limits.OfTheGroup: no group can be made here\n", done.stderr)

    def test_a_reason_that_is_known_in_some_builds(self):
        log = LOG[:LOG.index("[ RUN      ] Limits.ToldTwice")].replace("no group\ncan be made here", "only debug builds look")
        self.assertEqual(self.listed(log, "--known", name="optimised").returncode, 0)
        self.assertEqual(self.listed(log, "--known", name="clang").returncode, 1)

    def test_none(self):
        self.assertEqual(self.listed("100% tests passed\n").stdout, "0 cases skipped\n")

    def test_no_run(self):
        done = self.listed(None)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no tests have run", done.stderr)


if __name__ == "__main__":
    unittest.main()
