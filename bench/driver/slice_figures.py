# SPDX-License-Identifier: Apache-2.0
"""The figures of one program through every floor: messages, tasks on other processes, `digits` on two executors and
with a trace, the simulator, and dataflow tasks beside both OpenMP runtimes."""

import dataclasses
import json
import pathlib
import tempfile

import gate
import measure
import table
from machine import OtherLoad
from rows import PEERS, SKERRY, Bound, Row

PEERS_OF_TASKS = [peer for peer in PEERS if peer.name in ("serial", "skerry", "openmp")]
RIVALS = ["libgomp", "libomp"]
WORKERS = (1, 2)

TASKS = [
    Row("chain of `inout` on one object", "dataflow", "ns/task", "chain", {"": 20_000}, repeat=15,
        statistic="median"),
    Row("independent tasks, one `out` each", "dataflow", "ns/task", "independent", {"": 20_000}, repeat=15,
        statistic="median"),
]
BOUNDS = [
    Bound("chain of `inout` on one object", 80.0, "<= 80 ns", workers=(1,)),
    Bound("chain of `inout` on one object", 150.0, "<= 150 ns", workers=(2,)),
]


@dataclasses.dataclass(frozen=True)
class Figure:
    """What one program says of one step, with the value that the median of all rounds must reach. The best round does
    not decide: that some round reached a goal says nothing of what a user gets."""

    name: str
    unit: str
    goal: float | None  # None: it says how far the others can be trusted
    at_least: bool = False
    program: str = ""  # empty: it is computed here
    step: str = ""

    def holds(self, middle):
        return middle >= self.goal if self.at_least else middle <= self.goal

    def goal_text(self):
        if self.goal is None:
            return ""
        return f"{'>=' if self.at_least else '<='} {self.goal:g}{' ' + self.unit if self.unit else ''}"


PROGRAMS = MESSAGE, REMOTE, TRACE, SIMULATOR = "bench_message", "bench_remote", "bench_trace", "bench_simulator"
RATE = "million instructions/s"
COPIES = "two serial copies"
INSTRUCTIONS = "instructions of `digits` on one worker, tiles of 64, with a trace : without a trace"
TOGETHER = {"processes:2": f"`digits` on two processes : {COPIES}", "threads": f"`digits` on two threads : {COPIES}"}
FIGURES = [
    Figure("64-byte message between processes, one way", "ns", 200, False, MESSAGE, "64-byte message, one way"),
    Figure("remote spawn + execute of an empty task", "us", 3, False, REMOTE,
           "remote spawn + execute of an empty task"),
    # Their times are left out above; were they many, that would be the time of those that were easy to send.
    Figure("such tasks that ran at home after all", "%", 1, False, REMOTE, "ran at home"),
    Figure("time in which the other process took none", "%", None, False, REMOTE, "took none"),
    Figure(TOGETHER["processes:2"], "", 0.85, True),
    Figure(TOGETHER["threads"], "", 0.93, True),
    *(Figure(f"`digits` on two threads, tiles of {side}, {how} : without a trace", "", goal, False, TRACE,
             f"digits, tiles of {side}, {step}")
      for side in (64, 144) for how, step, goal in (("with a trace", "traced", 1.02),
                                                    ("again without", "untraced again", None))),
    Figure(INSTRUCTIONS, "", 1.02),
    *(Figure(f"{kernel} simulated on {cores} of 4 cores", RATE, goal, True, SIMULATOR,
             f"{kernel} simulated on {cores} of 4 cores")
      for kernel, goal in (("nqueens(10)", 250), ("matmul(256)", 40)) for cores in (1, 4)),
]

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


def _digits(cli, say, turn):
    """{figure: ratio} of one round: the two copies and each way to use two executors, by turns."""
    seconds = {}
    for way in measure.by_turns([COPIES, *TOGETHER], turn):
        say(f"digits, round {turn}: {way}")
        if way == COPIES:
            running = [measure.Running([cli, *DIGITS, "serial"]) for _ in range(2)]
        else:
            running = [measure.Running([cli, *DIGITS, way], measure.environment_for(1 if ":" in way else 2))]
        seconds[way] = [run.printed(parse_row) for run in running]
    return {name: gate.ratio_to_copies(seconds[way][0], seconds[COPIES]) for way, name in TOGETHER.items()}


