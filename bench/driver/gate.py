# SPDX-License-Identifier: Apache-2.0
"""Whether a measured result holds its gate."""

import dataclasses
import math
import statistics

from rows import (ALGORITHMS_ROW, ALGORITHMS_SECONDS, ALGORITHMS_TEXT, BOUNDS, COMPILE_ROW, COMPILE_SECONDS, COPIES, DECIDING, EFFICIENCY_OF_MANY, ELISIONS, MANY, NOTHING,
                  OPTIMUM_SLACK, PROGRAM_OF_COPIES, PROGRAMS_MEAN, PROGRAMS_OF_COPIES, PROGRAMS_WORST, ROWS, SERIAL, SKERRY)


@dataclasses.dataclass(frozen=True)
class Verdict:
    row: str
    workers: int  # 0: the row has no such number
    passed: bool
    says: str
    found: str = ""  # the figure alone, where the row has a goal of its own beside those against rivals
    goal: str = ""


def value(measured, label):
    """What counts of a column in a row of the result, or None if it was not measured."""
    column = measured["peers"].get(label)
    return None if column is None else column[measured["statistic"]]


def least(measured, labels):
    values = [v for v in (value(measured, label) for label in labels) if v is not None]
    return min(values) if values else None


def serial(measured):
    return least(measured, SERIAL)


def ratio(of, to):
    """None where there is nothing to divide by."""
    return of / to if of is not None and to else None


def ratio_to_copies(together, copies):
    """Speed of one run on several executors, in that of serial copies side by side, given the seconds of each."""
    return 1 / together / sum(1 / seconds for seconds in copies)


def reached_of_copies(workers, passes):
    """{column: what it reaches of the serial copies, those of the faster compiler}, empty where none were measured.
    passes: {column: its least of each pass}. It is the median over the passes, each of which gives a ratio. As many
    copies of the elision as there are workers do so many times the work."""
    copies = [passes[peer.label] for peer in COPIES if peer.label in passes]
    if not copies:
        return {}
    faster, elisions = min(copies, key=statistics.median), [peer.label for peer in ELISIONS]
    return {column: statistics.median(ratio_to_copies(ours / (workers if column in elisions else 1), [theirs] * workers)
                                      for ours, theirs in zip(passes[column], faster, strict=True))
            for column in SKERRY + elisions if column in passes}


def of_copies(measured, column):
    """What a column reaches of the serial copies, or None if either was not measured."""
    return measured["reached"].get(column)


def beside_copies(row, measured, column):
    found = of_copies(measured, column)
    if found is None:
        return Verdict(row.name, measured["workers"], False, f"{column}: no serial copies side by side were measured")
    return Verdict(row.name, measured["workers"], found >= row.of_copies,
                   f"{column} reaches {found:.3f} of serial copies side by side, >= {row.of_copies}",
                   f"{found:.3f}", f">= {row.of_copies} of serial copies side by side")


def _against(row, measured, column, rival):
    ours, theirs = value(measured, column), value(measured, rival)
    if theirs is None:
        return None
    if row.unit == "CPUs" and ours < NOTHING and theirs < NOTHING:
        passed = row.at_optimum or ours < theirs
    elif row.at_optimum:
        passed = ours <= OPTIMUM_SLACK * theirs
    else:
        passed = ours < theirs
    limit = f"<= {OPTIMUM_SLACK}" if row.at_optimum else "< 1"
    found = ratio(ours, theirs)
    shown = f"{found:.3f}" if found is not None else f"{ours:.4f} to 0"
    return Verdict(row.name, measured["workers"], passed, f"{column} / {rival} = {shown}, {limit}")


def unmeasured(row, measured, column):
    return Verdict(row, measured["workers"], False, f"{column}: {measured['problems'].get(column, 'not measured')}")


def within(bound, measured, column):
    ours = value(measured, column)
    if ours is None:
        return unmeasured(bound.row, measured, column)
    if not bound.times:
        return Verdict(bound.row, measured["workers"], bound.holds(ours), f"{column} = {ours:.3f}, {bound.says}",
                       f"{ours:.3f}", bound.says)
    found = ratio(ours, least(measured, bound.times))
    if found is None:
        return Verdict(bound.row, measured["workers"], False, f"{column}: nothing that {bound.says} is of was measured")
    return Verdict(bound.row, measured["workers"], bound.holds(found), f"{column} is {found:.3f}, {bound.says}",
                   f"{found:.3f}", bound.says)


def name_of(program):
    return f"{program['program']}, {program['problem']}"


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def over_elision(program):
    """Its time over that of the serial elision; of all runs the least, as for every computation."""
    return program["skerry"]["min"] / program["serial"]["min"]


def program_of_copies(program, workers):
    """What it reaches of copies of its elision, or None if they were not measured."""
    if "copies" not in program:
        return None
    return ratio_to_copies(program["skerry"]["min"], [program["copies"]["min"]] * workers)


def efficiency(run):
    """Speed-up by workers, the geometric mean."""
    return 1 / geometric_mean(over_elision(program) for program in run["rows"]) / run["workers"]


def _programs_on_one(rows):
    times = {name_of(row): over_elision(row) for row in rows}
    mean, worst = geometric_mean(times.values()), max(times, key=times.get)
    return [Verdict("programs", 1, mean <= PROGRAMS_MEAN,
                    f"geometric mean of time / elision = {mean:.3f}, <= {PROGRAMS_MEAN}",
                    f"{mean:.3f}", f"<= {PROGRAMS_MEAN} x the elision, geometric mean"),
            Verdict("programs", 1, times[worst] <= PROGRAMS_WORST,
                    f"worst time / elision = {times[worst]:.3f} ({worst}), <= {PROGRAMS_WORST}",
                    f"{times[worst]:.3f} ({worst})", f"<= {PROGRAMS_WORST} x the elision, the worst")]


