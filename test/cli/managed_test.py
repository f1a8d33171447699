#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dataflow programs of the skerry command whose tasks a task manager orders: `--task-manager nexus-model`.

managed_test.py SKERRY [unittest arguments]
"""
import sys
import unittest

import cases
from cases import command, skerry


class managed(command):
    def counts(self, program, workers, size="tiny"):
        serial, threads = self.rows(program, "serial", "threads", size=size, workers=workers,
                                    flags=("--task-manager", "nexus-model"))
        self.assertEqual((serial["managed_tasks"], serial["unmanaged_tasks"]), (0, 0))
        return threads["managed_tasks"], threads["unmanaged_tasks"]

    def test_almost_all_tasks_of_digits_are_managed(self):
        for workers in (1, 2, 4):
            by_manager, by_software = self.counts("digits", workers, size="small")
            self.assertGreater(by_manager, 100)
            self.assertGreaterEqual(by_manager, 0.95 * (by_manager + by_software))

    def test_what_the_manager_cannot_take_is_softwares(self):
        for workers in (1, 2, 4):
            self.assertEqual(self.counts("list", workers)[0], 0)  # its tasks name regions
            by_manager, by_software = self.counts("mixed", workers)
            self.assertGreater(by_manager, 0)
            self.assertGreater(by_software, 0)

    def test_the_variable_and_the_text(self):
        done = skerry("run", "digits", "--size", "tiny", "--repeat", "1", "--on", "serial,threads",
                      SKERRY_TASK_MANAGER="nexus-model")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\n +tasks ordered in 2 runs: [1-9]\d+ by the task manager, \d+ by software\n")
        self.assertNotIn("tasks ordered", skerry("run", "digits", "--size", "tiny", "--repeat", "1", "--on", "threads").stdout)

    def test_events_kernels_and_managed_tasks_in_one(self):
        for flags in ((), ("--cores", "1"), ("--devices", "emulated:speed=0.5"), ("--task-manager", "nexus-model")):
            serial, threads = self.rows("motion", "serial", "threads", workers=2, flags=flags)
            self.assertRegex(threads["check"]["text"], r"^8 pictures; 16 events, [1-9]\d* iterations on emulated0 and [1-9]\d* on "
                             r"workers, [1-9]\d* tasks ordered by the task manager and \d+ by software$")
            self.assertEqual(serial["check"]["text"], "8 pictures")
        done = skerry("run", "motion", "--size", "tiny", "--on", "processes:2")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("motion: it runs in one process, as its events and its task manager do\n", done.stderr)

    def test_processes_order_in_software(self):
        serial, processes = self.rows("digits", "serial", "processes:2", flags=("--task-manager", "nexus-model"))
        self.assertEqual((serial["managed_tasks"], processes["managed_tasks"]), (0, 0))

    def test_other_managers(self):
        for name in ("nexus", "nexus-faithful", "hardware"):
            self.expect_error(2, "--task-manager: ", "run", "digits", "--on", "threads", "--task-manager", name)
            self.expect_error(2, f"SKERRY_TASK_MANAGER={name}: not understood; software or nexus-model is accepted",
                              "run", "digits", "--on", "threads", SKERRY_TASK_MANAGER=name)


if __name__ == "__main__":
    cases.SKERRY = sys.argv.pop(1)
    unittest.main()