def _instructions(cli, say):
    """{figure: ratio}, the same in every round, by callgrind: what a trace costs where noise hides the time."""
    with tempfile.TemporaryDirectory() as folder:

        def counted(repeat, *more):
            say(f"instructions of digits: {repeat} runs {' '.join(map(str, more))}")
            return measure.instructions([cli, "run", "digits", "--size", "small", "--json", "--on", "threads",
                                         "--repeat", repeat, *more], parse_row)

        # Of four runs more: without what comes before and after. The picture of a ring that is full does not grow.
        traced = ["--trace", pathlib.Path(folder) / "trace", "--trace-memory", "4K"]
        return {INSTRUCTIONS: (counted(5, *traced) - counted(1, *traced)) / (counted(5) - counted(1))}


def kept_of(samples, problem):
    if problem or not samples:
        return {"problem": problem or "not measured"}
    return measure.summary(samples) | {"max": measure.digits(max(samples))}


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

    def command():
        if programs.cli() is None:
            raise measure.Failure("the skerry command was not built")
        return programs.cli()

    for turn in range(1, rounds + 1):
        for program in PROGRAMS:
            say(f"{program}, round {turn} of {rounds}")
            attempt([f.name for f in FIGURES if f.program == program], lambda program=program: steps_of(program))
        attempt(list(TOGETHER.values()), lambda turn=turn: _digits(command(), say, turn))
    attempt([INSTRUCTIONS], lambda: _instructions(command(), say))
    return [{"figure": figure.name} | kept_of(samples[figure.name], problems.get(figure.name, "")) for figure in FIGURES]


def measured(programs, rounds, say):
    with OtherLoad() as load:
        figures = _figures(programs, rounds, say)
    return {"figures": figures, "other_load": round(load.processors, 3), "rounds": rounds, "missing": programs.missing,
            "rows": [measure.measure_row(row, workers, rounds, programs, say, PEERS_OF_TASKS)
                     for workers in WORKERS for row in TASKS]}


def _tasks(result):
    """The rows of tasks with what counts now, whatever did when they were measured."""
    counts = {row.name: row.statistic for row in TASKS}
    return [row | {"statistic": counts[row["row"]]} for row in result["rows"]]


def evaluate(result):
    """A verdict per figure and per bound and column; what could not be measured fails."""
    known = {figure.name: figure for figure in FIGURES}
    verdicts = []
    for entry in result["figures"]:
        figure = known[entry["figure"]]
        if "problem" in entry:
            verdicts.append(gate.Verdict(figure.name, 0, False, entry["problem"]))
        elif figure.goal is not None:
            verdicts.append(gate.Verdict(figure.name, 0, figure.holds(entry["median"]),
                                         f"{entry['median']:.5g}, {figure.goal_text()}"))
    for row in _tasks(result):
        verdicts += [gate.within(bound, row, column) for bound in BOUNDS
                     if bound.row == row["row"] and row["workers"] in bound.workers
                     for column in bound.columns if column not in result["missing"]]
    return verdicts


def _shown(value, unit):
    """A ratio with a digit more: its goal may have two."""
    return table.number(value, unit) if unit else f"{value:.3f}"


def _figure_line(entry):
    figure = next(f for f in FIGURES if f.name == entry["figure"])
    if "problem" in entry:
        return f"| {figure.name} | {figure.unit} | - | - | {figure.goal_text()} | **not measured** |"
    middle, least, most = (_shown(entry[which], figure.unit) for which in ("median", "min", "max"))
    holds = "" if figure.goal is None else "yes" if figure.holds(entry["median"]) else "**no**"
    return f"| {figure.name} | {figure.unit} | {middle} | {least} to {most} | {figure.goal_text()} | {holds} |"


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
    lines = ["| figure | unit | median of rounds | least to most | goal | holds |", "|---|---|---|---|---|---|"]
    lines += [_figure_line(entry) for entry in result["figures"]]
    lines += ["", "| ns per task | workers | serial | " + " | ".join(SKERRY + RIVALS)
              + " | goal | holds | Skerry loses to |", "|---" * (len(SKERRY + RIVALS) + 6) + "|"]
    lines += [_task_line(row, result["missing"]) for row in _tasks(result)]
    busiest = max([result["other_load"]] + [row["other_load"] for row in result["rows"]])
    lines += ["", f"{result['rounds']} interleaved rounds; their median decides. Of tasks the least of all samples stands "
              "first, and in brackets their median, which decides. Other work on the machine took up to "
              f"{busiest:.2f} processors meanwhile. {table.origin(result)}"]
    for entry in result["figures"]:
        if "problem" in entry:
            lines += ["", f"Failed: {entry['figure']}: {entry['problem']}"]
    return "\n".join(lines + table.unmeasured(result)) + "\n"
