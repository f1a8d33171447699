#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The skerry command and MPI: `--on mpi:N`, and the command under mpirun.

command_test.py SKERRY [unittest arguments]
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SKERRY = ""
LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"],
    "mpich": ["mpirun.mpich"],
}
TCP = {"OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_pml": "ob1"}


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment}, check=False)


class Command(unittest.TestCase):
    def expect_rows(self, program, back_ends, *flags, **environment):
        done = run(SKERRY, "run", program, "--size", "small", "--repeat", "30", "--json", "--on", back_ends, *flags, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertTrue(report["agree"])
        for row in report["rows"]:
            ranks = re.fullmatch(r"mpi:(\d)", row["back_end"])
            if ranks:
                tasks = {e["name"].split(",")[0]: e["tasks"] for e in row["executors"]}
                self.assertEqual(sorted(tasks), [f"process {i}" for i in range(int(ranks[1]))], row)
                self.assertTrue(all(tasks.values()), tasks)
        return report

    def test_programs_equal_their_elision(self):
        for mpi in LAUNCHERS:
            for program in ("digits", "list", "mixed", "sparselu", "jacobi"):
                with self.subTest(mpi=mpi, program=program):
                    self.expect_rows(program, "serial,mpi:2", "--mpi", mpi)
            with self.subTest(mpi=mpi):
                self.expect_rows("digits", "serial,mpi:4", "--mpi", mpi)

    def test_over_tcp_alone(self):
        self.expect_rows("digits", "serial,mpi:2", SKERRY_MPI="openmpi", **TCP)

    def test_under_mpirun_it_prints_once(self):
        for mpi, launcher in LAUNCHERS.items():
            with self.subTest(mpi=mpi):
                done = run(*launcher, "-n", "2", SKERRY, "run", "digits", "--size", "small", "--repeat", "1")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.count("digits"), 1, done.stdout)

    def test_what_cannot_be(self):
        for flags, environment, said in (
                (["mpi:0"], {}, "--on mpi:0: the number of processes is 1 to 64"),
                (["mpi:x"], {}, "--on mpi:x: the number of processes is 1 to 64"),
                (["mpi:2", "--mpi", "off"], {}, "--on mpi:2: options::mpi (SKERRY_MPI, --mpi) is off"),
                (["mpi:2", "--mpi", "lam"], {}, "--on mpi:2: there is no MPI to do it with"),
                (["mpi:2"], {"PATH": "/none"}, "--on mpi:2: there is no MPI to do it with; openmpi: no mpirun (package openmpi-bin); "
                                               "mpich: no mpirun (package mpich)"),
                (["mpi:2"], {"OMPI_COMM_WORLD_SIZE": "2"}, "--on mpi:2: this is one of 2 processes that a launcher has started already; "
                                                           "leave --on out")):
            with self.subTest(flags=flags, environment=environment):
                done = run(SKERRY, "run", "digits", "--size", "small", "--on", *flags, **environment)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)

    def test_a_rank_that_fails(self):
        done = run(SKERRY, "run", "digits", "--size", "small", "--on", "mpi:2", SKERRY_MPI="/none/such.so/openmpi")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(" has ended with exit status ", done.stderr)
        self.assertIn(": a rank failed, or died; what was said of that stands above", done.stderr)

    def test_without_a_shared_object(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = os.path.join(folder, "skerry")
            shutil.copy(SKERRY, alone)
            if any(mpi["object"] for mpi in json.loads(run(alone, "info", "--json").stdout)["mpi"]):
                self.skipTest("an installed Skerry has shared objects")
            done = run(alone, "run", "digits", "--on", "mpi:2")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, f"there is no MPI to do it with; openmpi: no skerry-mpi-openmpi.so in {folder}, ")
            self.assertIn(" (package libopenmpi-dev, and build Skerry again); mpich: ", done.stderr)
            self.assertIn("mpich: no skerry-mpi-mpich.so in ", run(alone, "info").stdout)

    def test_info_says_what_there_is(self):
        done = run(SKERRY, "info")
        self.assertRegex(done.stdout, r"MPI       openmpi: /.*/skerry-mpi-openmpi\.so; /.*/mpirun.*\n          mpich: /.*/skerry-mpi-mpich\.so; /.*/mpirun.*\n")
        found = json.loads(run(SKERRY, "info", "--json").stdout)["mpi"]
        self.assertEqual([mpi["name"] for mpi in found], ["openmpi", "mpich"])
        self.assertTrue(all(os.path.exists(mpi["object"]) for mpi in found))


if __name__ == "__main__":
    SKERRY = os.path.realpath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
