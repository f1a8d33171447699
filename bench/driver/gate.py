# SPDX-License-Identifier: Apache-2.0
"""Whether a measured result holds its gate."""

import dataclasses
import math

from rows import BOUNDS, DECIDING, NOTHING, OPTIMUM_SLACK, PROGRAMS_MEAN, PROGRAMS_WORST, ROWS, SERIAL, SKERRY


@dataclasses.dataclass(frozen=True)
class Verdict:
    row: str
    workers: int  # 0: the row has no such number
    passed: bool
    says: str


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


def _unmeasured(row, measured, column):
    return Verdict(row, measured["workers"], False, f"{column}: {measured['problems'].get(column, 'not measured')}")


def within(bound, measured, column):
    ours = value(measured, column)
    if ours is None:
        return _unmeasured(bound.row, measured, column)
    if not bound.times:
        return Verdict(bound.row, measured["workers"], ours <= bound.at_most, f"{column} = {ours:.3f}, {bound.says}")
    found = ratio(ours, least(measured, bound.times))
    if found is None:
        return Verdict(bound.row, measured["workers"], False, f"{column}: nothing that {bound.says} is of was measured")
    return Verdict(bound.row, measured["workers"], found <= bound.at_most, f"{column} is {found:.3f}, {bound.says}")


def _programs(run):
    """Of the programs on one worker."""
    if not run["rows"] or not all("skerry" in row for row in run["rows"]):
        return [Verdict("programs", 1, False, "not all were measured")]
    times = {f"{row['program']}, {row['problem']}": 1 / row["speed_up"] for row in run["rows"]}
    mean = math.exp(sum(math.log(t) for t in times.values()) / len(times))
    worst = max(times, key=times.get)
    return [Verdict("programs", 1, mean <= PROGRAMS_MEAN,
                    f"geometric mean of time / elision = {mean:.3f}, <= {PROGRAMS_MEAN}"),
            Verdict("programs", 1, times[worst] <= PROGRAMS_WORST,
                    f"worst time / elision = {times[worst]:.3f} ({worst}), <= {PROGRAMS_WORST}")]


def evaluate(result):
    """A verdict per row, Skerry column and thing to hold. A Skerry column that could not be measured fails; a rival
    that could not be is left out, and named in the table."""
    verdicts = []
    rows = {row.name: row for row in ROWS}
    for measured in result["rows"]:
        row = rows[measured["row"]]
        for column in SKERRY:
            if column in result["missing"]:
                continue
            if value(measured, column) is None:
                verdicts.append(_unmeasured(row.name, measured, column))
                continue
            verdicts += [v for rival in DECIDING if (v := _against(row, measured, column, rival))]
            verdicts += [within(bound, measured, column) for bound in BOUNDS
                         if bound.row == row.name and column in bound.columns
                         and measured["workers"] in bound.workers]
    for run in result["programs"]:
        if run["workers"] == 1:
            verdicts += _programs(run)
    if not verdicts:
        verdicts.append(Verdict("all", 0, False, "nothing of Skerry was measured"))
    return verdicts


def report(verdicts):
    lines = [f"{'PASS' if v.passed else 'FAIL'}  {v.row}{f', {v.workers} worker(s)' if v.workers else ''}: {v.says}"
             for v in verdicts]
    failed = sum(not v.passed for v in verdicts)
    lines.append(f"gate: {failed} of {len(verdicts)} FAILED" if failed else f"gate: all {len(verdicts)} passed")
    return "\n".join(lines)
