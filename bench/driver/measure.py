# SPDX-License-Identifier: Apache-2.0
"""Runs the programs by turns and collects what they print."""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

import gate
from build import COMPILERS, ROOT
from machine import OtherLoad
from rows import PEERS, SKERRY

# Seconds; far more than any needs.
TIME_LIMIT = 300
ALL_PROGRAMS_TIME_LIMIT = 3600
# In a round: passes over all programs that take 3 to 300 ms and runs of each in a pass, and runs of a compiler. What
# disturbs a virtual machine lasts for seconds, which is all the runs of several programs in one pass.
PROGRAM_PASSES = 2
PROGRAM_RUNS = 3
COMPILE_RUNS = 10
FILES = ROOT / "bench" / "compile"
COMPILED = ("forks", "atomic")
ALGORITHMS = {"Skerry": "algorithms", "oneTBB": "algorithms_tbb"}
ALGORITHM_RUNS = 5
STEALS = ("steals_asked", "steals_granted", "steals_asymmetric")  # what is kept of a program's statistics


class Failure(Exception):
    pass


def digits(value):
    """What is kept of a measured number: five digits."""
    return float(f"{value:.5g}")


def summary(samples):
    """What is kept of samples."""
    return {"median": digits(statistics.median(samples)), "min": digits(min(samples)), "n": len(samples)}


class Running:
    """A program that prints JSON, begun now. A failure to do so, a wrong result and a time-out are all Failure."""

    def __init__(self, command, environment=None):
        self.name = os.path.basename(str(command[0]))
        try:
            self._process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, text=True, env=environment)
        except OSError as error:
            raise Failure(f"{self.name} cannot be run: {error.strerror}") from None

    def printed(self, parse, limit=TIME_LIMIT):
        """Waits for the end. parse: makes of the text what is returned; ValueError if the text is something else."""
        try:
            out, errors = self._process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            raise Failure(f"{self.name} did not end within {limit} s") from None
        status = self._process.returncode
        try:
            printed = parse(out)
        except json.JSONDecodeError:
            said = (errors.strip() or out.strip() or "nothing").splitlines()[-1]
            raise Failure(f"{self.name} ended with status {status} and said: {said}") from None
        except ValueError as wrong:
            raise Failure(f"{self.name}: {wrong}") from None
        if isinstance(printed, dict) and printed.get("check", "ok") != "ok":
            raise Failure(f"{self.name} computed a wrong result: {printed['check']}")
        if status != 0:
            raise Failure(f"{self.name} ended with status {status}")
        return printed


def run_json(command, environment=None, limit=TIME_LIMIT):
    """What a program prints that prints one object."""
    return Running(command, environment).printed(json.loads, limit)


