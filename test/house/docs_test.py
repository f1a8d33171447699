#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_docs accepts blocks that are cut from a program, mends those that differ, and rejects the rest, as it does
names of tests and links."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_docs"
PROGRAM = """// SPDX-License-Identifier: Apache-2.0
#include <vector>
int main() {
    // [loop]
    for (int i = 0; i < 3; ++i) {
        // [body]
        work(i);
        // [/body]
    }
    // [/loop]
}
"""
LOOP = "for (int i = 0; i < 3; ++i) {\n    work(i);\n}\n"
MARK = "<!-- example: docs/examples/p.cpp#loop -->\n"


def block(text, mark=MARK):
    return f"Text.\n\n{mark}```cpp\n{text}```\n\nMore text.\n"


class Docs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs" / "examples").mkdir(parents=True)
        (self.root / "docs" / "examples" / "p.cpp").write_text(PROGRAM)
        self.page = self.root / "docs" / "page.md"
        self.map = self.root / "README.md"
        self.map.write_text("[page](docs/page.md)\n")

    def check(self, text, *options):
        self.page.write_text(text)
        return subprocess.run([CHECK, "--root", self.root, *options], capture_output=True, text=True)

    def assert_broken(self, text, line, part):
        done = self.check(text)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith(f"docs/page.md:{line}: "), done.stdout)
        self.assertIn(part, done.stdout)

    def test_equal_blocks(self):
        whole = PROGRAM.split("\n", 1)[1]
        whole = "".join(line + "\n" for line in whole.splitlines() if "// [" not in line)
        for text in (block(LOOP), block("work(i);\n", MARK.replace("loop", "body")),
                     block(whole, "<!-- example: docs/examples/p.cpp -->\n"),
                     block("tbb::parallel_for();\n", "<!-- not-skerry: oneTBB -->\n"), "```sh\nmake run\n```\n"):
            with self.subTest(text):
                done = self.check(text)
                self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_a_block_that_differs(self):
        self.assert_broken(block(LOOP.replace("work", "play")), 4, "line 2 of the block is 'play(i);'")
        self.assert_broken(block(LOOP + "more();\n"), 4, "line 4 of the block is 'more();'")
        self.assert_broken(block("for (int i = 0; i < 3; ++i) {\n"), 4, "line 2 of the block is '', in docs/examples/p.cpp#loop it is 'work(i);'")

    def write_tests(self):
        """Tests `unit` and `unit_two`, by their own sources, `model_more` by a function and the objects of another,
        and `command`, a script."""
        for name, text in {
            "test/CMakeLists.txt": """# skerry_add_test(NAME gone SOURCES t.cpp)
                skerry_add_test(NAME unit SOURCES t.cpp $<TARGET_OBJECTS:test_child> LABELS unit)
                foreach(part one two)
                  set(source part_${part}.cpp)
                  skerry_add_test(NAME unit_${part} SOURCES ${source})
                endforeach()""",
            "test/model/CMakeLists.txt": """
                skerry_add_model_test(model_more 60 ${PROJECT_SOURCE_DIR}/test/model/m.cpp $<TARGET_OBJECTS:unit_one>)
                add_test(NAME command COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/c.py" "a \\"b\\"")""",
            "test/t.cpp": "TEST(Steals, AreFair) {}\nTEST_P(Growth,\n       DequesGrow) {}\n",
            "test/part_one.cpp": "TEST(Part, One) {}\n",
            "test/part_two.cpp": '#include "part_two.hpp"\nRC_GTEST_PROP(Part, Two, ()) {}\n',
            "test/part_two.hpp": "TYPED_TEST(Typed, Two) {}\n",
            "test/model/m.cpp": "TEST(deque, a_row) {}\n",
            "test/model/c.py": "class Command(unittest.TestCase):\n    def test_every_flag(self):\n",
        }.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def test_cases_that_tests_have(self):
        self.write_tests()
        for text in ("`unit: Steals.AreFair, Growth.*`\n", "`unit: AreFair, Deques*, Growth`\n", "`unit_two: Part.Two`\n",
                     "`unit_two: Typed.*`\n", "`model_more: a_row*, a_r…, Part.One`\n", "`command: every_flag`\n",
                     "`make: *** [all]`, `skerry: no word.`, `wait: …`\n"):
            with self.subTest(text):
                self.assertEqual(self.check(text).stdout, "")

    def test_a_case_that_no_test_has(self):
        self.write_tests()
        self.assert_broken("`unit: Steals.AreFair`\n`unit: Growth.*, Steals.AreQuick`\n", 2,
                           "unit has no case Steals.AreQuick")
        self.assert_broken("`unit: Groth.*`\n", 1, "unit has no case Groth.*")
        self.assert_broken("`unit: AreQuick`\n", 1, "unit has no case AreQuick")
        self.assert_broken("`command: no_flag`\n", 1, "command has no case no_flag")

    def test_a_case_of_another_test(self):
        self.write_tests()
        self.assert_broken("`unit_one: Steals.AreFair`\n", 1, "unit_one has no case Steals.AreFair")
        self.assert_broken("`unit_one: Two`\n", 1, "unit_one has no case Two")

    def test_a_test_that_is_not_there(self):
        self.write_tests()
        self.assert_broken("`gone: Steals.AreFair`\n", 1, "no test is called gone")

    def write_other_page(self):
        other = self.root / "src" / "README.md"
        other.parent.mkdir()
        self.map.write_text("[page](docs/page.md) [other](src/README.md)\n")
        other.write_text("# The `team`: who steals, [who](../docs/page.md) *sleeps* (or_not)\n\n## Über Größe #\n\n## Twice\n"
                         "## Twice\n\n```sh\n# no heading\n```\n\n[back](../docs/page.md#the-page) [up](#twice-1)\n")

    def test_links_that_lead_somewhere(self):
        self.write_other_page()
        page = "# The page\n\n"
        for text in ("[a](../src/README.md), ![b](../src), [c](examples/p.cpp \"title\")\n", "[a](/src/README.md)\n",
                     "[`code`\nin two lines](../src/README.md#the-team-who-steals-who-sleeps-or_not)\n",
                     "[a](../src/README.md#%C3%BCber-gr%C3%B6%C3%9Fe) [b](../src/README.md#twice-1) [c](#the-page)\n",
                     "[a](https://example.org/no#where) [b](mailto:nobody@example.org)\n",
                     "`[](gone.md)`, ``[a](`gone.md)``, `over\n[](gone.md) a line`\n",
                     "```sh\n[a](gone.md)\n```\n  ```\n  [a](gone.md)\n  ```\n", "| ` |\n| [a](page.md) |\n| ` |\n"):
            with self.subTest(text):
                done = self.check(page + text)
                self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_a_link_that_leads_nowhere(self):
        self.write_other_page()
        for text, line, link in (("[a](../src/README.md)\n[a](gone.md)\n", 2, "gone.md"),
                                 ("| ` |\n| [a](gone.md) |\n| ` |\n", 2, "gone.md"),
                                 ("`a`\n`b\nc`, [d\ne](/gone.md)\n", 4, "/gone.md"),
                                 ("```sh\nmake\n```\n[a](src/README.md#twice)\n", 4, "src/README.md#twice"),
                                 ("[a](../../README.md)\n", 1, "../../README.md")):
            with self.subTest(text):
                self.assert_broken(text, line, f"the link ({link}) leads to no file")

    def test_a_link_to_no_heading(self):
        self.write_other_page()
        for link in ("../src/README.md#thrice", "../src/README.md#twice-2", "../src/README.md#no-heading", "#twice",
                     "../src/README.md#Twice", "../src/README.md#", "../src#twice", "examples/p.cpp#twice"):
            with self.subTest(link):
                self.assert_broken(f"# The page\n\n[a]({link})\n", 3, f"the link ({link}) names no heading of")

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_links_of_every_page_that_git_keeps(self):
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        (self.root / ".gitignore").write_text("/build/\n")
        self.map.write_text("[page](docs/page.md) [src](src/README.md)\n")
        for folder in ("build", "src"):
            (self.root / folder).mkdir()
            (self.root / folder / "README.md").write_text("\n[a](gone.md)\n")
        done = self.check("")
        self.assertEqual(done.stdout, "src/README.md:2: the link (gone.md) leads to no file of this tree\n")

    def test_write_mends_it(self):
        done = self.check(block("old();\n"), "--write")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.page.read_text(), block(LOOP))

    def test_a_block_from_nowhere(self):
        self.assert_broken(block(LOOP, ""), 3, "without '<!-- example")
        self.assert_broken(block(LOOP, "<!-- example: docs/examples/q.cpp#loop -->\n"), 4, "no file docs/examples/q.cpp")
        self.assert_broken(block(LOOP, MARK.replace("loop", "knot")), 4, "no single section '// [knot]'")
        self.assert_broken(block(LOOP, "<!-- example: src/p.cpp -->\n"), 4, "not under docs/examples/")

    def test_a_mark_without_a_block(self):
        self.assert_broken(MARK + "Text.\n", 1, "no block of code follows")

    def test_our_own_code_is_not_exempt(self):
        self.assert_broken(block("skerry::fork();\n", "<!-- not-skerry: short -->\n"), 4, "names skerry")

    def test_a_block_that_is_never_closed(self):
        self.assert_broken("```cpp\nint x;\n", 1, "never closed")

    def test_the_readme_is_read_too(self):
        self.map.write_text("```cpp\nint x;\n```\n")
        done = self.check(block(LOOP))
        self.assertTrue(done.stdout.startswith("README.md:1: "), done.stdout)

    def words(self, count):
        return "Word" + " word" * (count - 1) + "."

    def test_a_sentence_too_long_to_read(self):
        for text in (self.words(35), f"| a | {self.words(35)} |\n", f"- {self.words(35)}\n- {self.words(4)}\n",
                     "```\n" + self.words(99) + "\n```\n", "# " + self.words(99), "Two `words of code` " + self.words(32),
                     f"Short. {self.words(35)} Short.", "x [words of a link](page.md) " + self.words(30)):
            with self.subTest(text):
                padded = text + "\n\nShort. So short. As short as can be.\n"
                self.assertEqual(self.check(padded).stdout, "")
        for text in (self.words(36), f"| a | {self.words(36)} |", f"- {self.words(36)}", "Two `words of code` " + self.words(34)):
            with self.subTest(text):
                self.assert_broken("Short.\n\nSo short.\n\n" + text, 5, "has 36 words, 35 are the most")

    def test_sentences_that_are_long_on_average(self):
        self.assertEqual(self.check(self.words(26) + " " + self.words(24)).stdout, "")
        self.assert_broken(self.words(26) + " " + self.words(25), 1, "has 25.5 words on average, 25 are the most")
        self.assert_broken(self.words(26) + "\n\n| Short. |\n", 1, "26.0 words on average")  # cells do not count there

    def test_which_pages_are_held_to_it(self):
        long = self.words(36) + " Short. So short.\n"
        for name, broken in (("docs/guide/a.md", True), ("docs/design/a.md", False), ("docs/errors.md", False),
                             ("src/README.md", True), ("src/a.md", False), ("CONTRIBUTING.md", True)):
            with self.subTest(name):
                path = self.root / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(long)
                self.map.write_text(f"[page](docs/page.md) [a]({name})\n")
                self.assertEqual(name in self.check("").stdout, broken)
                path.unlink()
        (self.root / "src" / "README.md").write_text("Short.\n\n## Protocol\n" + long)
        self.map.write_text("[page](docs/page.md) [a](src/README.md)\n")
        self.assertEqual(self.check("").stdout, "")

    def test_a_page_that_grows_too_long(self):
        self.map.write_text("[page](docs/page.md)\n" + "\n" * 149)
        self.assertEqual(self.check("").stdout, "")
        self.map.write_text("[page](docs/page.md)\n" + "\n" * 150)
        self.assertEqual(self.check("").stdout, "README.md:151: this page has 151 lines; it may have 150\n")

    def test_a_page_that_no_map_lists(self):
        self.map.write_text("[elsewhere](https://example.org/docs/page.md)\n")
        self.assertEqual(self.check("").stdout, "docs/page.md:1: no map links to this page (README.md here or under docs/)\n")
        (self.root / "docs" / "README.md").write_text("[page](page.md)\n")
        self.map.write_text("[map](docs/README.md)\n")
        self.assertEqual(self.check("").stdout, "")

    def test_a_page_of_the_guide_without_a_program(self):
        guide = self.root / "docs" / "guide"
        guide.mkdir()
        self.map.write_text("[page](docs/page.md) [loops](docs/guide/loops.md)\n")
        block = "<!-- example: docs/examples/p.cpp -->\n```cpp\n" + "\n".join(
            line for line in (self.root / "docs/examples/p.cpp").read_text().splitlines() if "SPDX" not in line) + "\n```\n"
        (guide / "loops.md").write_text(block)
        self.assertIn("docs/guide/loops.md:1: a page of the guide with C++ links", self.check("").stdout)
        (guide / "loops.md").write_text(block + "[p](../examples/p.cpp)\n")
        self.assertNotIn("a page of the guide", self.check("").stdout)

    def test_a_walk_with_a_function_that_is_gone(self):
        rows = "<!-- functions -->\n| what | function | file |\n|---|---|---|\n| it loops over `i` | {} | [p](examples/p.cpp) |\n"
        self.assertEqual(self.check(rows.format("`main`, `a::work()`")).stdout, "")
        self.assert_broken(rows.format("`mai`"), 4, "examples/p.cpp has no mai")
        self.assertEqual(self.check(rows.format("`mai`").replace("<!-- functions -->\n", "")).stdout, "")


if __name__ == "__main__":
    unittest.main()
