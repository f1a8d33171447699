# SPDX-License-Identifier: Apache-2.0
"""What the documentation shows of the kept results: docs/benchmarks.md all of them, README a few rows of the newest."""

import events_figures
import gate
import results
import slice_figures
import table
from build import ROOT
from rows import DECIDING, OPTIMUM_SLACK, ROWS, SKERRY

BENCHMARKS, README = ROOT / "docs" / "benchmarks.md", ROOT / "README.md"
NO_FIGURE = "-"


def _letters(kept):
    """(letter, result) of each machine, the newest result first."""
    return [(chr(ord("A") + number), result) for number, result in enumerate(kept)]


def _machines(lettered, evaluate):
    lines = []
    for letter, result in lettered:
        verdicts = evaluate(result)
        lines.append(f"- **{letter}**: {table.machine_text(result['machine'])}, commit {result['commit']}, "
                     f"{result['date']}: {sum(v.passed for v in verdicts)} of {len(verdicts)} hold.")
    return lines


def _side_by_side(head, lettered, cells_of):
    """A table with a line for each key that any machine has, and a column for each machine. cells_of: {key: cell}."""
    columns = [cells_of(result) for _, result in lettered]
    keys = dict.fromkeys(key for column in columns for key in column)
    return ["| " + " | ".join([*head, *(letter for letter, _ in lettered)]) + " |",
            "|---" * (len(head) + len(lettered)) + "|",
            *("| " + " | ".join([*map(str, key), *(column.get(key, NO_FIGURE) for column in columns)]) + " |"
              for key in keys), ""]


def _goals(result):
    """{(row, workers, goal): what each column has, bold where it misses}"""
    cells = {}
    for verdict in gate.evaluate(result):
        if verdict.goal:
            found = verdict.found if verdict.passed else f"**{verdict.found}**"
            cells.setdefault((verdict.row, verdict.workers or "", verdict.goal), []).append(found)
    return {key: " / ".join(found) for key, found in cells.items()}


def _rows(result):
    """{(row, workers, unit): Skerry's figures, and in brackets the rivals'}"""
    at_optimum = {row.name for row in ROWS if row.at_optimum}
    cells = {}
    for measured in result["rows"]:
        ours, theirs = (" / ".join(table.number(gate.value(measured, label), measured["unit"]) for label in labels)
                        for labels in (SKERRY, DECIDING))
        lost = table.losses(measured, result["missing"], OPTIMUM_SLACK if measured["row"] in at_optimum else 1.0, DECIDING)
        cells[measured["row"], measured["workers"], measured["unit"]] = f"**{ours}** ({theirs})" if lost else f"{ours} ({theirs})"
    return cells


def _programs(result):
    """{(program, input, workers): what it reaches of serial copies side by side}"""
    return {(row["program"], row["problem"], run["workers"]): f"{gate.program_of_copies(row, run['workers']):.3f}"
            for run in result["programs"] if run["workers"] > 1 for row in run["rows"] if "copies" in row}


def fork_join(kept):
    lettered = _letters(kept)
    newest, others = kept[0], lettered[1:]
    lines = [*_machines(lettered, gate.evaluate), "", "### Goals on each machine", "",
             "A goal that a machine misses is bold. Two figures are those of g++ and clang++.", "",
             *_side_by_side(["", "workers", "goal"], lettered, _goals), "### Machine A", "", table.HOW_TO_READ, "", table.tables(newest)]
    if others:
        lines += ["### The other machines", "", "Skerry by g++ / by clang++, and in brackets oneTBB / rayon; bold where "
                  "one of these is ahead.", "", *_side_by_side(["", "workers", "unit"], others, _rows),
                  "What each program reaches of serial copies side by side:", "",
                  *_side_by_side(["program", "input", "workers"], others, _programs)]
    return "\n".join(lines)


def slice_(kept):
    lines = [*_machines(_letters(kept), slice_figures.evaluate), ""]
    for letter, result in _letters(kept):
        lines += [f"### Machine {letter}", "", slice_figures.markdown(result)]
    return "\n".join(lines)


def events(kept):
    if not kept:
        return "No result is kept yet.\n"
    lines = [*_machines(_letters(kept), events_figures.evaluate), ""]
    for letter, result in _letters(kept):
        lines += [f"### Machine {letter}", "", events_figures.markdown(result)]
    return "\n".join(lines)


def write_fork_join(folder=results.FOLDER):
    kept = results.kept("fork-join", folder)
    table.write(BENCHMARKS, fork_join(kept), *marks("fork-join"))
    table.write(README, table.public(kept[0]), *marks("public"))


def write_slice(folder=results.FOLDER):
    table.write(BENCHMARKS, slice_(results.kept("slice", folder)), *marks("slice"))


def write_events(folder=results.FOLDER):
    table.write(BENCHMARKS, events(results.kept("events", folder)), *marks("events"))


def marks(name):
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
