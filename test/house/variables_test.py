#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every variable that the tree reads is in the one table of them, and the library reads none but safely."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "src/base/variables.cpp"
FOLDERS = ("src", "include", "sim", "cli", "apps", "bench", "docs/examples", "test", "tools", ".ci")
READS = [re.compile(text) for text in (
    r'(?:getenv|\benvironment|\bread|\bwhole)\(\s*"(SKERRY_\w+)"',
    r'_variable = "(SKERRY_\w+)"',
    r'environ(?:\.get\(|\[)["\'](SKERRY_\w+)',
    r'["\'](SKERRY_\w+)["\'] (?:not )?in os\.environ')]


def files(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in (".cpp", ".hpp", ".py", "") and path != pathlib.Path(__file__).resolve():
                yield path, path.read_text(encoding="utf-8", errors="replace")


def unknown(names, text):
    known = set(re.findall(r'"(SKERRY_\w+)"', text))
    return sorted(n for n in names if n not in known)


class variables(unittest.TestCase):
    def test_all_that_are_read_are_known(self):
        found = {name for _, text in files(*FOLDERS) for expression in READS for name in expression.findall(text)}
        self.assertGreater(len(found), 15)
        table = TABLE.read_text(encoding="utf-8")
        self.assertEqual(unknown(found, table), [])
        self.assertEqual(unknown(found, table.replace('"SKERRY_PIN"', "")), ["SKERRY_PIN"])

    def test_who_calls_a_program_with_more_rights_is_not_obeyed(self):
        unsafe = re.compile(r"(?<!secure_)\bgetenv\(")
        self.assertEqual([str(path) for path, text in files("src", "include", "sim", "cli") if unsafe.search(text)], [])


if __name__ == "__main__":
    unittest.main()
