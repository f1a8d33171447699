# SPDX-License-Identifier: Apache-2.0
"""The figures of one program through every floor: messages, tasks on other processes, `digits` on two executors, the
simulator, and dataflow tasks beside both OpenMP runtimes."""

import dataclasses
import json
import statistics

import gate
import measure
import table
from machine import OtherLoad
from rows import PEERS, SKERRY, Bound, Row

BEGIN, END = "<!-- slice: begin -->", "<!-- slice: end -->"
PEERS_OF_TASKS = [peer for peer in PEERS if peer.name in ("serial", "skerry", "openmp")]
RIVALS = ["libgomp", "libomp"]
WORKERS = (1, 2)
UNCHANGED = "The gates of fork and join: `tools/bench fork-join --gate`."

TASKS = [
    Row("chain of `inout` on one object", "dataflow", "ns/task", "chain", {"": 20_000}, repeat=15),
    Row("independent tasks, one `out` each", "dataflow", "ns/task", "independent", {"": 20_000}, repeat=15),
]
BOUNDS = [
    Bound("chain of `inout` on one object", 80.0, "<= 80 ns", workers=(1,)),
    Bound("chain of `inout` on one object", 150.0, "<= 150 ns", workers=(2,)),
]


@dataclasses.dataclass(frozen=True)
class Figure:
    """What one program says of one step, with the value that it must reach: at most a time, at least a rate or a ratio.
    A time and a rate count in the quietest round, since other work only ever makes them worse; a ratio, both sides of
    which other work falls on, as the median of all rounds."""

    name: str
    unit: str
    goal: float
    at_least: bool
    program: str = ""  # empty: it is computed here
    step: str = ""

    def counts(self, samples):
        if not self.unit:
            return statistics.median(samples)
        return max(samples) if self.at_least else min(samples)

    def holds(self, samples):
        return self.counts(samples) >= self.goal if self.at_least else self.counts(samples) <= self.goal

    def goal_text(self):
        return f"{'>=' if self.at_least else '<='} {self.goal:g}{' ' + self.unit if self.unit else ''}"


MESSAGE, REMOTE, SIMULATOR = "bench_message", "bench_remote", "bench_simulator"
RATE = "million instructions/s"
FIGURES = [
    Figure("64-byte message between processes, one way", "ns", 200, False, MESSAGE, "64-byte message, one way"),
    Figure("remote spawn + execute of an empty task", "us", 3, False, REMOTE, "remote spawn + execute of an empty task"),
    Figure("`digits` on two processes : two serial copies", "", 0.85, True),
    Figure("`digits` on two threads : two serial copies", "", 0.93, True),
    *(Figure(f"{kernel} simulated on {cores} of 4 cores", RATE, goal, True, SIMULATOR,
             f"{kernel} simulated on {cores} of 4 cores")
      for kernel, goal in (("nqueens(10)", 250), ("matmul(256)", 40)) for cores in (1, 4)),
]
TOGETHER = {"processes:2": FIGURES[2].name, "threads": FIGURES[3].name}

# Tiles of 144, all images: the least size whose tiles are of 128 or more.
DIGITS = ["run", "digits", "--size", "medium", "--json", "--repeat", 3, "--on"]


def parse_lines(text):
    """{step: its line} of a program that prints an object on each line."""
    lines = [json.loads(line) for line in text.splitlines() or [""]]
    if not all(isinstance(line, dict) and {"step", "unit", "median"} <= line.keys() for line in lines):
        raise ValueError("a line is no figure")
    return {line["step"]: line for line in lines}


def parse_row(text):
    """Seconds of `skerry run PROGRAM --on BACK_END --json`."""
    printed = json.loads(text)
    row = printed["rows"][0]
    if not printed["agree"] or not row["check"]["ok"]:
        raise ValueError(f"the result is wrong: {row['check']['text']}")
    return row["seconds"]


def ratio_to_copies(together, copies):
    """Speed of one run on two executors, in that of two serial copies side by side."""
    return 1 / together / sum(1 / seconds for seconds in copies)


def _digits(cli, say, turn):
    """{figure: ratio} of one round: two copies first, then each way to use two executors."""
    say(f"digits, round {turn}: two serial copies")
    both = [measure.Running([cli, *DIGITS, "serial"]) for _ in range(2)]
    copies = [copy.printed(parse_row) for copy in both]
    ratios = {}
    for back_end, name in TOGETHER.items():
        say(f"digits, round {turn}: {back_end}")
        run = measure.Running([cli, *DIGITS, back_end], measure.environment_for(1 if ":" in back_end else 2))
        ratios[name] = ratio_to_copies(run.printed(parse_row), copies)
    return ratios


