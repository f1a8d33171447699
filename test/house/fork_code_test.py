#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program's own code of a fork and its join has no fence, no locked operation and no indirect call, and finds the
worker's page without a call, in a shared library, too. Who is stolen from goes on in the library, which is not looked
at here.
"""

import pathlib
import platform
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILERS = [found for found in map(shutil.which, ("g++", "clang++-19")) if found]
KEPT_OUT = {
    "a fence or a locked operation": re.compile(r"^\s+(?:[ls]?fence|mfence|lock\b|lock;|xchg[bwlq]?\b)", re.MULTILINE),
    "an indirect call": re.compile(r"^\s+(?:call|jmp)q?\s+\*(?!\S*@GOTPCREL)", re.MULTILINE),
    "a call for a thread's variable": re.compile(r"__tls_get_addr|tlsdesc", re.IGNORECASE),
}


def assembly(compiler, *options):
    return subprocess.run([compiler, "-std=c++20", "-O2", "-fPIC", f"-I{ROOT / 'include'}", *options, "-S", "-o", "-",
                           ROOT / "test/house/fork_code.cpp"], check=True, capture_output=True, text=True).stdout


@unittest.skipUnless(platform.machine() == "x86_64", "names instructions of x86-64")
class ForkCode(unittest.TestCase):
    def test_nothing_slow_is_in_it(self):
        for compiler in COMPILERS:
            text = assembly(compiler)
            self.assertIn("fork", text, "a fork is there at all")
            for what, pattern in KEPT_OUT.items():
                with self.subTest(compiler=compiler, what=what):
                    self.assertIsNone(pattern.search(text))

    def test_it_would_be_found(self):
        for compiler in COMPILERS:
            text = assembly(compiler, "-DCONTROL")
            for what, pattern in KEPT_OUT.items():
                with self.subTest(compiler=compiler, what=what):
                    self.assertIsNotNone(pattern.search(text))

    def test_a_compiler_is_there(self):
        self.assertTrue(COMPILERS)


if __name__ == "__main__":
    unittest.main()
