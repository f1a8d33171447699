#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every message of the skerry command, as a whole line.

command_test.py SKERRY [unittest arguments]
"""
import os
import pathlib
import resource
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
        self.expect(2, "there is no command 'frob'; the commands are info, list and run", "frob")
        self.expect(2, "A subcommand is required; see 'skerry --help'")
        self.expect(2, "PROGRAM is required; see 'skerry --help'", "run")
        self.expect(2, "there is no program 'cilk5-mn'; did you mean 'cilk5-mm'? 'skerry list' names them all", "run",
                    "cilk5-mn")

    def test_options(self):
        self.expect(2, "cilk5-nq takes no --input (it was 'x')", "run", "nq", "--input", "x")
        self.expect(2, "cilk5-nq takes neither --from nor --to", "run", "nq", "--from", "dog")
        self.expect(2, "--input, --from and --to go with one program, not with 'all'", "run", "all", "--from", "dog")

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

    @unittest.skipIf("SKERRY_SANITIZED" in os.environ, "a sanitizer's shadow memory does not fit any limit")
    def test_too_little_memory(self):
        limit = 400 << 20
        self.expect(4, "out of memory; a smaller --size may do", "run", "mt", "--size", "paper", "--workers", "1",
                    before=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))


if __name__ == "__main__":
    SKERRY = sys.argv.pop(1)
    unittest.main()