def _programs(run):
    rows, workers = run["rows"], run["workers"]
    if not rows or not all("skerry" in row for row in rows):
        return [Verdict("programs", workers, False, "not all were measured")]
    if workers == 1:
        return _programs_on_one(rows)
    reached = {name_of(row): (program_of_copies(row, workers), PROGRAM_OF_COPIES.get(row["program"])) for row in rows}
    if None in (found for found, _ in reached.values()):
        return [Verdict("programs", workers, False, "no serial copies side by side were measured")]
    mean = geometric_mean(found for found, _ in reached.values())
    verdicts = [Verdict("programs", workers, mean >= PROGRAMS_OF_COPIES, "geometric mean of what they reach of serial "
                        f"copies side by side = {mean:.3f}, >= {PROGRAMS_OF_COPIES}", f"{mean:.3f}",
                        f">= {PROGRAMS_OF_COPIES} of serial copies side by side, geometric mean")]
    verdicts += [Verdict(name, workers, found >= goal, f"reaches {found:.3f} of serial copies side by side, >= {goal}",
                         f"{found:.3f}", f">= {goal} of serial copies side by side")
                 for name, (found, goal) in reached.items() if goal is not None]
    if workers == MANY:
        verdicts.append(Verdict("programs", workers, efficiency(run) >= EFFICIENCY_OF_MANY,
                                f"speed-up by workers = {efficiency(run):.3f}, >= {EFFICIENCY_OF_MANY}",
                                f"{efficiency(run):.3f}", f">= {EFFICIENCY_OF_MANY}, speed-up by workers"))
    return verdicts


def compile_seconds(samples):
    """(median of the file that forks, median of the one that includes <atomic> alone)"""
    return samples["forks"]["median"], samples["atomic"]["median"]


def _compile(result):
    verdicts = []
    for compiler, samples in result.items():
        forks, atomic = compile_seconds(samples)
        verdicts.append(Verdict(COMPILE_ROW, 0, forks - atomic <= COMPILE_SECONDS,
                                f"{compiler}: {forks:.3f} s, <= {atomic:.3f} s of <atomic> alone + {COMPILE_SECONDS}",
                                f"{forks - atomic:+.3f}", f"<= {COMPILE_SECONDS:+.2f} s beside `<atomic>` alone"))
    return verdicts


def algorithms_of(samples):
    """{what: (unit, Skerry's, oneTBB's or None)} of one compiler: its time, the median, and the code."""
    def of(library):
        one = samples.get(library)
        return (one["seconds"]["median"], one["text"] / 1000) if one else (None, None)
    (seconds, text), (their_seconds, their_text) = of("Skerry"), of("oneTBB")
    return {"time": ("s", seconds, their_seconds), "code": ("KB", text, their_text)}


def _algorithms(result):
    """g++ alone has goals; without oneTBB there are none."""
    verdicts = []
    goals = {"time": ALGORITHMS_SECONDS, "code": ALGORITHMS_TEXT}
    for what, (unit, ours, theirs) in algorithms_of(result.get("g++", {})).items():
        found, goal = ratio(ours, theirs), goals[what]
        if found is not None:
            verdicts.append(Verdict(f"{ALGORITHMS_ROW}, {what}", 0, found <= goal,
                                    f"g++: {ours:.2f} {unit}, {found:.3f} of oneTBB's, <= {goal}",
                                    f"{found:.3f}", f"<= {goal} x oneTBB's, g++"))
    return verdicts


def evaluate(result):
    """A verdict per row, Skerry column and thing to hold. A Skerry column that could not be measured fails; a rival
    that could not be is left out, and named in the table. A row without a goal has no verdict otherwise."""
    verdicts, shown = [], False
    rows = {row.name: row for row in ROWS}
    for measured in result["rows"]:
        row = rows[measured["row"]]
        for column in SKERRY:
            if column in result["missing"]:
                continue
            if value(measured, column) is None:
                verdicts.append(unmeasured(row.name, measured, column))
                continue
            if not row.gated:
                shown = True
                continue
            verdicts += [v for rival in DECIDING if (v := _against(row, measured, column, rival))]
            verdicts += [within(bound, measured, column) for bound in BOUNDS
                         if bound.row == row.name and column in bound.columns
                         and measured["workers"] in bound.workers]
            if row.of_copies and measured["workers"] > 1:
                verdicts.append(beside_copies(row, measured, column))
    for run in result["programs"]:
        verdicts += _programs(run)
    verdicts += _compile(result.get("compile", {}))
    verdicts += _algorithms(result.get("algorithms", {}))
    if not verdicts and not shown:
        verdicts.append(Verdict("all", 0, False, "nothing of Skerry was measured"))
    return verdicts


def report(verdicts):
    lines = [f"{'PASS' if v.passed else 'FAIL'}  {v.row}{f', {v.workers} worker(s)' if v.workers else ''}: {v.says}"
             for v in verdicts]
    failed = sum(not v.passed for v in verdicts)
    lines.append(f"gate: {failed} of {len(verdicts)} FAILED" if failed else f"gate: all {len(verdicts)} passed")
    return "\n".join(lines)
