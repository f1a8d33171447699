#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/rtl fails where it should: without Verilator, for a warning, for too many waivers, for a fault that no longer
stands in the sources. test/skips.toml does not know why a run without Verilator is skipped."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Rtl(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def rtl(self, *arguments, path=None):
        environment = {**os.environ, "PATH": path} if path else None
        return subprocess.run([sys.executable, ROOT / "tools" / "rtl", *arguments, "--build", self.folder / "build"],
                              capture_output=True, text=True, check=False, env=environment)

    def copy(self, name, old, new):
        sources = self.folder / "rtl"
        shutil.copytree(ROOT / "rtl" / "rtl", sources)
        text = (sources / name).read_text(encoding="utf-8")
        self.assertIn(old, text)
        (sources / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        return sources

    def test_without_verilator_it_is_skipped_and_ci_refuses_that(self):
        done = self.rtl("test", path="/nonexistent")
        self.assertEqual(done.returncode, 0, done.stderr)
        log = self.folder / "dev" / "Testing" / "Temporary" / "LastTest.log"
        log.parent.mkdir(parents=True)
        log.write_text(done.stdout, encoding="utf-8")
        listed = subprocess.run([ROOT / "tools" / "list_skips", "--known", self.folder / "dev"], capture_output=True, text=True,
                                check=False)
        self.assertEqual(listed.returncode, 1)
        self.assertIn("skipped rtl.test: Verilator is not installed (package verilator)", listed.stdout)
        self.assertIn("does not know why", listed.stderr)

    def test_without_verilator_nothing_else_passes(self):
        for what in ("lint", "mutants"):
            done = self.rtl(what, path="/nonexistent")
            self.assertEqual(done.returncode, 1, what)
            self.assertIn("Verilator is not installed", done.stderr)

    @unittest.skipUnless(shutil.which("verilator"), "there is no Verilator")
    def test_a_warning_fails(self):
        done = self.rtl("lint", "--rtl", self.copy("nexus_free.sv", "assign some_unused", "logic [3:0] nobody;\n  assign some_unused"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("nobody", done.stdout)

    @unittest.skipUnless(shutil.which("verilator"), "there is no Verilator")
    def test_waivers_are_counted(self):
        many = "// verilator lint_off WIDTH\n" * 11
        done = self.rtl("lint", "--rtl", self.copy("nexus_free.sv", "module", many + "module"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("13 warnings are waived, more than 10", done.stderr)

    @unittest.skipUnless(shutil.which("verilator"), "there is no Verilator")
    def test_a_fault_that_is_not_in_the_sources_is_named(self):
        done = self.rtl("mutants", "--rtl", self.copy("nexus_counts.sv", "stored == 4'd1", "4'd1 == stored"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("a task is ready one access too early", done.stderr)


if __name__ == "__main__":
    unittest.main()
