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
# Two words put into a vector, and the vector stored into the frame.
ONE_STORE = re.compile(r"^\s+punpcklqdq\b[^\n]*, (%xmm\d+).*\n(?:.*\n){0,3}?\s+mov(?:dq|ap|up)[asu]\s+\1, -?\d*\(%r[sb]p\)",
                       re.MULTILINE)


def function(text, *parts):
    """The first one whose name has all these in it."""
    for body in re.split(r"^(?=_Z[\w$.]+:)", text, flags=re.MULTILINE):
        name = body.partition(":")[0]
        if all(part in name for part in parts):
            return body.partition("\n.Lfunc_end")[0]
    raise AssertionError(f"no function of {parts}")


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

    def test_closure_and_function_are_one_store(self):
        """Where a closure is one piece of a word or half of one: with Clang, which makes two stores of it if it sees
        through how it is written, in all forms; with GCC for results of class type."""
        for compiler in COMPILERS:
            text = assembly(compiler)
            clang = "clang" in compiler
            for form, fork, one in (("fib", "fork_apart_on", True), ("fib_returned", "fork_apart_on", True),
                                    ("fib_object", "fork_apart", True), ("fib_padded", "fork_apart_on", False),
                                    ("fib_by_reference", "fork_apart_in_words", False)):
                if clang or form == "fib_object":
                    with self.subTest(compiler=compiler, form=form):
                        found = ONE_STORE.search(function(text, fork, f"{len(form)}{form}"))
                        self.assertEqual(found is not None, one)

    def test_a_compiler_is_there(self):
        self.assertTrue(COMPILERS)


if __name__ == "__main__":
    unittest.main()
