#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A loop or a reduction without a grain has no code of a fork: how it is cut, how its parts are joined and what thieves
do with them is compiled once, into the library. A program has its bodies and a call.
"""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILERS = [found for found in map(shutil.which, ("g++", "clang++-19")) if found]
OF_THE_LIBRARY = re.compile(r"^\s+U skerry::v\d+_\w+::(?:detail::)?([\w:]+)", re.MULTILINE)


def wanted(compiler, *options):
    """The functions of the library that an object file wants."""
    with tempfile.TemporaryDirectory() as folder:
        compiled = pathlib.Path(folder) / "object.o"
        subprocess.run([compiler, "-std=c++20", "-O2", f"-I{ROOT / 'include'}", *options, "-c", "-o", compiled,
                        ROOT / "test/house/loop_code.cpp"], check=True)
        names = subprocess.run(["nm", "--undefined-only", "--demangle", compiled], check=True, capture_output=True,
                               text=True).stdout
    return set(OF_THE_LIBRARY.findall(names))


class LoopCode(unittest.TestCase):
    def test_without_a_grain_the_library_has_it_all(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.assertEqual(wanted(compiler), {"run_automatically", "fold_automatically"})

    def test_it_would_be_found(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                self.assertLessEqual({"settle_or_wait", "finish_stolen", "leaf_rows::settle"},
                                     wanted(compiler, "-DCONTROL"))

    def test_a_compiler_is_there(self):
        self.assertTrue(COMPILERS)


if __name__ == "__main__":
    unittest.main()
