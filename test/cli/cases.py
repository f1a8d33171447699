# SPDX-License-Identifier: Apache-2.0
"""What tests of the skerry command share. Whoever runs them puts the command's path into SKERRY."""
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

SKERRY = ""
TABLE_III = [
    "cilk5-cs", "cilk5-lu", "cilk5-mm", "cilk5-mt", "cilk5-nq", "ligra-bc", "ligra-bf", "ligra-bfs", "ligra-bfsbv",
    "ligra-cc", "ligra-mis", "ligra-radii", "ligra-tc",
]
DATAFLOW = ["digits", "list", "mixed", "sparselu", "jacobi"]
EVENTS = ["packets"]
KERNELS = ["array-add", "knn"]
SEVERAL = ["motion"]
# What only the runtime can find wrong: that it does says that the flag has come there.
BEYOND = [
    (["--stack-size", "1K"], "skerry: options::stack_size is 1024; accepted is 131072 to "),
    (["--max-slots", "1"], "skerry: max_slots (SKERRY_MAX_SLOTS) is smaller than the number of threads needed\n"),
    (["--blocking-threads", "20000"], "skerry: options::blocking_threads is 20000; accepted is 0 to 16384\n"),
    (["--trace-memory", "100"], "skerry: options::trace_memory is 100; accepted is 4096 to "),
]
# A run that does not end before its threads have been looked at, and what as_the_flags_say() is to see of them.
LONG = ["--size", "paper", "--repeat", "1000", "--workers", "2", "--pin", "--stack-size", "37M", "--watchdog", "1000"]


def skerry(*arguments, before=None, **environment):
    return subprocess.run([SKERRY, *arguments], capture_output=True, text=True, timeout=240,
                          env={**os.environ, **environment}, preexec_fn=before, check=False)


def threads_of(process, name):
    """What the kernel tells of the threads of that name of a process, which may end meanwhile."""
    found = []
    for thread in (process / "task").iterdir():
        status = dict(line.split(":", 1) for line in (thread / "status").read_text().splitlines())
        if status["Name"].strip().startswith(name):
            found.append(status)
    return found


def as_the_flags_say(process):
    """Whether the one worker that the runtime of LONG starts, its stack and the watchdog are there."""
    try:
        pinned = [w["Cpus_allowed_list"].strip().isdecimal() for w in threads_of(process, "skerry worker")]
        watchdogs = threads_of(process, "skerry watchdog")
        mapped = [line.split()[:2] for line in (process / "maps").read_text().splitlines()]
    except OSError:
        return False
    sizes = [int(end, 16) - int(begin, 16) for begin, end in (where.split("-") for where, how in mapped if how == "rw-p")]
    # A sanitizer adds to a stack, and a guard page may count or not.
    return pinned == [True] and len(watchdogs) == 1 and any(abs(size - (37 << 20)) <= 1 << 20 for size in sizes)


class command(unittest.TestCase):
    def while_it_runs(self, seen, *arguments):
        """Runs the command, for long, until seen(processes) is true of the folders in /proc of its processes, the
        command first. Fails if it ends before."""
        with tempfile.TemporaryFile("w+") as said:
            running = subprocess.Popen([SKERRY, *arguments], stdout=subprocess.DEVNULL, stderr=said)
            try:
                folder = pathlib.Path("/proc", str(running.pid))
                while running.poll() is None:
                    try:
                        children = (folder / "task" / str(running.pid) / "children").read_text().split()
                    except OSError:
                        continue
                    if seen([folder, *(pathlib.Path("/proc", child) for child in children)]):
                        return
                    time.sleep(0.01)
                said.seek(0)
                self.fail(f"it ended with {running.returncode} and was not seen to do so: {said.read()}")
            finally:
                running.terminate()
                running.wait(timeout=60)

    def expect_error(self, status, text, *arguments, **more):
        done = skerry(*arguments, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("skerry: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(text, done.stderr)

    @staticmethod
    def of_each(workers, *back_ends):
        # A simulated machine has its own, and the serial elision none.
        own = all(b == "serial" or b.startswith("sim:") for b in back_ends)
        return [] if own else ["--workers", str(workers)]

    def with_simulator(self):
        if not pathlib.Path(SKERRY).with_name("skerry-sim").exists():
            self.skipTest("built without the simulator")

    def rows(self, program, *back_ends, size="tiny", repeat=1, workers=1, flags=()):
        done = skerry("run", program, "--size", size, "--repeat", str(repeat), *self.of_each(workers, *back_ends),
                      "--on", ",".join(back_ends), "--json", *flags)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        document = json.loads(done.stdout)
        self.assertIs(document["agree"], True)
        self.assertEqual([row["back_end"] for row in document["rows"]], list(back_ends))
        for row in document["rows"]:
            self.assertIs(row["check"]["ok"], True)
            self.assertRegex(row["digest"], r"^[0-9a-f]{16}$")
            self.assertEqual(row["digest"], document["rows"][0]["digest"])
            self.assertEqual(row["output"], document["rows"][0]["output"])
        return document["rows"]