def _figures(programs, rounds, say):
    samples, problems = {figure.name: [] for figure in FIGURES}, {}

    def attempt(names, what):
        if any(name in problems for name in names):
            return
        try:
            for name, value in what().items():
                samples[name].append(value)
        except measure.Failure as failure:
            problems.update({name: str(failure) for name in names})

    def steps_of(program):
        wanted = [figure for figure in FIGURES if figure.program == program]
        path = programs.figure(program)
        if path is None:
            raise measure.Failure(f"{program} was not built")
        printed = measure.Running([path]).printed(parse_lines)
        return {f.name: printed[f.step]["median"] for f in wanted if f.step in printed}

    def digits(turn):
        if programs.cli() is None:
            raise measure.Failure("the skerry command was not built")
        return _digits(programs.cli(), say, turn)

    for turn in range(1, rounds + 1):
        for program in (MESSAGE, REMOTE, SIMULATOR):
            say(f"{program}, round {turn} of {rounds}")
            attempt([f.name for f in FIGURES if f.program == program], lambda program=program: steps_of(program))
        attempt(list(TOGETHER.values()), lambda turn=turn: digits(turn))
    return [{"figure": figure.name, "samples": [] if figure.name in problems else samples[figure.name],
             "problem": problems.get(figure.name, "")} for figure in FIGURES]


def measured(programs, rounds, say):
    with OtherLoad() as load:
        figures = _figures(programs, rounds, say)
    return {"figures": figures, "other_load": round(load.processors, 3), "rounds": rounds, "missing": programs.missing,
            "rows": [measure.measure_row(row, workers, rounds, programs, say, PEERS_OF_TASKS)
                     for workers in WORKERS for row in TASKS]}


def evaluate(result):
    """A verdict per figure and per bound and column; what could not be measured fails."""
    known = {figure.name: figure for figure in FIGURES}
    verdicts = []
    for entry in result["figures"]:
        figure, samples = known[entry["figure"]], entry["samples"]
        if samples:
            verdicts.append(gate.Verdict(figure.name, 0, figure.holds(samples),
                                         f"{figure.counts(samples):.3g}, {figure.goal_text()}"))
        else:
            verdicts.append(gate.Verdict(figure.name, 0, False, entry["problem"] or "not measured"))
    for row in result["rows"]:
        verdicts += [gate.within(bound, row, column) for bound in BOUNDS
                     if bound.row == row["row"] and row["workers"] in bound.workers
                     for column in bound.columns if column not in result["missing"]]
    return verdicts


def _figure_line(entry):
    figure, samples = next(f for f in FIGURES if f.name == entry["figure"]), entry["samples"]
    if not samples:
        return f"| {figure.name} | {figure.unit} | - | - | {figure.goal_text()} | **not measured** |"
    middle = table.number(statistics.median(samples), figure.unit)
    return (f"| {figure.name} | {figure.unit} | {table.number(figure.counts(samples), figure.unit)} | {middle} "
            f"| {figure.goal_text()} | {'yes' if figure.holds(samples) else '**no**'} |")


def _task_line(row, missing):
    bounds = [b for b in BOUNDS if b.row == row["row"] and row["workers"] in b.workers]
    lost = table.losses(row, missing, rivals=RIVALS)
    verdicts = [gate.within(b, row, column) for b in bounds for column in b.columns if column not in missing]
    holds = "" if not verdicts else "yes" if all(v.passed for v in verdicts) else "**no**"
    cells = [table.cell(row, label) for label in SKERRY + RIVALS]
    return "| " + " | ".join([row["row"], str(row["workers"]), table.number(gate.serial(row), row["unit"]), *cells,
                              " ".join(b.says for b in bounds), holds,
                              f"**{', '.join(lost)}**" if lost else ""]) + " |"


def markdown(result):
    lines = ["| figure | unit | measured | median of rounds | goal | holds |", "|---|---|---|---|---|---|"]
    lines += [_figure_line(entry) for entry in result["figures"]]
    lines += ["", "| ns per task | workers | serial | " + " | ".join(SKERRY + RIVALS)
              + " | goal | holds | Skerry loses to |", "|---" * (len(SKERRY + RIVALS) + 6) + "|"]
    lines += [_task_line(row, result["missing"]) for row in result["rows"]]
    busiest = max([result["other_load"]] + [row["other_load"] for row in result["rows"]])
    lines += ["", f"{table.origin(result)} {result['rounds']} interleaved rounds. Times and rates: the quietest round; "
              "ratios: the median of all; tasks: the least of all samples, median in brackets. Other work on the "
              f"machine took up to {busiest:.2f} processors meanwhile. {UNCHANGED}"]
    for entry in result["figures"]:
        if entry["problem"]:
            lines += ["", f"Failed: {entry['figure']}: {entry['problem']}"]
    return "\n".join(lines + table.unmeasured(result)) + "\n"
