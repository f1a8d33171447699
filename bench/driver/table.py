# SPDX-License-Identifier: Apache-2.0
"""Results as Markdown, the rows we lose marked."""

from gate import (algorithms_of, compile_seconds, efficiency, evaluate, geometric_mean, of_copies, program_of_copies, ratio, serial, value)
from rows import (ALGORITHMS_ROW, ALGORITHMS_SECONDS, ALGORITHMS_TEXT, COMPILE_ROW, COMPILE_SECONDS, COPIES, DECIDING, EFFICIENCY_OF_MANY, ELISIONS, IN_README, MANY, OPTIMUM_SLACK,
                  PROGRAMS_OF_COPIES, PUBLIC, RIVALS, ROWS, SKERRY)


def number(value_, unit):
    if value_ is None:
        return "-"
    if unit == "CPUs":
        return f"{value_:.2f}"
    return f"{value_:.0f}" if value_ >= 100 else f"{value_:.1f}" if value_ >= 10 else f"{value_:.2f}"


def cell(measured, label):
    column = measured["peers"].get(label)
    if column is None:
        return "failed" if label in measured["problems"] else "-"
    least, median = (number(column[which], measured["unit"]) for which in ("min", "median"))
    return least if least == median else f"{least} ({median})"


def _ratio(measured, rival):
    theirs = value(measured, rival)
    ratios = [ratio(value(measured, column), theirs) for column in SKERRY]
    return " / ".join("-" if r is None else f"{r:.3f}" if r < 0.1 else f"{r:.2f}" for r in ratios)


def losses(measured, missing, slack=1.0, rivals=tuple(RIVALS)):
    """The rivals that are better than Skerry in this row, with the column that loses."""
    found = []
    for rival in rivals:
        theirs = value(measured, rival)
        for column in SKERRY:
            ours = value(measured, column)
            nothing = measured["unit"] == "CPUs" and ours is not None and ours < 0.005
            if rival not in missing and None not in (ours, theirs) and ours > slack * theirs and not nothing:
                found.append(f"{rival} ({column.removeprefix('Skerry ')})")
    return found


def _rows(result, workers, public_=False):
    """Of the programs that are publicly compared, or of all others."""
    rows = [measured for measured in result["rows"]
            if measured["workers"] == workers and measured["row"].startswith(PUBLIC) == public_]
    if not rows:
        return []
    missing = result["missing"]
    lines = [f"**{'Publicly compared programs, ' if public_ else ''}{workers} worker{'s' if workers > 1 else ''}**", "",
             "| | unit | serial | " + " | ".join(SKERRY + RIVALS)
             + " | Skerry / oneTBB | Skerry / rayon | Skerry loses to |",
             "|---" * (len(SKERRY + RIVALS) + 6) + "|"]
    for measured in rows:
        at_optimum = {row.name: row for row in ROWS}[measured["row"]].at_optimum
        lost = losses(measured, missing, OPTIMUM_SLACK if at_optimum else 1.0)
        cells = [cell(measured, label) for label in SKERRY + RIVALS]
        lines.append("| " + " | ".join([measured["row"].removeprefix(PUBLIC), measured["unit"], number(serial(measured), measured["unit"]),
                                        *cells, _ratio(measured, "oneTBB"), _ratio(measured, "rayon"),
                                        f"**{', '.join(lost)}**" if lost else ""]) + " |")
    return lines + [""]


def _copies(result):
    rows = {row.name: row for row in ROWS}
    columns = SKERRY + [peer.label for peer in COPIES + ELISIONS]
    lines = []
    for measured in result["rows"]:
        row = rows[measured["row"]]
        if row.of_copies is not None and measured["workers"] > 1:
            cells = [cell(measured, label) for label in columns]
            reached = [of_copies(measured, label) for label in SKERRY]
            without_forks = [of_copies(measured, peer.label) for peer in ELISIONS]
            lines.append(f"| {row.name} | {measured['workers']} | {row.unit} | " + " | ".join(cells) + " | "
                         + " | ".join(" / ".join("-" if r is None else f"{r:.3f}" for r in shares)
                                      for shares in (reached, without_forks))
                         + f" | {row.of_copies or '-'} |")
    return ["**Against serial copies side by side**", "",
            "| | workers | unit | " + " | ".join(columns) + " | reached | by the elision | goal |",
            "|---" * (len(columns) + 6) + "|", *lines, ""] if lines else []


def _program_cells(row, workers):
    if "skerry" not in row:
        return ["-"] * (3 if workers > 1 else 2)
    reached = program_of_copies(row, workers) if workers > 1 else None
    cells = [f"{row['skerry']['median']:.4f}", f"{row['serial']['median'] / row['skerry']['median']:.2f}"]
    return cells + (["-" if reached is None else f"{reached:.3f}"] if workers > 1 else [])


