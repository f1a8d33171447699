#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Devices as the skerry command shows them: `info`, `--on hybrid`, `--on device:NAME`. Needs PoCL.

devices_test.py SKERRY [unittest arguments]
"""
import json
import sys
import unittest

import cases
from cases import KERNELS, command, skerry


class devices(command):
    def test_info_tells_the_devices(self):
        document = json.loads(skerry("info", "--json", SKERRY_DEVICES="emulated:memory=64M,emulated").stdout)
        self.assertEqual([(d["name"], d["memory"], d["used"], d["why_not"]) for d in document["devices"]],
                         [("emulated0", 64 << 20, True, ""), ("emulated1", 1 << 30, True, "")])
        text = skerry("info", SKERRY_DEVICES="emulated:memory=64M").stdout
        self.assertRegex(text, r"(?m)^devices +emulated0 +used: a thread of this machine with memory of its own \(skerry\), 64 MiB$")
        self.assertIn("devices   none: SKERRY_DEVICES=none\n", skerry("info", SKERRY_DEVICES="none").stdout)

    def test_info_tells_why_a_device_is_not_used(self):
        def reasons(**environment):
            return [d["why_not"] for d in json.loads(skerry("info", "--json", **environment).stdout)["devices"]]
        self.assertEqual(reasons(), ["it computes on this machine's processors; SKERRY_DEVICES=all takes it, too"])
        self.assertEqual(reasons(SKERRY_DEVICES="all"), [""])
        self.assertEqual(reasons(SKERRY_DEVICES="opencl9"), ["SKERRY_DEVICES does not name it"])
        self.assertEqual(reasons(OCL_ICD_VENDORS="/nowhere"), ["the OpenCL loader finds no driver (no ICD is installed)"])
        self.assertRegex(skerry("info", OCL_ICD_VENDORS="/nowhere").stdout, r"(?m)^devices +opencl +not used: the OpenCL loader finds no driver "
                         r"\(no ICD is installed\) \(packages ocl-icd-libopencl1 and pocl-opencl-icd\)$")
        self.expect_error(2, "SKERRY_DEVICES=gpu: not understood; auto, none, all, or a list", "info", SKERRY_DEVICES="gpu")

    def test_kernels_on_both_sides(self):
        for program in KERNELS:
            for devices in ("emulated", "emulated:speed=0.5:latency=20us", "opencl"):
                with self.subTest(program=program, devices=devices):
                    serial, threads, hybrid = self.rows(program, "serial", "threads", "hybrid", workers=2,
                                                        flags=("--devices", devices, "--device-memory", "private"))
                    self.assertEqual((serial["sides"], threads["sides"], hybrid["note"]), ([], [], ""))
                    workers, device = hybrid["sides"]
                    self.assertEqual((workers["name"], device["name"]), ("workers", devices.split(":")[0] + "0"))
                    n = 2 * (10000 if program == "array-add" else 100)
                    self.assertEqual(workers["iterations"] + device["iterations"], n)
                    self.assertGreater(workers["iterations"], 0)
                    self.assertGreater(device["iterations"], 0)
                    self.assertGreater(device["bytes_in"], 0)
                    self.assertEqual(device["bytes_out"], 4 * device["iterations"])
                    self.assertEqual((workers["bytes_in"], workers["bytes_out"]), (0, 0))

    def test_kernels_on_one_device(self):
        for device in ("emulated:latency=10us", "opencl0"):
            serial, alone = self.rows("knn", "serial", "device:" + device, flags=("--device-memory", "private"))
            self.assertEqual([s["iterations"] for s in alone["sides"]], [0, 200])
        self.expect_error(2, "skerry: options::devices (SKERRY_DEVICES) is 'opencl7': there is no usable opencl7; found: opencl0",
                          "run", "knn", "--size", "tiny", "--on", "device:opencl7")
        self.expect_error(2, "skerry: options::devices=gpu: not understood;", "run", "knn", "--size", "tiny", "--on", "device:gpu")

    def test_without_a_device_one_is_emulated(self):
        (hybrid,) = self.rows("array-add", "hybrid", flags=("--devices", "none"))
        self.assertEqual(hybrid["note"], "no device is usable here: this one is emulated")
        self.assertEqual([s["name"] for s in hybrid["sides"]], ["workers", "emulated0"])
        done = skerry("run", "array-add", "--size", "tiny", "--on", "hybrid", "--devices", "none")
        self.assertRegex(done.stdout, r"iterations of kernels in \d+ runs: workers: \d+; emulated0: \d+ \(\d+ bytes in, \d+ out\)\n")
        self.assertRegex(done.stdout, r"\n +no device is usable here: this one is emulated\n")


if __name__ == "__main__":
    cases.SKERRY = sys.argv.pop(1)
    unittest.main()
