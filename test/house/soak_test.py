#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/soak with stand-ins for the tests that it runs."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOAK = ROOT / "tools" / "soak"


def load():
    """The tool as a module, for what would take long as a program."""
    loader = importlib.machinery.SourceFileLoader("soak", str(SOAK))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("soak", loader))
    with mock.patch.object(sys, "dont_write_bytecode", True):
        loader.exec_module(module)
    return module


soak = load()


class Soak(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)

    def stand_in(self, name, body):
        path = self.build / soak.ALL[name][0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {name} >>{self.build}/calls\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def calls(self):
        log = self.build / "calls"
        return log.read_text(encoding="utf-8").split() if log.exists() else []

    def run_turns(self, turns, *names, minutes=None):
        """With a clock on which each run takes half a minute, and half a minute passes between two."""
        now = iter(range(0, 10**6, 30))  # it is read when a run is due, when it begins and when it has ended
        arguments = ["soak", "--minutes", str(1.5 * turns) if minutes is None else minutes, "--build", str(self.build), *names]
        said, complained = io.StringIO(), io.StringIO()
        with mock.patch.object(soak, "time", types.SimpleNamespace(monotonic=lambda: next(now))), \
                mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(said), \
                contextlib.redirect_stderr(complained):
            try:
                status = soak.main()
            except SystemExit as ended:
                status = ended.code
        return types.SimpleNamespace(returncode=status, stdout=said.getvalue(), stderr=complained.getvalue())

    def run_program(self, *names):
        return subprocess.run([SOAK, "--minutes", "0", "--build", self.build, *names], capture_output=True, text=True,
                              check=False)

    def test_each_program_is_one_of_a_test(self):
        for name, (program, _) in soak.ALL.items():
            path = pathlib.PurePath(program)
            registered = (ROOT / path.parent / "CMakeLists.txt").read_text(encoding="utf-8")
            self.assertRegex(registered, rf"(NAME|add_executable\() ?{re.escape(path.name)}\b", name)

    def test_all_is_well(self):
        self.stand_in("stress_constructs", "echo seed 12; echo first seed 7; echo seed 12; echo the seed 13")
        done = self.run_program("stress_constructs")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\Astress_constructs: well, \d+ s, seeds 12 7\n1 runs, 0 failed\n\Z")
        self.assertFalse((self.build / "soak").exists())

    def test_a_run_that_fails(self):
        self.stand_in("random_programs", "echo seed 5; echo wrong value >&2; exit 1")
        done = self.run_program("random_programs")
        log = self.build / "soak" / "random_programs.0.txt"
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertRegex(done.stdout, rf"\Arandom_programs: FAILED, see {re.escape(str(log))}, \d+ s, seeds 5\n"
                                      r"1 runs, 1 failed\n\Z")
        self.assertEqual(log.read_text(encoding="utf-8"), "seed 5\nwrong value\n")

    def test_a_run_that_dies(self):
        self.stand_in("random_programs", "echo seed 6; kill -ABRT $$")
        done = self.run_turns(1, "random_programs")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "random_programs: FAILED, .*, seeds 6\n")

    def test_a_run_that_does_not_end(self):
        self.stand_in("random_programs", "")
        late = subprocess.TimeoutExpired("random_programs", 1, output=b"seed 8\n")
        with mock.patch.object(soak.subprocess, "run", side_effect=late):
            done = self.run_turns(1, "random_programs")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "random_programs: FAILED, .*, seeds 8\n")
        self.assertEqual((self.build / "soak" / "random_programs.0.txt").read_text(encoding="utf-8"),
                         "seed 8\n\nit did not end\n")

    def test_a_long_one_runs_only_if_it_is_named(self):
        self.stand_in("event_flood", 'echo "seed ${SKERRY_STRESS_SECONDS}"')
        done = self.run_program("event_flood")
        self.assertRegex(done.stdout, r"\Aevent_flood: well, \d+ s, seeds 1000\n")
        self.assertNotIn("event_flood:", self.run_turns(2).stdout)

    def test_they_take_turns_and_the_others_go_on(self):
        names = ["stress_fork_join", "random_programs", "processes_tasks"]
        for name in names:
            self.stand_in(name, "exit 3" if name == "random_programs" else "")
        done = self.run_turns(5, *names)
        self.assertEqual(self.calls(), names + names[:2])
        self.assertEqual(done.returncode, 1)
        self.assertIn("5 runs, 2 failed\n", done.stdout)
        self.assertEqual(sorted(p.name for p in (self.build / "soak").iterdir()),
                         ["random_programs.1.txt", "random_programs.4.txt"])

    def test_without_names_all_that_are_built(self):
        for name in ("processes_tasks", "random_simulated"):
            self.stand_in(name, "")
        done = self.run_turns(2)
        self.assertEqual((done.returncode, self.calls()), (0, ["random_simulated", "processes_tasks"]))
        missing = sorted(set(soak.TESTS) - set(self.calls()))
        for name in missing:
            self.assertIn(f"{name}: not built in {self.build}\n", done.stdout)
        self.assertTrue(done.stdout.endswith(f"2 runs, 0 failed; not built: {', '.join(missing)}\n"), done.stdout)

    def test_the_time_of_a_turn_is_passed_on(self):
        self.enterContext(mock.patch.dict(os.environ))
        os.environ.pop("SKERRY_STRESS_SECONDS", None)
        for name, (_, seconds) in soak.TESTS.items():
            self.stand_in(name, 'echo "${SKERRY_STRESS_SECONDS-none}"; exit 1')
            self.run_turns(1, name)
            said = (self.build / "soak" / f"{name}.0.txt").read_text(encoding="utf-8").strip()
            self.assertEqual(said, str(soak.TURN_SECONDS / seconds) if seconds else "none", name)

    def test_nothing_to_run(self):
        done = self.run_program()
        self.assertEqual((done.returncode, done.stderr), (2, ""))
        self.assertIn(f"random_programs: not built in {self.build}\n", done.stdout)
        self.assertNotIn("0 failed", done.stdout)

    def test_one_of_those_named_is_not_built(self):
        self.stand_in("random_programs", "")
        done = self.run_turns(1, "random_programs", "random_simulated")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, f"random_simulated: not built in {self.build}\n")
        self.assertEqual(self.calls(), [])

    def test_a_name_of_no_test(self):
        done = self.run_turns(1, "random_program")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no test 'random_program'; there are: random_programs, ", done.stderr)

    def test_minutes_that_are_none(self):
        self.stand_in("random_programs", "")
        for minutes in ("soon", "-1", "nan", ""):
            done = self.run_turns(1, "random_programs", minutes=minutes)
            self.assertEqual(done.returncode, 2, minutes)
            self.assertIn(f"argument --minutes: '{minutes}' is no number of minutes", done.stderr)
        self.assertEqual(self.calls(), [])


if __name__ == "__main__":
    unittest.main()
