#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/errors.md is complete, and tools/check_errors would say so if it were not."""
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = "| message | when | what to do | test |\n|---|---|---|---|\n"
SOURCE = 'void f(int n) { throw std::logic_error("skerry: no room for " +\n    std::to_string(n) + " of "\n    "them"); }\n'
ROW = "| `skerry: no room for … of them` | | | `test/f_test.cpp` |\n"
TEST = 'EXPECT("skerry: no room for " "3 of " "them");\n'


def check(root):
    return subprocess.run([ROOT / "tools" / "check_errors", "--root", root], capture_output=True, text=True, check=False)


class Tree(unittest.TestCase):
    def test_this_one_is_complete(self):
        done = check(ROOT)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertNotIn("check_errors: 0 messages", done.stderr)


class Options(unittest.TestCase):
    def test_each_stands_in_tuning_with_all_its_spellings(self):
        variables = set(re.findall(r'"(SKERRY_\w+)"', (ROOT / "src/runtime/options.cpp").read_text()))
        self.assertIn("SKERRY_WORKERS", variables)
        header = (ROOT / "include/skerry/runtime.hpp").read_text()
        command = (ROOT / "cli/main.cpp").read_text()
        rows = {row[1]: row for row in re.findall(r"(?m)^\| `(\w+)` \| `(SKERRY_\w+)` \| `(--[\w-]+)`",
                                                  (ROOT / "docs/tuning.md").read_text())}
        self.assertEqual(set(rows), variables)
        for member, variable, flag in rows.values():
            with self.subTest(variable):
                self.assertRegex(header, rf"\b{member}( = [^;]+|{{}})?;\s*// {variable}\b")
                self.assertRegex(command, rf'"{flag}[",]')


class Broken(unittest.TestCase):
    def check(self, page=ROW, source=SOURCE, test=TEST):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in (("docs/errors.md", HEAD + page), ("src/f.cpp", source), ("test/f_test.cpp", test)):
                (root / path).parent.mkdir(exist_ok=True)
                (root / path).write_text(text)
            done = check(root)
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return done.stdout

    def test_a_complete_tree(self):
        self.assertEqual(self.check(), "")

    def test_a_message_that_is_not_listed(self):
        self.assertIn("src/f.cpp:1: unlisted: 'skerry: no room for'", self.check(page=""))
        for call in ('detail::fatal("no way")', 'static_assert(x, "no " "way")', 'panic_with("skerry: no way")',
                     'throw std::system_error(code, "no way")', 'text.fail(3, "no way")'):
            with self.subTest(call):
                self.assertEqual(self.check(source=SOURCE + call + ";\n").count("no way"), 1)

    def test_a_comment_is_no_message(self):
        self.assertEqual(self.check(source=SOURCE + '// throw error("no way")\n'), "")

    def test_a_message_that_nobody_gives_any_more(self):
        self.assertIn("docs/errors.md:4: stale: no source says 'skerry: no bed for'",
                      self.check(page=ROW + ROW.replace("room", "bed"), test=TEST + "skerry: no bed for"))

    def test_a_message_that_its_test_does_not_know(self):
        self.assertIn("docs/errors.md:3: untested: test/f_test.cpp does not contain 'of them'",
                      self.check(test=TEST.replace("them", "these")))
        self.assertIn("untested: no test file", self.check(page=ROW.replace("f_test", "g_test")))

    def test_a_row_of_another_form(self):
        self.assertIn("docs/errors.md:4: form", self.check(page=ROW + "| `skerry: no room` | when |\n"))


if __name__ == "__main__":
    unittest.main()