def _programs(result):
    runs = result["programs"]
    names = {(row["program"], row["input"]): row.get("problem", row["input"]) for run in runs for row in run["rows"]}
    heads = [f"Skerry s, {run['workers']} w | speed-up" + (" | of copies" if run["workers"] > 1 else "") for run in runs]
    lines = ["**Programs against their serial elision**", "",
             "| program | input | serial s | " + " | ".join(heads) + " |",
             "|---|---|---" + "".join("|---" * (head.count("|") + 1) for head in heads) + "|"]
    for key, problem in names.items():
        rows = [next((row for row in run["rows"] if (row["program"], row["input"]) == key), {}) for run in runs]
        measured = [row for row in rows if "skerry" in row]
        cells = [cell_ for row, run in zip(rows, runs) for cell_ in _program_cells(row, run["workers"])]
        base = f"{min(row['serial']['median'] for row in measured):.4f}" if measured else "-"
        lines.append(f"| {key[0]} | {problem} | {base} | " + " | ".join(cells) + " |")
    return lines


def _all_programs(run):
    """(figure, measured, goal) over all programs on more than one worker."""
    rows, workers = run["rows"], run["workers"]
    if not rows or not all("skerry" in row for row in rows):
        return [("the programs", "not all were measured", "")]
    reached = [program_of_copies(row, workers) for row in rows]
    asked, granted, forced = (sum(row.get("statistics", {}).get(f"steals_{what}", 0) for row in rows)
                              for what in ("asked", "granted", "asymmetric"))
    return [
        ("what they reach of serial copies side by side, geometric mean",
         "-" if None in reached else f"{geometric_mean(reached):.3f}", f">= {PROGRAMS_OF_COPIES}"),
        ("speed-up by workers, geometric mean", f"{efficiency(run):.3f}",
         f">= {EFFICIENCY_OF_MANY}" if workers == MANY else ""),
        ("steals asked, granted, of these by force, in all timed runs", f"{asked}, {granted}, {forced}", ""),
    ]


def _more_workers(result):
    """What holds of all programs together, also where the machine is too small for it."""
    lines = ["| the programs together | workers | measured | goal |", "|---|---|---|---|"]
    for run in result["programs"]:
        if run["workers"] > 1:
            lines += [f"| {name} | {run['workers']} | {found} | {goal} |" for name, found, goal in _all_programs(run)]
    if all(run["workers"] != MANY for run in result["programs"]):
        why = f"not in this run, on {result['machine']['processors']} processors; on {MANY}: docs/design/0030"
        lines += [f"| speed-up by workers, geometric mean | {MANY} | {why} | >= {EFFICIENCY_OF_MANY} |",
                  f"| steals asked, granted, of these by force, in all timed runs | {MANY} | {why} | |"]
    return lines + ["| cache lines moved per steal | | the driver reads no counters of the processor; on simulated cores "
                    "they are counted by the test conformance_steal_simulated (docs/design/0030) | |",
                    "| victims by NUMA distance, time of that over any order | | not measured: an order by hwloc's distance "
                    "ships, no machine with more than one node was at hand | |"]


def _compile(result):
    lines = []
    for compiler, samples in result.get("compile", {}).items():
        forks, atomic = compile_seconds(samples)
        lines.append(f"| {compiler} | {forks:.3f} | {atomic:.3f} | {forks - atomic:+.3f} | <= +{COMPILE_SECONDS:.2f} |")
    return [f"| {COMPILE_ROW} | s | `<atomic>` alone | more | goal |", "|---|---|---|---|---|", *lines, ""] if lines else []


def _algorithms(result):
    lines = []
    for compiler, samples in result.get("algorithms", {}).items():
        for what, (unit, ours, theirs) in algorithms_of(samples).items():
            found = ratio(ours, theirs)
            goal = {"time": ALGORITHMS_SECONDS, "code": ALGORITHMS_TEXT}[what]
            lines.append(f"| {compiler}, {what} | {unit} | {number(ours, unit)} | {number(theirs, unit)} | "
                         f"{'-' if found is None else f'{found:.2f}'} | {f'<= {goal}' if compiler == 'g++' else '-'} |")
    return [f"| {ALGORITHMS_ROW} | | Skerry | oneTBB | ratio | goal |", "|---|---|---|---|---|---|", *lines, ""] if lines else []


def _holds(passed):
    said = ["yes" if p else "**no**" for p in passed]
    return said[0] if len(set(said)) == 1 else " / ".join(said)


