#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What stands in spec/ and what was generated from it agree; tools/generate notices when they do not, and refuses specs
that make no sense."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Generate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "spec").mkdir()
        self.spec = self.root / "spec" / "trace_events.toml"
        shutil.copy(ROOT / "spec" / "trace_events.toml", self.spec)
        self.words = self.root / "spec" / "nexus.toml"
        shutil.copy(ROOT / "spec" / "nexus.toml", self.words)

    def generate(self, *options, root=None):
        return subprocess.run([ROOT / "tools" / "generate", "--root", root or self.root, *options],
                              capture_output=True, text=True, check=False)

    def change(self, old, new):
        text = self.spec.read_text()
        self.assertIn(old, text)
        self.spec.write_text(text.replace(old, new, 1))

    def test_this_tree_is_up_to_date(self):
        done = self.generate("--check", root=ROOT)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_what_is_missing_or_out_of_date_is_named_and_written(self):
        done = self.generate("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("include/skerry/detail/trace/events.hpp: out of date", done.stdout)
        self.assertFalse((self.root / "docs").exists())
        self.assertEqual(self.generate().returncode, 0)
        self.assertEqual(self.generate("--check").returncode, 0)
        self.change('words = "steal"', 'words = "theft"')
        done = self.generate("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("docs/trace.md: out of date", done.stdout)
        self.assertEqual(self.generate().returncode, 0)
        self.assertIn("theft", (self.root / "docs" / "trace.md").read_text())

    def test_specs_that_make_no_sense(self):
        for old, new, text in (
                ("number = 2", "number = 1", "event ready: its name or its number is there twice"),
                ('name = "ready"', 'name = "spawn"', "event spawn: its name or its number is there twice"),
                ('shape = "instant"', 'shape = "point"', "event spawn: no shape 'point'"),
                ('closes = "wait"', 'closes = "spawn"', "event resume: it closes 'spawn', which is no such begin"),
                ('closes = "wait"', "", "event resume: 'closes' belongs to an end"),
                ('type = "choice"', 'type = "domain"', "event spawn: detail: 'words' belongs to a choice"),
                ('type = "code"', 'type = "float"', "event spawn: argument: no type 'float'"),
                ('type = "u16"', 'type = "u32"', "the fields of the record have 34 bytes, 'bytes' is 32"),
                ('meaning = "it runs again"', "", "event wake: 'meaning' is missing"),
                ("[record]", "[record", "generate: ")):
            shutil.copy(ROOT / "spec" / "trace_events.toml", self.spec)
            self.change(old, new)
            done = self.generate()
            self.assertEqual(done.returncode, 2, (new, done.stderr))
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_words_are_written_for_each_language(self):
        self.assertEqual(self.generate().returncode, 0)
        self.words.write_text(self.words.read_text().replace('name = "taskwait_on"', 'name = "waiter"', 1))
        done = self.generate("--check")
        self.assertEqual(done.returncode, 1)
        for path in ("src/deps/nexus/words.hpp", "rtl/rtl/nexus_words.sv", "docs/nexus.md"):
            self.assertIn(f"{path}: out of date", done.stdout)
        self.assertEqual(self.generate().returncode, 0)
        self.assertIn("bool waiter = false;", (self.root / "src/deps/nexus/words.hpp").read_text())
        self.assertIn("HeaderWaiterLsb = 60;", (self.root / "rtl/rtl/nexus_words.sv").read_text())
        self.assertIn("| | 60 | `waiter` |", (self.root / "docs/nexus.md").read_text())

    def test_words_that_make_no_sense(self):
        for old, new, text in (
                ("low = 48", "low = 47", "word header: field accesses: its bits are another's"),
                ("bits = 16", "bits = 17", "word ready: field id: its bits are another's, or not in the word"),
                ("inout = 3", "inout = 4", "word access: field mode: a value has more than 2 bits"),
                ('name = "access"', 'name = "header"', "word header: it is there twice"),
                ('name = "accesses"', 'name = "function"', "word header: field function: it is there twice"),
                ('word = "status"', 'word = "state"', "register new_status: no word 'state'"),
                ('access = "write"', 'access = "both"', "register new_task: no access 'both'"),
                ("offset = 0x10", "offset = 0x08", "register ready_task: its offset is another's"),
                ('meaning = "a count"', "", "word number: 'meaning' is missing")):
            shutil.copy(ROOT / "spec" / "nexus.toml", self.words)
            text_before = self.words.read_text()
            self.assertIn(old, text_before)
            self.words.write_text(text_before.replace(old, new, 1))
            done = self.generate()
            self.assertEqual(done.returncode, 2, (new, done.stderr))
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
