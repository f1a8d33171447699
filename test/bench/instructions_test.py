# SPDX-License-Identifier: Apache-2.0
"""How instructions are counted."""

import os
import pathlib
import tempfile
import unittest

from made_up import script

import instructions


class Instructions(unittest.TestCase):
    """Of programs that valgrind says took 1,000 instructions, and in each of two runs, for each fork of fib(size), as
    many as the form's name has letters; 100 more in a shared library."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        script(self.folder, "while [ $# -gt 0 ]; do case $1 in --callgrind-out-file=*) out=${1#*=} ;; "
                            "--size) n=$2 ;; --variant) each=${#2} ;; --workers) [ $2 = 1 ] || exit 3 ;; "
                            "*/fib_shared) more=100 ;; esac; shift; done\na=0 b=1\n"
                            "while [ $n -gt 0 ]; do t=$b b=$((a + b)) a=$t n=$((n - 1)); done\n"
                            "echo totals: $((1000 + 2 * (each + more) * b)) > $out\necho '{\"check\": \"ok\"}'\n",
               "valgrind")
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

    def test_every_form_is_counted_once(self):
        counted = [(row.program, row.variant) for row in instructions.FORMS]
        self.assertEqual(len(set(counted)), len(counted))
        self.assertIn(("fib_o2", "initialised"), counted)
        self.assertNotIn(("fib", "whole"), counted)  # the plain form again

    def test_forks_are_the_inner_nodes(self):
        self.assertEqual([instructions.forks(n) for n in range(7)], [0, 0, 1, 2, 4, 7, 12])


if __name__ == "__main__":
    unittest.main()
