#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every message of the skerry command, as a whole line.

command_test.py SKERRY [unittest arguments]
"""
import gzip
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

SKERRY = ""


class Command(unittest.TestCase):
    def expect(self, status, message, *arguments, before=None, **environment):
        done = subprocess.run([SKERRY, *arguments], capture_output=True, text=True, timeout=240, check=False,
                              env={**os.environ, **environment}, preexec_fn=before)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (status, "", "skerry: " + message + "\n"))

    def test_words(self):
        self.expect(2, "there is no command 'frob'; the commands are info, launch, list, reproduce and run", "frob")
        self.expect(2, "A subcommand is required; see 'skerry --help'")
        self.expect(2, "PROGRAM is required; see 'skerry --help'", "run")
        self.expect(2, "there is no program 'cilk5-mn'; did you mean 'cilk5-mm'? 'skerry list' names them all", "run",
                    "cilk5-mn")

    def test_options(self):
        self.expect(2, "cilk5-nq takes no --input (it was 'x')", "run", "nq", "--input", "x")
        self.expect(2, "cilk5-nq takes neither --from nor --to", "run", "nq", "--from", "dog")
        self.expect(2, "cilk5-nq takes no --train (it was 9)", "run", "nq", "--train", "9")
        alone = "--input, --output, --from, --to, --train, --passes and --cores go with one program, not with 'all'"
        self.expect(2, alone, "run", "all", "--from", "dog")
        self.expect(2, alone, "run", "all", "--train", "9")
        self.expect(2, alone, "run", "all", "--cores", "2")
        self.expect(2, "digits takes one --input, not 2", "run", "digits", "--input", "a", "--input", "b")
        self.expect(2, "cilk5-nq takes no --cores (it was 2)", "run", "nq", "--cores", "2")

    def test_back_ends(self):
        self.expect(2, "--on goes with one program, not with 'all'", "run", "all", "--on", "serial")
        self.expect(2, "--on: there is no back end 'nonsense'; there are serial, threads, processes:N, mpi:N, sim:MACHINE, hybrid and "
                    "device:NAME", "run", "list", "--size", "tiny", "--on", "nonsense")
        self.expect(2, "--on hybrid: list has no kernels; 'skerry list' names the programs that have", "run", "list", "--size",
                    "tiny", "--on", "hybrid")
        for n in ("0", "65", "x", "", "2x", "-1"):
            self.expect(2, f"--on processes:{n}: the number of processes is 1 to 64", "run", "list", "--on", f"processes:{n}")
        done = subprocess.run([SKERRY, "run", "list", "--on", "processes:2"], capture_output=True, text=True, timeout=240,
                              check=False, env={**os.environ, "TMPDIR": "/proc"})
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertRegex(done.stderr, r"^skerry: cannot make a file like /proc/skerry-\w{6}: No such file or directory\n$")
        with tempfile.TemporaryDirectory() as folder:
            here = pathlib.Path(folder) / "skerry"  # without the simulator beside it
            shutil.copy(SKERRY, here)
            done = subprocess.run([here, "run", "list", "--on", "sim:tiny4-gwb"], capture_output=True, text=True,
                                  timeout=240, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", f"skerry: --on sim:tiny4-gwb: there is no {folder}/skerry-sim: this Skerry was built "
                                     "without its simulator\n"))

    def test_options_of_the_runtime(self):
        self.expect(2, "options::max_slots is 0; accepted is 1 to 65536", "run", "nq", "--max-slots", "0")
        self.expect(2, "SKERRY_PIN=perhaps: not understood; 1, true, yes, on, 0, false, no or off is accepted", "info",
                    SKERRY_PIN="perhaps")

    def test_a_vertex_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            graph = pathlib.Path(folder) / "graph"
            graph.write_text("0 1\n1 2\n")
            run = ("run", "bfs", "--input", str(graph), "--to", "2", "--from")
            self.expect(2, "--from: vertex 'dog' is not a whole number", *run, "dog")
            self.expect(2, "--from: vertex '3' is out of range: 0 to 2", *run, "3")
            graph.write_text("2 568770231\n")
            self.expect(2, "--from: no edge of the file has the vertex '3'", *run, "3")
            self.expect(2, "--from: vertex 'dog' is not a whole number", *run, "dog")

    @unittest.skipIf("SKERRY_SANITIZED" in os.environ, "a sanitizer's shadow memory does not fit any limit")
    def test_a_small_file_with_a_large_text(self):
        limit = 400 << 20
        with tempfile.NamedTemporaryFile() as file:
            file.write(gzip.compress(b"0 1\n" * (limit // 32 + 1), compresslevel=1))
            file.flush()
            for program in ("bfs", "digits"):
                self.expect(3, f"{file.name}: unpacked it is larger than {limit // 8} bytes, too much for the memory here; unpack "
                               "it with gunzip, and give the plain file", "run", program, "--input", file.name, "--workers", "1",
                            before=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    @unittest.skipIf("SKERRY_SANITIZED" in os.environ, "a sanitizer's shadow memory does not fit any limit")
    def test_too_little_memory(self):
        limit = 400 << 20
        self.expect(4, "out of memory; a smaller --size may do", "run", "mt", "--size", "paper", "--workers", "1",
                    before=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


if __name__ == "__main__":
    SKERRY = sys.argv.pop(1)
    unittest.main()
