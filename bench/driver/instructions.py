# SPDX-License-Identifier: Apache-2.0
"""How many instructions a fork takes in each form of fib, by callgrind: where noise hides what a change did."""

import json

import measure
from rows import PEERS, ROWS

SMALL, LARGE = 18, 22
COLUMNS = [peer for peer in PEERS if peer.name in ("serial", "skerry")]
FORMS = [row for row in ROWS if row.unit == "ns/fork"]


def forks(n):
    """Of fib(n): a fork at each inner node."""
    value, following = 0, 1
    for _ in range(n):
        value, following = following, value + following
    return following - 1


def measured(programs, say):
    """{row: {column: instructions for a fork}}: what a larger problem takes more, by the forks that it has more."""
    return {row.name: {peer.label: _of_a_fork(programs.command(peer, row.program), row.variant, say)
                       for peer in COLUMNS if peer.label not in programs.missing} for row in FORMS}


def _of_a_fork(command, variant, say):
    runs = 2  # the program warms up by one that it does not time

    def counted(size):
        say(f"instructions of {variant}, fib({size}): {command[0]}")
        whole = [*command, "--workers", 1, "--repeat", runs - 1, "--variant", variant, "--size", size]
        return measure.instructions(whole, json.loads)

    return (counted(LARGE) - counted(SMALL)) / (runs * (forks(LARGE) - forks(SMALL)))


def markdown(rows):
    columns = [peer.label for peer in COLUMNS if any(peer.label in row for row in rows.values())]
    lines = ["| instructions for a fork | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    return "\n".join(lines + [f"| {name} | " + " | ".join(f"{row[c]:.1f}" for c in columns) + " |"
                              for name, row in rows.items()])