def _goals(result):
    """What must hold apart from what decides against rivals, all columns of a row that have one goal in one line."""
    lines = {}
    for verdict in evaluate(result):
        if verdict.goal:
            lines.setdefault((verdict.row, verdict.workers, verdict.goal), []).append(verdict)
    heads = ["**Goals**", "", "| | workers | goal | measured | holds |", "|---|---|---|---|---|"]
    return [*heads, *(f"| {row} | {workers or ''} | {goal} | {' / '.join(v.found for v in verdicts)} | "
                      + _holds([v.passed for v in verdicts]) + " |"
                      for (row, workers, goal), verdicts in lines.items()), ""] if lines else []


def unmeasured(result):
    """A paragraph for each peer that is missing and each that failed."""
    lines = []
    for label, why in result["missing"].items():
        lines += ["", f"Not measured: {label}: {why}."]
    for measured in result["rows"]:
        for label, why in measured["problems"].items():
            lines += ["", f"Failed: {measured['row']}, {measured['workers']} worker(s), {label}: {why}"]
    return lines


def machine_text(machine):
    family = f" (family {machine['family']}, model {machine['model']})" if "family" in machine else ""
    return f"{machine['processor']}{family}, {machine['processors']} processors"


def origin(result):
    """A sentence on where the figures are from."""
    machine = result["machine"]
    versions = ", ".join(f"{name} `{version}`" for name, version in machine["versions"].items())
    return (f"Commit {result['commit']}, {result['date']}. {machine_text(machine)}, {machine['kernel']}, "
            f"{machine['system']}. Versions: {versions}.")


HOW_TO_READ = (
    "Each cell is the least of all runs, in brackets their median; a ratio below 1 says that Skerry is ahead. Serial is the "
    "faster of both compilers' plain program. Two figures with a stroke between them are those of g++ and clang++. Region "
    "entry, hostage and the use of processors are compared by their medians. What is reached of serial copies side by side "
    "is the time of the copies, until the last has ended, by their number and by Skerry's time. It is a median over the "
    "passes in the rows, and of the least times in the programs. The elision's column is what as many copies of the task "
    "program reach when its forks are plain calls. Times of programs and of the compiler are medians; goals of programs look "
    "at the least.")


def tables(result):
    """All but the goals, and how they were measured."""
    lines = []
    for public_ in (False, True):
        for workers in sorted({measured["workers"] for measured in result["rows"]}):
            lines += _rows(result, workers, public_)
    lines += _copies(result)
    if result["programs"]:
        lines += _programs(result) + [""] + _more_workers(result) + [""]
    lines += _compile(result) + _algorithms(result)
    busiest = max([measured["other_load"] for measured in result["rows"] + result["programs"]], default=0.0)
    lines.append(f"{result['rounds']} interleaved rounds. Other work on the machine took up to {busiest:.2f} processors "
                 f"meanwhile. {origin(result)}")
    return "\n".join(lines + unmeasured(result)) + "\n"


def markdown(result):
    return "\n".join([*_goals(result), tables(result), HOW_TO_READ, ""])


def _public_cells(measured):
    """Of one row on one number of workers: serial, Skerry by g++, and those that decide; bold is what beats Skerry."""
    ours = value(measured, SKERRY[0])
    found = [serial(measured), ours, *(value(measured, rival) for rival in DECIDING)]
    return [f"**{number(v, measured['unit'])}**" if None not in (v, ours) and v < ours else number(v, measured["unit"])
            for v in found]


def public(result):
    """README's table: a line for each program, in each cell the figures on the numbers of workers."""
    workers = sorted({measured["workers"] for measured in result["rows"]})
    lines = ["| program | unit | serial | Skerry | " + " | ".join(DECIDING) + " |", "|---|---|---|---|" + "---|" * len(DECIDING)]
    for name in IN_README:
        rows = [measured for measured in result["rows"] if measured["row"] == name]
        if not rows:
            continue
        serial_, *cells = zip(*(_public_cells(measured) for measured in rows))
        lines.append("| " + " | ".join([name.removeprefix(PUBLIC), rows[0]["unit"], serial_[0],
                                        *(" · ".join(cell_) for cell_ in cells)]) + " |")
    return "\n".join([*lines, "", f"On {' · '.join(map(str, workers))} workers, the least of {result['rounds']} interleaved "
                      f"rounds. Bold beats Skerry on as many workers; serial is compared with one. "
                      f"{machine_text(result['machine'])}; commit {result['commit']}; all compiled with -O3, C++ by g++.", ""])


def write(path, text, begin_line, end_line):
    """Puts the text between the marker lines of a file."""
    old = path.read_text()
    begin, end = old.find(begin_line), old.find(end_line)
    if begin < 0 or end < begin:
        raise ValueError(f"{path} has no lines '{begin_line}' and '{end_line}' to put the table between")
    path.write_text(old[:begin + len(begin_line)] + "\n" + text + old[end:])
