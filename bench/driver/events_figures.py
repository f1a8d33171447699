# SPDX-License-Identifier: Apache-2.0
"""The event machine beside DPDK's distributed software event device, serial loops and itself."""

import dataclasses
import math

import gate
import measure
import table
from rows import COPIES, NOTHING, PEERS, SKERRY, Bound, Peer, Row

DSW = Peer("dsw", "dsw", "g++")
SKERRY_PEERS = [peer for peer in PEERS if peer.label in SKERRY]
BUILT = [*(peer for peer in PEERS if peer.name == "serial"), *SKERRY_PEERS, DSW]
OTHERS = ("bench_packets_skerry",)  # only the g++ tree has the programs
GCC = SKERRY[0]
COLUMNS = [*SKERRY, DSW.label, *(peer.label for peer in COPIES)]
WINDOWS = 200  # of a run; each lasts a few milliseconds at most


@dataclasses.dataclass(frozen=True)
class Figure:
    """A row, on which numbers of cores, and of whom."""

    row: Row
    cores: tuple
    peers: tuple = tuple(SKERRY_PEERS)


def _row(name, unit, variant, repeat, **more):
    return Row(name, "events", unit, variant, repeat=repeat, without=("elision",), **more)


RING = "128 atomic queues in a ring, 512 events"
BURSTS = "the same, received and sent in bursts"
WORK = "events of 2,000 cycles"
HOSTAGE = "64 events of 1 ms beside a receive of 100 ms"
AFTER = "idle, the second after work"
RATE = "1,000 events a second from outside"
LATENCY = "the same, from send to receive"
VERIFIED = "verification on : off, the ring"
PACKETS_CPU = "`packets`, processor time : its elision's"
PACKETS_CORES = "`packets`, time on one core : on two"
FIGURES = [
    Figure(_row(RING, "cycles/hop", "ring", WINDOWS), (1, 2), (*SKERRY_PEERS, DSW)),
    Figure(_row(BURSTS, "cycles/hop", "bursts", WINDOWS), (1, 2)),
    Figure(_row(WORK, "cycles/event", "work", 100, of_copies=0.80, passes=4), (2,)),
    Figure(_row(HOSTAGE, "ms", "hostage", 3, statistic="median"), (2,)),
    Figure(_row(AFTER, "CPUs", "after", 1, statistic="median"), (2,)),
    Figure(_row(RATE, "CPUs", "rate", 1, statistic="median"), (2,)),
    Figure(_row(LATENCY, "us", "latency", 1, statistic="median"), (2,)),
    Figure(_row(VERIFIED, "", "verified", 50, statistic="median"), (1,)),
    *(Figure(Row(name, "packets", "", variant, repeat=5, statistic="median"), (cores,), tuple(SKERRY_PEERS[:1]))
      for name, variant, cores in ((PACKETS_CPU, "cpu", 1), (PACKETS_CORES, "cores", 2))),
]
BOUNDS = [
    Bound(RING, 1.0, "<= 1 x dsw", times=(DSW.label,)),
    Bound(HOSTAGE, 110, "<= 110 ms", workers=(2,)),
    Bound(AFTER, NOTHING, "0.00 CPUs", workers=(2,)),
    Bound(RATE, 0.12, "<= 0.12 CPUs", workers=(2,)),
    Bound(VERIFIED, 2.0, "<= 2", workers=(1,)),
    Bound(PACKETS_CPU, 1.5, "<= 1.5", columns=(GCC,), workers=(1,)),
    Bound(PACKETS_CORES, math.inf, ">= 1.2", columns=(GCC,), workers=(2,), at_least=1.2),
]


def measured(programs, rounds, say):
    return {"rounds": rounds, "missing": programs.missing,
            "rows": [measure.measure_row(figure.row, cores, rounds, programs, say, figure.peers)
                     for figure in FIGURES for cores in figure.cores]}


def _of_row(measured_, missing):
    """A verdict for each column of Skerry and thing to hold. What only a rival that is missing could tell is left out."""
    figure = next(f for f in FIGURES if f.row.name == measured_["row"])
    bounds = [b for b in BOUNDS if b.row == figure.row.name and not (b.times and set(b.times) <= set(missing))]
    verdicts = []
    for column in (peer.label for peer in figure.peers if peer.label in SKERRY and peer.label not in missing):
        if gate.value(measured_, column) is None:
            verdicts.append(gate.unmeasured(figure.row.name, measured_, column))
        elif figure.row.of_copies:
            verdicts.append(gate.beside_copies(figure.row, measured_, column))
        else:
            verdicts += [gate.within(b, measured_, column) for b in bounds if column in b.columns]
    return verdicts


def evaluate(result):
    return [verdict for row in result["rows"] for verdict in _of_row(row, result["missing"])]


def _line(row, missing):
    verdicts = _of_row(row, missing)
    found = " / ".join(v.found for v in verdicts if v.found)
    holds = "" if not verdicts else "yes" if all(v.passed for v in verdicts) else "**no**"
    return "| " + " | ".join([row["row"], str(row["workers"]), row["unit"], *(table.cell(row, c) for c in COLUMNS),
                              next((v.goal for v in verdicts if v.goal), ""), found, holds]) + " |"


def markdown(result):
    lines = ["| | cores | unit | " + " | ".join(COLUMNS) + " | goal | measured | holds |",
             "|---" * (len(COLUMNS) + 6) + "|"]
    lines += [_line(row, result["missing"]) for row in result["rows"]]
    busiest = max(row["other_load"] for row in result["rows"])
    lines += ["", "Each cell is the least of all samples, in brackets their median. In the ring and of events of 2,000 cycles "
              "the least counts, and elsewhere the median. Of two cores a hop is the time of both by the hops of both. "
              f"{result['rounds']} interleaved rounds. Other work on the machine took up to {busiest:.2f} processors "
              f"meanwhile. {table.origin(result)}"]
    return "\n".join(lines + table.unmeasured(result)) + "\n"