def instructions(command, parse):
    """How many a program executes on one worker, by callgrind. parse: of what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        counts = pathlib.Path(folder) / "counts"
        Running(["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", *command],
                environment_for(1)).printed(parse)
        totals = re.search(r"^totals: (\d+)$", counts.read_text(), re.MULTILINE)
        if totals is None:
            raise Failure("callgrind counted nothing")
        return int(totals.group(1))


def environment_for(workers):
    count = str(workers)
    return os.environ | {"SKERRY_WORKERS": count, "OMP_NUM_THREADS": count, "RAYON_NUM_THREADS": count}


def by_turns(items, turn):
    """The order of a round: the one before, but what came first comes last. So none is always the first, which meets
    the machine as something else left it."""
    items = list(items)
    first = turn % len(items)
    return items[first:] + items[:first]


def measure_row(row, workers, rounds, programs, say, among=PEERS):
    """One pass runs every peer once, so that a slow minute of the machine falls on all of them."""
    samples, problems = {}, {}  # {column: those of each pass}
    passes = rounds * row.passes
    if row.program in programs.absent:
        problems = dict.fromkeys(SKERRY, programs.absent[row.program])
        passes = 0
    with OtherLoad() as load:
        for turn in range(passes):
            for peer in by_turns(row.peers(workers, among), turn):
                command = programs.command(peer, row.program)
                if command is None or peer.label in problems:
                    continue
                say(f"{row.name}, {workers} worker(s), pass {turn + 1} of {passes}: {peer.label}")
                size = row.sizes.get(peer.name, row.sizes.get(""))
                command += ["--workers", workers, "--repeat", row.repeat]
                command += ["--variant", row.variant] if row.variant else []
                command += ["--size", size] if size else []
                command += ["--copies", workers] if peer.side_by_side else []
                try:
                    printed = run_json(command, environment_for(workers))
                except Failure as failure:
                    problems[peer.label] = str(failure)
                    samples.pop(peer.label, None)
                    continue
                samples.setdefault(peer.label, []).append(printed["samples"])
    peers = {label: summary([sample for one in each for sample in one]) for label, each in samples.items()}
    reached = gate.reached_of_copies(workers, {label: [min(one) for one in each] for label, each in samples.items()})
    return {"row": row.name, "workers": workers, "unit": row.unit, "statistic": row.statistic,
            "other_load": round(load.processors, 3), "peers": peers, "problems": problems,
            "reached": {label: digits(share) for label, share in reached.items()}}


def together(passes):
    """The rows of one program, each of a pass over all of them, as one with the runs of all, in seconds. Of one that was
    left out in a pass no times are kept."""
    row = {name: passes[0][name] for name in ("program", "input", "problem") if name in passes[0]}
    if not all("skerry" in one for one in passes):
        return row
    for variant in ("serial", "skerry", "copies"):
        if variant in passes[0]:
            row[variant] = summary([seconds for one in passes for seconds in one[variant]["runs_s"]])
    row["statistics"] = {name: sum(one["statistics"][name] for one in passes) for name in STEALS}
    return row


def measure_programs(workers, cli, rounds, say):
    """The thirteen programs against their serial elision, as `skerry run all` times them: elision, Skerry and, on more
    than one worker, as many copies of the elision side by side, by turns."""
    copies = ["--copies", workers] if workers > 1 else []
    passes = []
    with OtherLoad() as load:
        for turn in range(rounds * PROGRAM_PASSES):
            say(f"the programs, {workers} worker(s), pass {turn + 1} of {rounds * PROGRAM_PASSES}")
            printed = run_json([cli, "run", "all", "--json", "--repeat", PROGRAM_RUNS, *copies],
                               environment_for(workers), ALL_PROGRAMS_TIME_LIMIT)
            passes.append([row for row in printed["rows"] if row["in_table_iii"]])
    return {"workers": workers, "other_load": round(load.processors, 3),
            "rows": [together(rows) for rows in zip(*passes, strict=True)]}


def processor_seconds(command):
    """User and system time of a command and what it starts."""
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as process:
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failure(f"{os.path.basename(command[0])} ended with status {process.returncode} and said: "
                      f"{(said.strip() or 'nothing').splitlines()[0]}")
    return used.ru_utime + used.ru_stime


def compilers():
    """(name, how it is called here) of those that are installed."""
    found = {name: next((spelled for spelled in spellings if shutil.which(spelled)), None)
             for name, spellings in COMPILERS.items()}
    return [(name, compiler) for name, compiler in found.items() if compiler is not None]


def compile_command(compiler, source, output=os.devnull):
    """As a user compiles it."""
    return [compiler, "-std=c++20", "-O2", "-c", "-I", ROOT / "include", "-o", output, FILES / f"{source}.cpp"]


def measure_compile(rounds, say):
    """{compiler: {"forks", "atomic": summary of the seconds}}: a file that forks once beside one that includes <atomic>
    alone, by turns, as a user compiles them."""
    samples = {}
    for name, compiler in compilers():
        samples[name] = {what: [] for what in COMPILED}
        for turn in range(rounds * COMPILE_RUNS + 1):
            for what in by_turns(COMPILED, turn):
                say(f"compiling with {name}, {turn} of {rounds * COMPILE_RUNS}: {what}")
                used = processor_seconds(compile_command(compiler, what))
                if turn > 0:  # the first reads the headers from the disk
                    samples[name][what].append(used)
    return {name: {what: summary(seconds) for what, seconds in of.items()} for name, of in samples.items()}


def text_bytes(object_file):
    """Of an object file: its code, its constants, and its tables for exceptions."""
    command = ["size", str(object_file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"size said: {(done.stderr.strip() or 'nothing').splitlines()[0]}")
    return int(done.stdout.splitlines()[1].split()[0])


def measure_algorithms(missing, say):
    """{compiler: {library: {"seconds": summary, "text": bytes}}}: the same ten loops, three reductions and a sort
    with Skerry and, unless it is missing, with oneTBB, by turns."""
    libraries = [library for library in ALGORITHMS if library not in missing]
    measured = {}
    for name, compiler in compilers():
        seconds, measured[name] = {library: [] for library in libraries}, {}
        with tempfile.TemporaryDirectory() as folder:
            for turn in range(ALGORITHM_RUNS + 1):
                for library in by_turns(libraries, turn):
                    say(f"compiling algorithms with {name}, {turn} of {ALGORITHM_RUNS}: {library}")
                    output = pathlib.Path(folder) / "object.o"
                    used = processor_seconds(compile_command(compiler, ALGORITHMS[library], output))
                    if turn > 0:  # the first reads the headers from the disk
                        seconds[library].append(used)
                        measured[name][library] = {"seconds": summary(seconds[library]), "text": text_bytes(output)}
    return measured
