#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""skerry reproduce: the table, that it goes on where it was killed, and what it says when it cannot.

reproduce_test.py SKERRY [unittest arguments]
"""
import csv
import fcntl
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SKERRY = ""
CONFIGURATIONS = ["serial", "mesi", "hcc-gwt", "hcc-gwb", "dts-mesi", "hcc-dts-gwt", "hcc-dts-gwb"]


def reproduce(to, *more, command=None, before=None):
    return subprocess.run([command or SKERRY, "reproduce", "hcc-dts", "--to", str(to), *more], capture_output=True,
                          text=True, timeout=240, preexec_fn=before, check=False)


def quick(to, *more, **how):
    return reproduce(to, "--quick", "--programs", "cilk5-nq", *more, **how)


def rows(to):
    return {path.name: json.loads(path.read_text()) for path in sorted((to / "runs").glob("*.json"))}


class reproduction(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.to = pathlib.Path(self.folder.name) / "a" / "b"

    def test_the_table(self):
        done = quick(self.to)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.to / "table3-part.txt").read_text(), done.stdout)
        self.assertIn("64 tiny cores", done.stdout)
        self.assertIn("no DeNovo", done.stdout)
        self.assertIn("Every instruction fetch hits", done.stdout)
        self.assertIn("a store that misses blocks the core under MESI", done.stdout)
        self.assertIn("that a result was never published they cannot see", done.stdout)
        self.assertIn("larger for cilk5-lu (below).\n           No figure here is a reproduction: no big cores, ", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^cilk5-nq +[\d.]+ / 100 +[\d.]+ / 2\.93 +[\d.]+ / 1\.18 +[\d.]+ / 1\.09 "
                                      r"+[\d.]+ / - +[\d.]+ / 1\.52 +[\d.]+ / 1\.76  ok +0 +(no loss|lose: )")
        self.assertRegex(done.stdout, r"(?m)^cilk5-nq +10 queens, granularity 3 rows +10, granularity 3, pf +724 ")
        self.assertIn("7 of 7: cilk5-nq.", done.stderr)

        made = rows(self.to)
        self.assertEqual(sorted(made), sorted(f"cilk5-nq.{c}.0.json" for c in CONFIGURATIONS))
        with open(self.to / "table3-part.csv", encoding="utf-8") as file:
            table = {line["configuration"]: line for line in csv.DictReader(file)}
        self.assertEqual(list(table), CONFIGURATIONS)
        cycles = {c: made[f"cilk5-nq.{c}.0.json"]["cycles"] for c in CONFIGURATIONS}
        for c in CONFIGURATIONS:
            self.assertEqual(int(table[c]["cycles"]), cycles[c])
            self.assertEqual((table[c]["check"], table[c]["stale_reads"], table[c]["foreign_pages"]), ("ok", "0", "0"))
            self.assertGreater(int(table[c]["instructions"]), 0)
        self.assertAlmostEqual(float(table["mesi"]["ratio"]), cycles["serial"] / cycles["mesi"], places=3)
        self.assertAlmostEqual(float(table["hcc-gwb"]["ratio"]), cycles["mesi"] / cycles["hcc-gwb"], places=3)
        self.assertEqual((table["hcc-gwb"]["runtime"], table["hcc-dts-gwb"]["runtime"], table["serial"]["runtime"]),
                         ("Skerry locked", "Skerry by interrupt", "serial elision"))
        interrupts = {c: made[f"cilk5-nq.{c}.0.json"]["interrupts_sent"] for c in CONFIGURATIONS}
        self.assertEqual([c for c in CONFIGURATIONS if interrupts[c] != 0], CONFIGURATIONS[4:])

        self.assertIn("Between seeds a single cell moves by up to two fifths\n", done.stdout)

        # Nothing is run again; and what is, elsewhere, takes the same cycles.
        again = quick(self.to)
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, done.stdout, ""))
        elsewhere = self.to.parent / "c"
        self.assertEqual(quick(elsewhere, "--jobs", "1").stdout, done.stdout)
        self.assertEqual(rows(elsewhere), made)

        # A wrong result, a stale read, a row of another program.
        for change, status, mean, seen in (
                ({"check": {"ok": False, "text": "no"}}, 1, 0, r"  WRONG +0 (.*\n)*cilk5-nq on hcc-gwb, seed 0: WRONG: no\n"),
                ({"stale_reads": 3, "stale_sites": ["a:1 reads b:2"]}, 1, 0,
                 r"  ok +3 (.*\n)*cilk5-nq on hcc-gwb, seed 0: 3 stale reads\n  a:1 reads b:2\n"),
                ({"foreign_pages": 2}, 0, 1, r"\ncilk5-nq on hcc-gwb, seed 0: the system placed 2 pages, so its cycles may "),
                ({"made_by": "another", "cycles": 1}, 0, 1, r"  ok +0 ")):
            row = self.to / "runs" / "cilk5-nq.hcc-gwb.0.json"
            row.write_text(json.dumps({**made[row.name], **change}))
            changed = quick(self.to)
            self.assertEqual((changed.returncode, changed.stdout.count("\nmean of 1 ")), (status, mean))
            self.assertRegex(changed.stdout, seen)
            row.write_text(json.dumps(made[row.name]))

        # A loss begins at 1.02 times.
        row = self.to / "runs" / "cilk5-nq.dts-mesi.0.json"
        for thousandths, seen in ((1015, False), (1024, True)):
            row.write_text(json.dumps({**made[row.name], "cycles": cycles["mesi"] * thousandths // 1000}))
            self.assertEqual("mesi 1.02x" in quick(self.to).stdout, seen)
        row.write_text(json.dumps(made[row.name]))

        # A row file that lacks what is needed, or is another row's or another program's, is made anew.
        for name, text in (("hcc-gwb", json.dumps({"made_by": made["cilk5-nq.hcc-gwb.0.json"]["made_by"]})),
                           ("hcc-gwb", json.dumps({"made_by": 7})), ("hcc-gwb", "[]"), ("hcc-gwb", ""),
                           ("dts-mesi", json.dumps(made["cilk5-nq.mesi.0.json"])),
                           ("dts-mesi", json.dumps({**made["cilk5-nq.dts-mesi.0.json"], "program": "cilk5-mm"}))):
            (self.to / "runs" / f"cilk5-nq.{name}.0.json").write_text(text)
            mended = quick(self.to)
            self.assertEqual((mended.returncode, mended.stdout), (0, done.stdout))
            self.assertIn(f"1 of 1: cilk5-nq.{name}.0 ", mended.stderr)
            self.assertEqual(rows(self.to), made)

    def test_rows_of_another_machine(self):
        for path in ("bin", "share/skerry"):
            (pathlib.Path(self.folder.name) / path).mkdir(parents=True)
        command = shutil.copy(SKERRY, pathlib.Path(self.folder.name) / "bin")
        shutil.copy(pathlib.Path(SKERRY).with_name("skerry-reproduce"), pathlib.Path(self.folder.name) / "bin")
        machines = pathlib.Path(self.folder.name) / "share/skerry/machines"
        shutil.copytree(pathlib.Path(__file__).parents[2] / "machines", machines)
        done = quick(self.to, command=command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(quick(self.to, command=command).stderr, "")
        description = machines / "tiny-64.toml"
        description.write_text(description.read_text().replace("\ncycles = 10\n", "\ncycles = 20\n"))
        slower = quick(self.to, command=command)
        self.assertIn("7 of 7: cilk5-nq.", slower.stderr)
        self.assertNotEqual(slower.stdout, done.stdout)

    def test_seeds(self):
        done = quick(self.to, "--seeds", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2: medians; seed 0 is without noise", done.stdout)
        self.assertRegex(done.stdout, r"(?m)  ok +0 +[\d.]+ (no loss|lose: )")
        made = rows(self.to)
        self.assertEqual(len(made), 14)
        cycles = {c: sum(made[f"cilk5-nq.{c}.{seed}.json"]["cycles"] for seed in (0, 1)) // 2 for c in CONFIGURATIONS}
        self.assertRegex(done.stdout, rf"(?m)^cilk5-nq .* {cycles['serial'] / cycles['mesi']:.2f} / 2\.93 ")
        self.assertNotEqual(made["cilk5-nq.mesi.0.json"]["cycles"], made["cilk5-nq.mesi.1.json"]["cycles"])

    def test_killed_it_goes_on(self):
        with subprocess.Popen([SKERRY, "reproduce", "hcc-dts", "--quick", "--programs", "cilk5-nq", "--jobs", "1", "--to",
                               str(self.to)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as started:
            end = time.monotonic() + 120
            while not list(self.to.glob("runs/*.json")) and started.poll() is None and time.monotonic() < end:
                time.sleep(0.001)
            started.kill()
        kept = {path: path.stat().st_mtime_ns for path in self.to.glob("runs/*.json")}
        self.assertTrue(kept)
        done = quick(self.to)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(rows(self.to)), 7)
        self.assertEqual(list(self.to.glob("**/*.unfinished")), [])
        for path, written in kept.items():
            self.assertEqual(path.stat().st_mtime_ns, written, path)
        self.assertNotIn("7 of 7", done.stderr)

    def test_one_at_a_time(self):
        self.to.mkdir(parents=True)
        with open(self.to / "lock", "w", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.refused(4, f"reproduce: another skerry reproduce is at work in {self.to}", quick(self.to))
        self.assertEqual(rows(self.to), {})
        with subprocess.Popen([SKERRY, "reproduce", "hcc-dts", "--quick", "--programs", "cilk5-nq", "--jobs", "1", "--to",
                               str(self.to)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as first:
            first.stderr.readline()
            self.refused(4, f"reproduce: another skerry reproduce is at work in {self.to}", quick(self.to))
            first.communicate()
        self.assertEqual((first.returncode, len(rows(self.to))), (0, 7))

    def test_a_full_disk_loses_no_row(self):
        whole = quick(self.to)
        self.assertEqual(whole.returncode, 0)
        made = rows(self.to)
        (self.to / "runs" / "cilk5-nq.mesi.0.json").unlink()

        def full():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        done = quick(self.to, before=full)
        self.refused(4, f"reproduce: cannot write {self.to}/runs/probe.unfinished: File too large", done) # and nothing was run
        self.assertEqual(list(self.to.glob("**/*.unfinished")), [])
        left = rows(self.to)
        self.assertEqual(left, {name: row for name, row in made.items() if name != "cilk5-nq.mesi.0.json"})
        self.assertEqual(quick(self.to).returncode, 0)
        self.assertEqual(rows(self.to), made)
        done = quick(self.to, before=full) # the rows are there: so is the table, though not as a file
        self.assertEqual((done.returncode, done.stdout), (4, whole.stdout))
        self.assertEqual(done.stderr, f"skerry: reproduce: cannot write {self.to}/table3-part.txt.unfinished: File too large\n")

    def refused(self, status, text, done):
        self.assertEqual((done.returncode, done.stdout, done.stderr), (status, "", f"skerry: {text}\n"))

    def test_what_it_refuses(self):
        self.refused(2, "reproduce: hcc-dts exists only as --quick so far: small inputs, on tiny cores alone",
                     reproduce(self.to))
        self.refused(2, "reproduce: Table III has no program 'digits'; 'skerry list' names its thirteen",
                     reproduce(self.to, "--quick", "--programs", "cilk5-nq,digits"))
        done = subprocess.run([SKERRY, "reproduce", "openem", "--quick"], capture_output=True, text=True, check=False)
        self.refused(2, "reproduce: there is no experiment 'openem'; there is hcc-dts", done)
        self.assertFalse(self.to.exists())
        file = pathlib.Path(self.folder.name) / "file"
        file.write_text("")
        self.refused(4, f"reproduce: cannot make the folder {file}/x: Not a directory", quick(file / "x"))

    def test_without_what_runs_programs_and_with_one_that_fails(self):
        beside = pathlib.Path(self.folder.name) / "bin"
        beside.mkdir()
        command = shutil.copy(SKERRY, beside / "skerry")
        done = quick(self.to, command=command)
        self.refused(4, f"reproduce: there is no {beside}/skerry-reproduce, which runs the programs on simulated cores; "
                        "'make reproduce' builds it, and 'make install' installs it", done)
        runner = beside / "skerry-reproduce"
        runner.write_text("#!/bin/sh\nexit 3\n")
        runner.chmod(0o755)
        done = reproduce(self.to, "--quick", command=command)
        self.assertEqual((done.returncode, done.stdout.count("a run has failed;")), (4, 13))
        self.assertEqual((self.to / "table3.txt").read_text(), done.stdout)
        done = quick(self.to, command=command)
        self.assertEqual(done.returncode, 4)
        self.assertEqual(done.stderr.count("has failed (exit status 3)"), 7)
        self.assertIn("cilk5-nq     a run has failed; what was said stands on standard error\n", done.stdout)
        self.assertEqual((self.to / "table3.txt").read_text().count("a run has failed;"), 13) # a part does not replace it
        runner.write_text("#!/bin/sh\necho 'skerry-reproduce: cannot write it: no room' >&2\nexit 5\n") # begins no more
        done = quick(self.to, "--jobs", "1", command=command)
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertRegex(done.stderr, r"^skerry-reproduce: cannot write it: no room\n"
                                      r"skerry: reproduce: cilk5-nq\.[a-z-]+\.0 could not write its row, see above\n$")
        runner.write_text("#!/bin/sh\nfor to; do :; done\necho nothing > \"$to\"\n")
        done = quick(self.to, command=command)
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"skerry: reproduce: .*/runs/cilk5-nq\.[a-z-]+\.0\.unfinished is not a row\n$")

    def test_what_runs_programs_says_what_it_cannot(self):
        runner = pathlib.Path(SKERRY).with_name("skerry-reproduce")
        for words, text in ((["tiny-65", "cilk5-nq"], "there is no description of a machine 'tiny-65'; there are "),
                            (["tiny-64/dnv", "cilk5-nq"], "there is no configuration 'dnv'; there are "),
                            (["tiny-64", "digits"], "PROGRAM: digits not in {")):
            done = subprocess.run([runner, *words], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("skerry-reproduce: ", done.stderr)
            self.assertIn(text, done.stderr)
        row = pathlib.Path(self.folder.name) / "no" / "row"
        done = subprocess.run([runner, "tiny4-mesi", "cilk5-nq", "--size", "tiny", "--row-to", row], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (5, f"skerry-reproduce: cannot write {row}: No such file or directory\n"))


if __name__ == "__main__":
    SKERRY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
