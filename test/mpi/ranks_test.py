#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program as ranks of both MPIs: that it works, and what is said when it cannot.

ranks_test.py PROGRAM ANOTHER_PROGRAM FOLDER_OF_OBJECTS [unittest arguments]
"""
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ANOTHER = FOLDER = ""
LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"],
    "mpich": ["mpirun.mpich"],
}
LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}
OTHER = {"openmpi": "mpich", "mpich": "openmpi"}


def object_of(mpi):
    return str(pathlib.Path(FOLDER) / f"skerry-mpi-{mpi}.so")


def ranks(mpi, *command, limit=60, **environment):
    """What `mpirun COMMAND` said and returned. That it ends is a part of every test."""
    environment = {**os.environ, "SKERRY_MPI": object_of(mpi), **environment}
    return subprocess.run([*LAUNCHERS[mpi], *command], capture_output=True, text=True, timeout=limit, env=environment, check=False)


def left_behind():
    """Processes of these tests that are still there."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and os.readlink(folder / "exe") in (PROGRAM, ANOTHER):
                found.append(folder.name)
        except OSError:
            pass
    return found


def of_both(test):
    """Of each MPI a case of its own."""
    @functools.wraps(test)
    def cases(self):
        for mpi in LAUNCHERS:
            with self.subTest(mpi=mpi):
                test(self, mpi)
    return cases


class Ranks(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(left_behind(), [])

    def expect_failure(self, done, *pieces):
        """That it failed, and said these pieces in their order."""
        self.assertNotEqual(done.returncode, 0, done.stderr)
        said = done.stdout + done.stderr
        self.assertRegex(said, "(?s)" + ".*".join(re.escape(piece) for piece in pieces))

    @of_both
    def test_every_rank_runs_tasks(self, mpi):
        for n in (2, 4):
            with tempfile.TemporaryDirectory() as folder:
                done = ranks(mpi, "-n", str(n), PROGRAM, "tasks", f"{folder}/", SKERRY_WORKERS="1")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("the sum is 192000\n", done.stdout)
            for process in range(1, n):
                self.assertRegex(done.stdout, rf"process {process} ran [1-9]\d* tasks")
            self.assertEqual(done.stdout.count("the sum"), 1)

    def test_one_rank_and_no_launcher_open_no_mpi(self):
        for mpi in LAUNCHERS:
            done = ranks(mpi, "-n", "1", PROGRAM, "tasks", SKERRY_MPI="/none/such.so")
            self.assertIn("the sum is 192000\n", done.stdout, done.stderr)
        done = subprocess.run([PROGRAM, "tasks"], capture_output=True, text=True, check=False, env={**os.environ, "SKERRY_MPI": "/none"})
        self.assertIn("the sum is 192000\n", done.stdout, done.stderr)

    @of_both
    def test_off_runs_the_ranks_one_by_one(self, mpi):
        done = ranks(mpi, "-n", "2", PROGRAM, "tasks", SKERRY_MPI="off")
        self.assertEqual(done.stdout.count("the sum is 192000\n"), 2, done.stderr)

    def test_a_choice_that_is_none(self):
        done = subprocess.run([PROGRAM, "tasks"], capture_output=True, text=True, check=False, env={**os.environ, "SKERRY_MPI": "lam"})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "skerry: options::mpi (SKERRY_MPI) is lam; accepted is automatic, openmpi, mpich, off, "
                                      "or the path of a shared object\n")

    @of_both
    def test_no_object(self, mpi):
        self.expect_failure(ranks(mpi, "-n", "2", PROGRAM, "tasks", SKERRY_MPI="automatic"),
                            "skerry: the launcher of ", " has started 2 ranks, but there is no ", f"skerry-mpi-{mpi}.so in /",
                            ": build Skerry with this MPI's compiler (package lib",
                            "), or name one by SKERRY_MPI; SKERRY_MPI=off runs the ranks one by one")
        self.expect_failure(ranks(mpi, "-n", "2", PROGRAM, "tasks", SKERRY_MPI="/none/such.so"),
                            " ranks, but ", "/none/such.so cannot be opened: ", "No such file")

    def test_not_an_object(self):
        with tempfile.TemporaryDirectory() as folder:
            source, built = pathlib.Path(folder, "a.c"), pathlib.Path(folder, "a.so")
            source.write_text("int nothing;\n")
            subprocess.run(["cc", "-shared", "-fPIC", "-o", built, source], check=True)
            for mpi in LAUNCHERS:
                self.expect_failure(ranks(mpi, "-n", "2", PROGRAM, "tasks", SKERRY_MPI=str(built)),
                                    "is not a shared object of this version of Skerry")

    @of_both
    def test_another_mpis_object(self, mpi):
        self.expect_failure(ranks(mpi, "-n", "2", PROGRAM, "tasks", SKERRY_MPI=object_of(OTHER[mpi])),
                            " says rank ", " of 2, but ", " says rank 0 of 1", ": they belong to different MPIs; look at SKERRY_MPI")

    @of_both
    def test_different_programs(self, mpi):
        self.expect_failure(ranks(mpi, "-n", "1", PROGRAM, "tasks", ":", "-n", "1", ANOTHER, "tasks"),
                            "skerry: the processes run different programs: rank 1 on ", " has ", ", rank 0 on ", " has ")

    @of_both
    def test_no_common_arena(self, mpi):
        limited = 'if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ]; then ulimit -v 1090000; fi; exec "$0" tasks'
        self.expect_failure(ranks(mpi, "-n", "2", "sh", "-c", limited, PROGRAM),
                            "skerry: no address is free for the arena in all processes; rank 0 on ", ", rank 1 on ",
                            " could reserve none")

    @of_both
    def test_a_rank_that_dies(self, mpi):
        with tempfile.TemporaryDirectory() as folder:
            done = ranks(mpi, "-n", "3", PROGRAM, "die", f"{folder}/", SKERRY_WORKERS="1")
        self.expect_failure(done, "ignal 9")
        self.assertNotIn("the sum", done.stdout)

    @of_both
    def test_the_first_exits_inside_run(self, mpi):
        ranks(mpi, "-n", "2", PROGRAM, "exit") # the MPIs differ in whether that is an error

    @of_both
    def test_a_rank_that_ends_before_it_joins(self, mpi):
        with tempfile.TemporaryDirectory() as folder:
            done = ranks(mpi, "-n", "2", PROGRAM, "early", f"{folder}/process")
        self.expect_failure(done, "skerry: not all 2 ranks came within 2000 ms (this is rank 0 on ",
                            "); did one end before it came to run() of a skerry::runtime?")

    @of_both
    def test_a_program_that_starts_mpi_itself(self, mpi):
        self.expect_failure(ranks(mpi, "-n", "2", PROGRAM, "own", LIBRARIES[mpi]),
                            "skerry: the program has started MPI itself, and one process cannot do so twice; say "
                            "SKERRY_MPI=off, or leave MPI to Skerry")

    def test_an_idle_rank_sleeps(self):
        with tempfile.TemporaryDirectory() as folder:
            for mpi in LAUNCHERS:
                done = ranks(mpi, "-n", "2", PROGRAM, "idle", f"{folder}/{mpi}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLessEqual(float(re.findall(r"[\d.]+", done.stdout)[0]), 0.05)


if __name__ == "__main__":
    PROGRAM, ANOTHER, FOLDER = (os.path.realpath(word) for word in sys.argv[1:4])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
