# SPDX-License-Identifier: Apache-2.0
"""The man page and the completion of the skerry command have what it says of itself.

manual_test.py SKERRY [unittest arguments]
"""
import pathlib
import re
import subprocess
import sys
import unittest

CLI = pathlib.Path(__file__).resolve().parents[2] / "cli"
SKERRY = ""


def said(*arguments):
    return subprocess.run([SKERRY, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout


def flags_of(command):
    """Those that its help has at the beginning of a line, but for the help itself."""
    lines = re.findall(r"^  (-.*)$", said(command, "--help"), re.M)
    found = {flag for line in lines for flag in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", line.split("  ")[0])}
    return found - {"-h", "--help"}


def commands():
    return re.findall(r"^  ([a-z]+) ", said("--help").split("Subcommands:")[1].split("\n\n")[0], re.M)


def completed(*words):
    script = (f"source '{CLI / 'completion' / 'skerry'}'; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _skerry; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.split()


class manual(unittest.TestCase):
    def test_every_command_and_flag_is_in_the_page(self):
        page = (CLI / "man" / "skerry.1").read_text().replace("\\-", "-")
        words = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", page))
        self.assertEqual(sorted(commands()), ["info", "launch", "list", "reproduce", "run"])
        for command in commands():
            self.assertRegex(page, rf"(?m)^\.B {command}$")
            self.assertLessEqual(flags_of(command), words, command)
        known = {flag for command in commands() for flag in flags_of(command)} | {"-h", "--help", "--version"}
        self.assertEqual(words - known, set(), "flags that no command has")

    def test_the_page_is_well_formed(self):
        text = (CLI / "man" / "skerry.1").read_text()
        requests = set(re.findall(r"(?m)^\.([A-Za-z]+)", text))
        self.assertLessEqual(requests, {"TH", "SH", "TP", "B", "I", "BI", "BR", "RI", "RB", "IR", "br", "PP", "nf", "fi"})
        self.assertEqual(text.count("\n.nf\n"), text.count("\n.fi\n"))


class completion(unittest.TestCase):
    def test_commands(self):
        self.assertEqual(set(completed(SKERRY, "")), {*commands(), "--help", "--version"})
        self.assertEqual(completed(SKERRY, "la"), ["launch"])

    def test_every_flag(self):
        for command in commands():
            self.assertEqual(set(completed(SKERRY, command, "-")), flags_of(command) | {"--help"}, command)

    def test_programs_and_values(self):
        self.assertEqual(completed(SKERRY, "run", "cilk5-l"), ["cilk5-lu"])
        self.assertIn("digits", completed(SKERRY, "run", ""))
        self.assertEqual(completed(SKERRY, "run", "digits", "--size", "t"), ["tiny"])
        self.assertEqual(completed(SKERRY, "run", "digits", "--on", "sim:tiny4-g"), ["sim:tiny4-gwb"])
        self.assertEqual(completed(SKERRY, "run", "digits", "--workers", ""), [])
        self.assertIn("true", completed(SKERRY, "launch", "tru"))


if __name__ == "__main__":
    SKERRY = sys.argv.pop(1)
    unittest.main()
