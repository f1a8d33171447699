#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of systems: `skerry run systems`.

systems_test.py SKERRY [unittest arguments]
"""
import json
import os
import pathlib
import sys
import unittest

import cases
from cases import command, skerry

SHOWN = {
    "fork and join": r"^(tasks run by worker 0: \d+|no branch was stolen)",
    "dataflow": r"^tasks run by worker \d: [1-9]",
    "processes": r"^tasks run by process 0, worker 0: [1-9]\d*; .*process 1: [1-9]",
    "ranks": r"^tasks run by process 0, worker 0: [1-9]\d*; .*process 1: [1-9]",
    "events": r"^\d+ flows of [1-9]\d* packets",
    "kernels": r"^iterations on workers: [1-9]\d*; \w+: [1-9]\d*",
    "task manager": r"^tasks ordered by the manager: [1-9]\d*, by software: \d+$",
    "manycore": r"^[1-9]\d* cycles, simulated; \d+ cores ran \d+ tasks$",
    "several in one": r"^\d+ pictures; [1-9]\d* events, [1-9]\d* iterations on \w+ and [1-9]\d* on workers, [1-9]\d* tasks ordered by ",
}
ROWS = ["fork and join", "dataflow", "dataflow", "processes", "ranks", "events", "kernels", "task manager", "manycore",
        "several in one"]


class systems(command):
    def test_each_is_used_and_has_the_serial_result(self):
        done = skerry("run", "systems", "--size", "small", "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual([row["system"] for row in document["systems"]], ROWS)
        self.assertEqual(document["failed"], 0)
        for row in document["systems"]:
            with self.subTest(row["system"]):
                self.assertEqual(row["wrong"], "")
                if row["missing"]:
                    simulates = pathlib.Path(cases.SKERRY).with_name("skerry-sim").exists()
                    self.assertIn(row["system"], ["ranks"] if simulates else ["ranks", "manycore"])
                    continue
                self.assertRegex(row["shown"], SHOWN[row["system"]])
                self.assertEqual(row["rows"][0]["back_end"], "serial")
                self.assertEqual({r["digest"] for r in row["rows"]}, {row["rows"][0]["digest"]})
                self.assertRegex(row["command"], r"^skerry run [\w-]+ --size small --on serial,")

    def test_the_command_of_a_row_does_the_same(self):
        for row in json.loads(skerry("run", "systems", "--size", "tiny", "--json").stdout)["systems"]:
            if row["missing"]:
                continue
            environment = {}
            if row["system"] == "ranks": # what the MPI's libraries leak a sanitizer tells on standard error
                environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
            done = skerry(*row["command"].split()[1:], "--repeat", "1", "--json", **environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""), row["command"])
            self.assertEqual(json.loads(done.stdout)["rows"][-1]["digest"], row["rows"][-1]["digest"])

    def test_for_a_person(self):
        done = skerry("run", "systems", "--size", "tiny", XDG_CACHE_HOME="/nowhere", OCL_ICD_VENDORS="/nowhere")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^dataflow +ok, [0-9a-f]{16}; tasks run by .*\n +skerry run sparselu --size tiny --on "
                                      r"serial,threads$")
        self.assertRegex(done.stdout, r"(?m)^events +not run: /nowhere/skerry/captures: no captures; 'tools/setup run' fetches them")
        self.assertRegex(done.stdout, r"(?m)^kernels +ok, .*; no device is usable here: this one is emulated; opencl: the OpenCL loader "
                                      r"finds no driver \(no ICD is installed\) \(packages ocl-icd-libopencl1 and pocl-opencl-icd\)$")
        self.assertRegex(done.stdout, r"\n\d+ of 10 rows ran; each result is that of the serial elision\n$")

    def test_mistakes(self):
        for flags in (["--on", "serial"], ["--copies", "2"], ["--trace", "t.json"]):
            self.expect_error(2, "--on, --copies and --trace do not go with 'systems'\n", "run", "systems", *flags)
        self.expect_error(2, "--input, --output, --from, --to, --train, --passes and --cores go with one program, not with 'systems'", "run", "systems",
                          "--cores", "2")


if __name__ == "__main__":
    cases.SKERRY = sys.argv.pop(1)
    unittest.main()
